// bulk_conditions.h - the states that things of a scene must be in for a bulk request: its `if`.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_BULK_CONDITIONS_H
#define DIORAMA_ACTORS_SCENE_ENTITY_BULK_CONDITIONS_H

#include "actors/runtime/sliced_tag.h"
#include "actors/scene/entity/entity_kind.h"

struct bulk_condition;

// How far the request is with one.
struct bulk_check {
    const struct bulk_condition *of;
    const struct text *tags; // as a list of tags
    const frozen_t *met_by;  // the state that it is in, one reference; NULL: not known yet
};

struct bulk_checks {
    const frozen_t *begun; // whose tag is being worked out, one reference; or NULL
    struct sliced_tag tag;
    size_t count;
    struct bulk_check items[];
};

// The conditions of a request (NULL = none). Fails with ERR_INVALID: a text that is no tag.
fallible bulk_checks_new(struct message *message, const struct records *conditions,
                         struct bulk_checks **ret_checks);
void bulk_checks_destroy(struct bulk_checks **self);
void bulk_checks_forget(struct bulk_checks *self);

// Compares each thing that is in another state than when it was compared. Fails with
// ERR_PRECONDITION. False in `*ret_are_done`: the actor must pause.
fallible bulk_checks_go_on(struct bulk_checks *self, struct shard *shard, struct message *message,
                           const struct scene_state *scene, bool *ret_are_done);

#endif
