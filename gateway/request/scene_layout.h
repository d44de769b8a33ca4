// scene_layout.h - what a picture of a whole scene needs, from several actors: the scene, its
// objects, and the files that they show. Pure: actor_client asks.
#ifndef DIORAMA_GATEWAY_REQUEST_SCENE_LAYOUT_H
#define DIORAMA_GATEWAY_REQUEST_SCENE_LAYOUT_H

#include "proto/base/limits.h"
#include "proto/base/table.h"
#include "proto/message/message.h"

enum { LAYOUT_OBJECTS_MOST = 10 * LIMIT_RECORDS }; // of a scene that are looked at

// Asks one question and waits; *question is the answer then.
typedef enum error layout_ask(void *context, struct message **question);

// Fills the reply of the message with the scene; with the scene that it is to be placed in and the
// relation to it, where it names one; with the objects; and with the first asset of each, of those
// that the caller may read, each once. A part of a tileset (`node`) is not placed. A refusal of an
// actor is that of the reply.
fallible scene_layout_gather(struct message *message, layout_ask *ask, void *context);

// Whether it is to be placed in another scene, and where that is.
bool scene_layout_is_placed(const struct params *params);

// The key of the file that an object shows; NULL if it shows none.
const struct text *scene_layout_asset(const struct record *object);

// A table of assets by their keys, which a list of keys may be looked up in: records, borrowed.
const struct record *scene_layout_find(const struct table *assets, const struct text *key);
void scene_layout_index(struct table *assets, const struct record *asset);

#endif
