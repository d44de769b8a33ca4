// scene_create.h - a scene that did not exist: by its own request, or because a registration or the
// creation of an entity names it.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_CREATE_H
#define DIORAMA_ACTORS_SCENE_SCENE_CREATE_H

#include "proto/message/message.h"
#include "proto/records/scene.h"

struct shard;
struct scene_state;

enum { NEW_SCENE_BYTES = 1024 }; // more than a scene takes that has its defaults

// A loose scene with nothing but its key. It belongs to the caller.
struct scene *scene_with_defaults(struct message *message, const struct text *key);
// Whether this part of a request with an Idempotency-Key has made the scene when it came before.
bool scene_is_of_request(const struct scene *scene, const struct message *message);
// Stages its creation, which `message` asks for and is told by; one write. Borrowed.
struct scene_state *scene_stage_new(struct shard *self, struct message *message,
                                    const struct scene *scene);
// Whether the caller may have the scene that scenes_latest_or_new would make; `scene` is the one
// that there is, or NULL.
fallible scene_check_new(struct shard *self, struct message *message,
                         const struct scene_state *scene);
// The scene with this key as it will be; stages its creation where it is absent.
struct scene_state *scenes_latest_or_new(struct shard *self, struct message *message,
                                         const struct text *key);

#endif
