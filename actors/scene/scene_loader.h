// scene_loader.h - the thread that reads for its actor: slices of a scene, look-ups of generated
// keys. A slice is one read of the store, under however many tags its records stand. Takes LOAD
// (parcel: struct slice), does it, sends the same message back as LOADED. Takes READ_PAGE too
// (page_reader.h).
#ifndef DIORAMA_ACTORS_SCENE_SCENE_LOADER_H
#define DIORAMA_ACTORS_SCENE_SCENE_LOADER_H

#include "actors/runtime/actor.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/use_index.h"
#include "proto/base/limits.h"

typedef struct loader loader_t;

enum slice_kind {
    SLICE_LOOKUP,  // one value: where a generated key lives
    SLICE_PLACES,  // the same for many keys of one request
    SLICE_RECORDS, // entities of a scene, decoded: objects, then properties
    SLICE_KEYS,    // keys of a scene under one tag, to be deleted, and of their index records
    SLICE_SCENE,   // its newest fence, and what users hold in a scene
    SLICE_WHOLE,   // the same, and behind it its entities
    SLICE_HELD,    // which of many keys are there, for a request
    SLICE_USES,    // what names an asset (use_slice.h)
};

enum {
    SLICE_LIMIT = LIMIT_LOOKUP_KEYS, // records or keys of one slice
    LOAD_DEADLINE_MS = 30000,        // of each read of the store
};

// What to read, and what was found. The parcel of LOAD and LOADED.
struct slice {
    struct parcel base;
    enum slice_kind kind;
    key_tag_t tag; // of `low`: the first of those that are read
    uint16_t part;
    uint64_t scene_id;
    struct key low;  // first key to read
    struct key high; // first key not to read
    // found:
    enum store_result result;
    size_t bytes; // of SLICE_KEYS: of the values that were looked at
    bool more;    // the limit was reached; the next slice begins at `low`, which was moved
    uint32_t count;
    const frozen_t *records[SLICE_LIMIT]; // of entities and uses, one reference each; else NULL
    struct key keys[SLICE_LIMIT];         // of all else; of SLICE_USES: of the index records
    struct key value;              // of SLICE_LOOKUP; of SLICE_SCENE: the fence, empty = none
    uint64_t numbers[SLICE_LIMIT]; // of SLICE_SCENE: the values of keys that are sums; of
                                   // SLICE_USES: the scene ids of objects
    // of SLICE_PLACES and SLICE_HELD: keys[i] is what is looked up in parts[i]; found is its value,
    // empty where absent; of SLICE_USES: keys[i] was found in parts[i]
    uint16_t parts[SLICE_LIMIT];
    // of SLICE_USES: the next part is so many further; the beginnings of the keys, by row
    uint16_t step;
    struct key prefixes[USE_ROWS];
    struct message *asker; // the request that waits for it, owned
};

// The first slice of what that kind reads of a scene; SLICE_KEYS: under the tag, which is 0 of the
// others.
struct slice *slice_of_scene(enum slice_kind kind, key_tag_t tag, uint16_t part, uint64_t scene_id);
// Whether no more than entities is left to be read for SLICE_WHOLE.
bool slice_has_come_to_entities(const struct slice *self);
// A look-up of one generated key.
struct slice *slice_of_lookup(uint16_t part, const struct text *key);
// Room for the look-ups of a request; takes it: *asker becomes NULL.
struct slice *slice_of_places(struct message **asker);
void slice_add_place(struct slice *self, uint16_t part, const struct text *key);
// The same for any keys.
struct slice *slice_of_held(struct message **asker);
void slice_add_key(struct slice *self, uint16_t part, struct key key);

// Where a use of an asset stands, in the order in which slices find them.
struct use_place {
    uint16_t part;
    struct key low; // of its index record; empty = before all of the part
};

// The uses of `asset` at and behind a place, of each `step`-th partition (use_slice.h). Takes the
// request that waits for it.
struct slice *slice_of_uses(const struct text *asset, const struct use_place *from, uint16_t step,
                            struct message **asker);
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
