// entity_walk.h - goes through the entities of a scene in slices, in the order of kinds and keys,
// and finds them as they were when it began, whatever changes meanwhile: what it has not passed yet
// is kept as it was.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_WALK_H
#define DIORAMA_ACTORS_SCENE_ENTITY_WALK_H

#include "actors/runtime/actor.h"
#include "actors/runtime/record_set.h"
#include "actors/scene/entity/entity_kind.h"

struct scene_state;

// The work of a message: it ends with it.
struct entity_walk {
    struct parcel base;
    struct entity_walk *next;  // of those on the same scene
    struct scene_state *scene; // held
    unsigned place, end;       // of the kinds: the one it is at, and the first that it leaves out
    const frozen_t *passed;    // the last one of its kind that it found; NULL = none
    const frozen_t *held;      // the same between two slices, one reference
    // What has changed since it began, and is still before it:
    struct record_set before[ENTITY_KIND_COUNT]; // as it was
    struct record_set added[ENTITY_KIND_COUNT];  // was not there
    // Of the slice under way:
    const frozen_t *const *items, *const *before_items; // of its kind
    size_t count, before_count, index, before_index;
    size_t unwatched; // cost of what was done since the clock was read
};

// Begins to walk through the kinds from `place` to `end` - 1, or goes on in the next slice. The
// scene has its entities in memory. Fails with ERR_NOT_FOUND where it is not the one that the walk
// began in: that was deleted.
fallible entity_walk_resume(struct message *message, struct scene_state *scene, unsigned place,
                            unsigned end, struct entity_walk **ret_walk);
// The next entity, borrowed for this slice; NULL = there are no more.
const frozen_t *entity_walk_next(struct entity_walk *self);
// Whether the slice is over. `cost`: what was done with the last entity, about, in comparisons.
bool entity_walk_must_pause(struct entity_walk *self, const actor_t *actor, size_t cost);

// An entity of the scene, `old` (NULL = none), will be `now` (NULL = gone): walks that have not
// passed it keep it as it is. Only where the scene has walks.
void entity_walks_keep(const struct scene_state *scene, const frozen_t *old, const frozen_t *now);

#endif
