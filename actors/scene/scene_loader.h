// scene_loader.h - the thread that reads for its actor: slices of a scene, look-ups of generated
// keys. Takes LOAD (parcel: struct slice), does it, sends the same message back as LOADED.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_LOADER_H
#define DIORAMA_ACTORS_SCENE_SCENE_LOADER_H

#include "actors/runtime/actor.h"
#include "actors/scene/scene_family.h"
#include "proto/base/limits.h"

typedef struct loader loader_t;

enum slice_kind {
    SLICE_LOOKUP,  // one value: where a generated key lives
    SLICE_PLACES,  // the same for many keys of one request
    SLICE_RECORDS, // records of a scene, decoded
    SLICE_KEYS,    // keys of a scene, to be deleted
    SLICE_SCENE,   // what users hold in a scene, and its newest fence
    SLICE_HELD,    // which of many keys are there, for a request
};

enum { SLICE_LIMIT = LIMIT_LOOKUP_KEYS }; // records or keys of one slice

// What to read, and what was found. The parcel of LOAD and LOADED.
struct slice {
    struct parcel base;
    enum slice_kind kind;
    key_tag_t tag; // of SLICE_RECORDS and SLICE_KEYS
    uint16_t part;
    uint64_t scene_id;
    struct key low;  // first key to read
    struct key high; // first key not to read
    // found:
    enum store_result result;
    bool more; // the limit was reached; the next slice begins at `low`, which was moved
    uint32_t count;
    const frozen_t *records[SLICE_LIMIT]; // one reference each
    struct key keys[SLICE_LIMIT];
    struct key value;              // of SLICE_LOOKUP; of SLICE_SCENE: the fence, empty = none
    uint64_t numbers[SLICE_LIMIT]; // of SLICE_SCENE: the values of keys that are sums
    // of SLICE_PLACES and SLICE_HELD: keys[i] is what is looked up in parts[i]; found is its value,
    // empty where absent
    uint16_t parts[SLICE_LIMIT];
    struct message *asker; // the request that waits for it, owned
};

// A slice of all records (or keys) of one kind in a scene.
struct slice *slice_of_scene(enum slice_kind kind, key_tag_t tag, uint16_t part, uint64_t scene_id);
// A look-up of one generated key.
struct slice *slice_of_lookup(uint16_t part, const struct text *key);
// Room for the look-ups of a request; takes it: *asker becomes NULL.
struct slice *slice_of_places(struct message **asker);
void slice_add_place(struct slice *self, uint16_t part, const struct text *key);
// The same for any keys.
struct slice *slice_of_held(struct message **asker);
void slice_add_key(struct slice *self, uint16_t part, struct key key);
void slice_destroy(struct slice **self);
// Forgets what was found, so that the slice can be sent again for the next records.
void slice_continue(struct slice *self);

static inline struct slice *
slice_of(struct message *message)
{
    return (struct slice *)(void *)message->parcel;
}

fallible loader_create(store_t *store, const char *name, loader_t **ret_loader);
void loader_destroy(loader_t **self, mailbox_t *from);

#endif
