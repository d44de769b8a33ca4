// relation_actor.h - the actor that answers how scenes relate, with all links and how sure each is.
// This takes milliseconds a link in a large component, too long for a scene actor. Its mailbox is
// called "surveyor", which is also its label in metrics. The gateway asks for the relation of two
// scenes (ALIGNMENT_RELATE). A scene actor asks for the relations of one scene (RELATIONS_REPORT)
// and passes the scene's corrections, which it owns.
#ifndef DIORAMA_ACTORS_ALIGNMENT_RELATION_ACTOR_H
#define DIORAMA_ACTORS_ALIGNMENT_RELATION_ACTOR_H

#include "actors/alignment/atlas.h"
#include "actors/runtime/actor.h"
#include "actors/runtime/record_set.h"

typedef struct relation_actor relation_actor_t;

// The atlas is borrowed.
fallible relation_actor_create(atlas_t *atlas, relation_actor_t **ret_actor);
void relation_actor_destroy(relation_actor_t **self, mailbox_t *from);

// A scene, its corrections in the order in which they came, and the request that waits for the
// answer. The parcel of RELATIONS_REPORT and of RELATIONS_REPORTED.
struct relations_report {
    struct parcel base;
    uint64_t scene_id;
    struct message *request; // owned; the answer is written into it
    size_t count;
    const frozen_t *corrections[]; // one reference each
};

// Takes the request: *request becomes NULL.
struct relations_report *relations_report_create(uint64_t scene_id, struct record_set *corrections,
                                                 struct message **request);

static inline struct relations_report *
relations_report_of(struct message *message)
{
    return (struct relations_report *)(void *)message->parcel;
}

#endif
