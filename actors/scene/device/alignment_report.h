// alignment_report.h - what a scene actor tells of how scenes relate.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_ALIGNMENT_REPORT_H
#define DIORAMA_ACTORS_SCENE_DEVICE_ALIGNMENT_REPORT_H

#include "actors/runtime/actor.h"

struct shard;
struct scene_state;

// Emits event 45: a device corrected its transform, or (NULL) links of the scene moved.
void alignment_emit(struct shard *self, struct scene_state *scene, const struct record *device);
enum error alignment_get(actor_t *actor, struct message *message);
enum error alignment_reported(actor_t *actor, struct message *message);
enum error alignment_moved(actor_t *actor, struct message *message);

#endif
