// key.h - the byte layout of store keys (table in store/README.md, fixed by golden bytes).
// Keys sort bytewise as their parts do: tag, then scene id, then the last part as it is.
#ifndef DIORAMA_STORE_KEY_H
#define DIORAMA_STORE_KEY_H

#include "proto/base/text.h"
#include "store/store.h"

// Tags, of the scene family where nothing else is said.
enum key_tag {
    KEY_SCENE = 'S',    // scene key                -> scene record
    KEY_OBJECT = 'O',   // scene id, object key     -> object record
    KEY_PROPERTY = 'P', // scene id, property key   -> property record
    KEY_DEVICE = 'D',   // scene id, device key     -> registration
    KEY_EVIDENCE = 'E', // scene id, evidence id    -> correction
    KEY_LOOKUP = 'K',   // generated key            -> scene id, scene key
    KEY_SWEEP = 'X',    // scene id                 -> sweep to be resumed
    KEY_OUTBOX = 'B',   // outbox id                -> effect at another actor
    KEY_COMMIT = 'C',   // shard                    -> marker of its last commit
    KEY_EPOCH = 'N',    // (streamer family)        -> number of this start
    // asset family
    KEY_ASSET = 'A',        // asset key         -> metadata
    KEY_HISTORY = 'H',      // history id        -> versions of an asset
    KEY_RELATIONSHIP = 'R', // relationship id   -> relationship
    KEY_COLLECTION = 'L',   // collection id     -> collection
    KEY_PROJECT = 'J',      // project id        -> project
    // user family
    KEY_USER = 'U',    // user id             -> user
    KEY_SESSION = 'T', // hash of a token     -> session
    KEY_CLAIM = 'G',   // device key          -> user that it belongs to
    KEY_SECRET = 'Y',  // nothing             -> what tokens are hashed with
};

enum { KEY_MAX = 160 };

// A key being composed; `bytes` borrows from it.
struct key {
    unsigned char data[KEY_MAX];
    size_t size;
};

// tag + text as it is (no terminator: it is the last part).
struct key key_of_text(enum key_tag tag, const struct text *text);
// tag + scene id, big-endian: the prefix of everything of that kind in a scene.
struct key key_of_scene_id(enum key_tag tag, uint64_t scene_id);
// tag + scene id + text.
struct key key_in_scene(enum key_tag tag, uint64_t scene_id, const struct text *text);
// tag alone: the prefix of everything of that kind.
struct key key_of_tag(enum key_tag tag);
// The first key after all that begin with `prefix`.
struct key key_after(const struct key *prefix);

static inline struct bytes
key_bytes(const struct key *self)
{
    return (struct bytes){self->data, self->size};
}

// The text after tag and scene id, in the arena; NULL where the key is too short.
const struct text *key_text_in_scene(struct arena *arena, struct bytes key);
// The text after the tag.
const struct text *key_text(struct arena *arena, struct bytes key);
// The scene id after the tag; false where the key is too short.
bool key_scene_id(struct bytes key, uint64_t *ret_scene_id);

// Scene ids as stored values: 8 bytes, big-endian.
void key_put_u64(unsigned char *ret_bytes, uint64_t value);
uint64_t key_get_u64(const unsigned char *bytes);

#endif
