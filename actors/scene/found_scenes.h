// found_scenes.h - the first of the scenes that a query finds, nearest first. It is put in order in
// slices. Plain data of the scene actor; it borrows the records.
#ifndef DIORAMA_ACTORS_SCENE_FOUND_SCENES_H
#define DIORAMA_ACTORS_SCENE_FOUND_SCENES_H

#include "actors/runtime/actor.h"
#include "proto/base/table.h"
#include "proto/record/record_packed.h"

// A scene that a filter found.
struct found {
    double distance_km; // infinite where the filter has no point
    const packed_t *record;
};

// What putting in order does next, and where it is.
struct found_sorting {
    enum { FOUND_IS_IDLE, FOUND_SORTS_RUNS, FOUND_MERGES, FOUND_DROPS } step;
    struct found *spare; // as large as the items
    size_t width;        // of the runs that are in order
    size_t begin;        // of the run, or of the pair of runs, that is next
    size_t left, right;  // what was merged of the pair
    size_t to;           // where the next one goes
    struct table seen;   // records of scenes that stand in front, by their keys
};

// All of the first `wanted` in the order of the answer, perhaps others, and scenes that were found
// several times. Its owner fills in `wanted`, and `limit_km` with infinity; the rest is zero.
struct found_scenes {
    size_t wanted;    // at least 1
    double limit_km;  // whatever is further away comes after the first `wanted`
    bool has_doubles; // a scene may be found several times, in several records
    struct found *items;
    size_t count, capacity;
    struct found_sorting sorting;
};

void found_scenes_finish(struct found_scenes *self);

// Not while it is put in order.
void found_scenes_add(struct found_scenes *self, const packed_t *record, double distance_km);

// Whether it is to be put in order before it takes another block of a map: it keeps room for twice
// what is wanted, so that this costs little per scene.
bool found_scenes_is_full(const struct found_scenes *self);

// Leaves the first `wanted`, each scene once and in order: nearest first, then by key, and of a
// scene that was found several times the nearest. False: the slice is over, and it goes on when it
// is called again.
bool found_scenes_settle(struct found_scenes *self, const actor_t *actor);

#endif
