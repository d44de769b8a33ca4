// scene_walk.h - one list of what is in all scenes that somebody may see: scene after scene, in the
// order of their keys. Who asks the actors (actor_client) gets the questions here, one after
// another, and brings the answers. A page holds no more than its records and the keys of some
// scenes. Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_SCENE_WALK_H
#define DIORAMA_GATEWAY_REQUEST_SCENE_WALK_H

#include "proto/message/list_query.h"

struct scene_walk {
    struct message *message;   // the request, whose reply is filled
    struct message *scenes;    // a page of scenes: the walk is in one of them; NULL = none is read
    struct list_query query;   // of that list
    uint32_t at;               // the scene of the page that is next
    const struct text *key;    // of the scene that the page before ended in, else NULL
    const struct text *behind; // cursor of the list of scenes
    const struct text *within; // cursor within the scene that is next; NULL = from its beginning
    bool is_over;              // there is no other scene
};

// Begins where the request says, which its message is asked for. Fails with ERR_INVALID at /after.
fallible scene_walk_begin(struct scene_walk *self, struct message *message);
void scene_walk_finish(struct scene_walk *self);

// The next question; NULL: the page is full, or there is nothing else.
struct message *scene_walk_ask(struct scene_walk *self);

// Takes its answer: *answer becomes NULL. What is not there any more is passed over; another
// failure becomes that of the request, and ends the walk.
void scene_walk_take(struct scene_walk *self, struct message **answer);

// Writes where the next page begins, if there is one.
void scene_walk_end(struct scene_walk *self);

#endif
