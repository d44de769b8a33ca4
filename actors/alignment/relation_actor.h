// relation_actor.h - the actor that says how scenes relate, with all links and how sure each is.
// Which takes milliseconds a link in a large component: too long for scene actors. Its mailbox is
// called "relation_actor". Relations of two scenes it is asked by the gateway; what is known of a
// scene by the scene actor, which has its corrections.
#ifndef DIORAMA_ACTORS_ALIGNMENT_RELATION_ACTOR_H
#define DIORAMA_ACTORS_ALIGNMENT_RELATION_ACTOR_H

#include "actors/runtime/actor.h"
#include "actors/alignment/atlas.h"
#include "actors/runtime/record_set.h"

typedef struct relation_actor relation_actor_t;

// The atlas is borrowed.
fallible relation_actor_create(atlas_t *atlas, relation_actor_t **ret_actor);
void relation_actor_destroy(relation_actor_t **self, mailbox_t *from);

// A scene and its corrections, in the order in which they came. The parcel of SURVEY and SURVEYED.
struct survey {
    struct parcel base;
    uint64_t scene_id;
    struct message *asker; // the request that waits for it, owned: the answer is written into it
    size_t count;
    const struct record *corrections[]; // one reference each
};

// Takes the asker: *asker becomes NULL.
struct survey *survey_create(uint64_t scene_id, struct record_set *corrections,
                             struct message **asker);

static inline struct survey *
survey_of(struct message *message)
{
    return (struct survey *)(void *)message->parcel;
}

#endif
