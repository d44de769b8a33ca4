// partition.h - which partition owns a scene or a generated key, and fresh keys.
#ifndef DIORAMA_PROTO_MESSAGE_PARTITION_H
#define DIORAMA_PROTO_MESSAGE_PARTITION_H

#include "proto/base/error.h"
#include "proto/base/text.h"

enum {
    PARTITION_COUNT = 1024,
    GENERATED_KEY_SIZE = 24,
};

// xxh64(scene key, seed 0) mod 1024.
uint16_t partition_of_scene(const struct text *scene_key);

// The partition in the first three characters of a generated key (24 lower-case hex characters, the
// first three 000 to 3ff). False if no partition owns the key.
bool partition_of_key(const struct text *key, uint16_t *ret_partition);

// Whether a key looks like a generated one: 24 lower-case hex characters.
bool key_is_generated(const struct text *key);

// A fresh key from the system's random source, owned by `partition`; in the arena.
const struct text *key_generate(struct arena *arena, uint16_t partition);

// A fresh key without a partition: for scenes, devices and records of other actors.
const struct text *key_generate_free(struct arena *arena);

enum { KEY_SEED_SIZE = 16 };

// The `index`-th key of a secret seed, owned by `partition`: the same at each call.
const struct text *key_derive(struct arena *arena, const unsigned char seed[KEY_SEED_SIZE],
                              uint32_t index, uint16_t partition);

// The key without a partition that follows from a secret seed (bytes), which it does not tell.
const struct text *key_derive_free(struct arena *arena, const struct text *seed);

#endif
