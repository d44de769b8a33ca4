// solver_actor.h - the actor that solves how scenes relate. No request waits for it. Its mailbox is
// called "solver". Scene actors send it changed corrections. It publishes each solution in the
// atlas and tells the scene actors which scenes moved.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_ACTOR_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_ACTOR_H

#include "actors/alignment/atlas.h"
#include "actors/runtime/actor.h"

typedef struct solver_actor solver_actor_t;

struct solver_settings {
    atlas_t *atlas;         // borrowed
    unsigned shards;        // scene actors
    uint64_t start;         // epoch of this start: that of alignment counts on from it
    uint32_t confirm_users; // that a confident answer needs; 0 = there are no users
    const char *half_lives; // borrowed: of corrections by method, as the setting has them
};

fallible solver_actor_create(const struct solver_settings *settings, solver_actor_t **ret_actor);
// Says that requests are answered from now on, with a solution or without: scenes are told of each
// solution that is published later, also if it is the first. Any thread.
void solver_actor_serve(solver_actor_t *self);
// Breaks off a solve that runs.
void solver_actor_destroy(solver_actor_t **self, mailbox_t *from);

// Ids of scenes whose links moved. The parcel of ALIGNMENT_MOVED.
struct moved {
    struct parcel base;
    size_t count;
    uint64_t scene_ids[];
};

static inline const struct moved *
moved_of(const struct message *message)
{
    return (const struct moved *)(const void *)message->parcel;
}

#endif
