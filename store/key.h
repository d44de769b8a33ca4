// key.h - how store keys are composed: a tag, then perhaps a number, then perhaps a text. Which
// tags a family has, and what stands under them, says the header of the actor that owns it
// (scene_family.h and the like; all in one table: store/README.md). Keys sort bytewise as their
// parts do.
#ifndef DIORAMA_STORE_KEY_H
#define DIORAMA_STORE_KEY_H

#include "proto/base/text.h"
#include "store/store.h"

// Says what a record is: one ASCII letter.
typedef unsigned char key_tag_t;

enum { KEY_MAX = 240 };

// A key being composed; `bytes` borrows from it.
struct key {
    unsigned char data[KEY_MAX];
    size_t size;
};

// tag alone: the prefix of everything under it.
struct key key_of_tag(key_tag_t tag);
// tag + text as it is (no terminator: it is the last part).
struct key key_of_text(key_tag_t tag, const struct text *text);
// tag + the rest of a key without its tag.
struct key key_of_name(key_tag_t tag, struct bytes name);
// tag + number, big-endian.
struct key key_of_number(key_tag_t tag, uint64_t number);
// tag + number + text.
struct key key_of_number_and_text(key_tag_t tag, uint64_t number, const struct text *text);
// The least key behind this one.
struct key key_next(const struct key *self);
// The first key after all that begin with `prefix`.
struct key key_after(const struct key *prefix);

// Less than, equal to or greater than 0 as `a` sorts before, as or behind `b`.
int key_compare(const struct key *a, const struct key *b);

static inline struct bytes
key_bytes(const struct key *self)
{
    return (struct bytes){self->data, self->size};
}

// What follows the tag.
static inline struct bytes
key_name(const struct key *key)
{
    return (struct bytes){key->data + 1, key->size - 1};
}

// The text after the tag, in the arena; NULL where the key is too short.
const struct text *key_text(struct arena *arena, struct bytes key);
// The number after the tag; false where the key is too short.
bool key_number(struct bytes key, uint64_t *ret_number);
// The text after tag and number, in the arena; NULL where the key is too short.
const struct text *key_text_after_number(struct arena *arena, struct bytes key);

// Numbers as they stand in keys and values: 8 bytes, big-endian.
void key_put_u64(unsigned char *ret_bytes, uint64_t value);
uint64_t key_get_u64(const unsigned char *bytes);

#endif
