// scene_index.h - the scenes of one scene actor by key and place, and who may reach them. Each
// handler that works for a client gets its scene through scene_to_read or scene_to_write, an entity
// through entity_find or entity_latest.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_INDEX_H
#define DIORAMA_ACTORS_SCENE_SCENE_INDEX_H

#include "proto/message/message.h"

struct shard;
struct scene;
struct scene_state;

// The record of the durable scene with this key, awake or at rest; NULL where there is none.
const packed_t *scenes_known(const struct shard *self, const struct text *key);
// The durable scene with this key, for readers; NULL where there is none, or where it is at rest
// (scene_rest.h): that of the message that is being done is awake.
struct scene_state *scenes_find(const struct shard *self, const struct text *key);
// The scene with this key as it will be, for writers; NULL where there is none.
struct scene_state *scenes_latest(const struct shard *self, const struct text *key);
// The scene's record as it will be.
const frozen_t *scene_latest_record(const struct shard *self, const struct scene_state *scene);

// Where in the catalogue the scene with this key stands, or would stand.
size_t scenes_place(struct shard *self, const struct text *key);

// Whether its delete is staged, or done.
bool scene_is_deleting(const struct shard *self, const struct scene_state *scene);

// Whether the caller may do with the scene what the message's operation asks (access_item.h). For
// readers the record decides as it is, for writers as it will be; once for all that is in the
// scene. Fails with ERR_NOT_FOUND also where `scene` is NULL; the answer calls it `key`.
fallible scene_to_read(struct shard *self, const struct message *message, const struct text *key,
                       const struct scene_state *scene);
fallible scene_to_write(struct shard *self, const struct message *message, const struct text *key,
                        const struct scene_state *scene);
// Whether a request, some of whose slices are durable, goes on in the scene that they went into
// (message->scene_id): not in another one that has its key now. scene_to_write asks it too. Fails
// with ERR_NOT_FOUND. `scene` may be NULL.
fallible scene_check_slice(const struct message *message, const struct scene_state *scene);
// The durable scene that the slices of a request went into, for its answer. Fails with
// ERR_NOT_FOUND where another one has its key now, or the caller may not see it any more.
fallible scene_to_show(struct shard *self, const struct message *message,
                       struct scene_state **ret_scene);
// Whether there is a scene that the caller may read, as it will be.
bool scene_shows(const struct shard *self, const struct message *message,
                 const struct scene_state *scene);
// Whether the caller may read a scene with this record.
bool scene_is_seen(const struct caller *caller, const struct record *scene);

// A durable scene that was read is awake from now on; and is not any more.
void scenes_enter(struct shard *self, struct scene_state *scene);
void scenes_leave(struct shard *self, struct scene_state *scene);
// Puts all scenes of the catalogue on the map, which is empty.
void scenes_fill_map(struct shard *self);
// Enters a durable scene that was made now, and is awake, into the index.
void scenes_index(struct shard *self, struct scene_state *scene);
// The same for a scene that is in it and has another record now.
void scenes_reindex(struct shard *self, struct scene_state *scene);
void scenes_unindex(struct shard *self, struct scene_state *scene);

#endif
