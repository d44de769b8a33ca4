// bulk_steps.h - what a request that changes many things of a scene (proto/records/bulk.h) does,
// one step for each thing. Each step is decided by the newest state of its thing. That may take
// several turns, so a step remembers which state that was, and is decided again where there is a
// newer one.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_BULK_STEPS_H
#define DIORAMA_ACTORS_SCENE_ENTITY_BULK_STEPS_H

#include "actors/scene/entity/entity_kind.h"
#include "actors/scene/entity/lock_rules.h"

struct bulk;

// A list of the request, and what is done to what it names.
struct bulk_list {
    const char *name;               // in the body
    const struct entity_kind *kind; // of the things
    enum operation as;              // the operation on one of them that does the same
};

struct bulk_step {
    const struct bulk_list *list;
    uint32_t index;      // in the list
    struct record *edit; // NULL: the thing is deleted
    struct lock_claim claim;
    const struct text *key; // of the thing; NULL: of a new one that chose none
    const frozen_t *before; // by which it is decided, one reference; NULL: none yet, or it is new
    struct record *after;   // what it becomes, loose; NULL: nothing
    size_t bytes;           // that this takes
    size_t more;            // that its payer has to pay in addition
    bool is_decided;
};

struct bulk_steps {
    size_t count;
    struct bulk_step items[];
};

// The steps of a request, in the order in which it does them: all creations, updates and deletions
// of objects, then those of properties. Free them with bulk_steps_destroy. Fails with ERR_INVALID:
// too many, or two of one thing; ERR_MISSING: an update without a key.
fallible bulk_steps_new(struct message *message, const struct bulk *bulk,
                        struct bulk_steps **ret_steps);
void bulk_steps_destroy(struct bulk_steps **self);
// Forgets what was decided: it was in another scene.
void bulk_steps_forget(struct bulk_steps *self);

// The key of what a step makes: that of what it was decided to make, else the one that it chose, or
// a fresh one, the same whenever a request with a seed runs.
const struct text *bulk_step_new_key(struct message *message, const struct bulk_steps *steps,
                                     const struct bulk_step *step);

// Decides a step, if its thing is in another state than when it was decided. `*ret_is_new`: it was.
// Fails with what the operation on this thing alone would fail with, at the step's place in the
// body.
fallible bulk_step_decide(struct shard *shard, struct message *message,
                          const struct bulk_steps *steps, struct scene_state *scene,
                          struct bulk_step *step, bool *ret_is_new);

// Writes of one step, at most: itself, its look-up, an effect, the sum of who paid before, its
// lease.
enum { BULK_STEP_WRITES = 5 };

// Stages a decided step.
void bulk_step_stage(struct shard *shard, struct message *message, struct scene_state *scene,
                     const struct bulk_step *step);

#endif
