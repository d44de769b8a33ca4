// golden.h - writes golden packets: lines of JSON that say what stands in the bytes of a datagram,
// a frame or a stream. The bytes are those of the server's own encoders; where the server has a
// parser for them, it reads them before the line is written.
//
//   {"name":"…","form":"packed","hex":"9601…","json":{…}}
#ifndef DIORAMA_TESTS_GOLDEN_GOLDEN_H
#define DIORAMA_TESTS_GOLDEN_GOLDEN_H

#include "proto/base/arena.h"
#include "proto/base/buffer.h"
#include "proto/codec/json_text.h"
#include "proto/feed/event.h"

// Of all golden packets.
enum { GOLDEN_EPOCH = 3, GOLDEN_FIRST_SEQ = 1841, GOLDEN_TIME_US = 1000000 };
#define GOLDEN_TOKEN "Zm9yIGdvbGRlbiBwYWNrZX"

// The lines of one file. Embedded; all zero is none; ends by golden_finish.
struct golden {
    const char *form;
    struct arena arena; // of what the lines are made of
    struct buffer lines;
    struct buffer bytes, json; // of the line that is being made
    const frozen_t **kept;     // records of the samples
    unsigned kept_count, count;
    bool is_open; // the hex of a line has begun
};

void golden_finish(struct golden *self);

// Begins a line, adds bytes to its hex (a blank between two frames), and ends it with what they
// say.
void golden_begin(struct golden *self, const char *name);
void golden_hex(struct golden *self, const struct buffer *bytes);
void golden_end(struct golden *self, const struct buffer *json);

// A line of one datagram that is JSON: what it says is itself.
void golden_text(struct golden *self, const char *name, const struct buffer *text);

// Writes a tree over `out`.
void golden_put_tree(const struct json *tree, struct buffer *out);

// A frozen record from JSON, and a scene that has only a key. They end with `self`.
const frozen_t *golden_record(struct golden *self, const struct schema *schema, const char *json);
const frozen_t *golden_scene(struct golden *self, const char *key);

// An event of the samples. The record of an entity, and of which the listeners know that it was
// `before` (NULL: they know nothing of it).
struct golden_sample {
    const char *name;
    uint8_t msg_type;
    uint8_t reason;
    const char *json;
    const char *before;
};

// Of objects and properties, as devices hear of them; of all else.
extern const struct golden_sample golden_entities[];
extern const unsigned golden_entities_count;
extern const struct golden_sample golden_others[];
extern const unsigned golden_others_count;

// The place in `golden_entities` of a sample that is there.
unsigned golden_find(const char *name);

// The record of a sample, and the whole event, the `index`th after GOLDEN_FIRST_SEQ in scene "s1".
const struct schema *golden_schema(uint8_t msg_type);
struct event golden_event(struct golden *self, const struct golden_sample *sample, unsigned index);

// The files.
void golden_make_packed(struct golden *self);
void golden_make_indexed(struct golden *self);
void golden_make_plain(struct golden *self);
void golden_make_sealed(struct golden *self);
void golden_make_controls(struct golden *self);
void golden_make_updates(struct golden *self);
void golden_make_pub(struct golden *self);
void golden_make_sse(struct golden *self);
void golden_make_delta(struct golden *self);

#endif
