// scene_staging.h - how a change of a scene, or of what is in it, is staged and told: every handler
// of the scene actor that writes or answers goes through these functions.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_STAGING_H
#define DIORAMA_ACTORS_SCENE_SCENE_STAGING_H

#include "actors/runtime/staging.h"
#include "actors/scene/scene_family.h"
#include "proto/message/message.h"

struct shard;
struct scene_state;

enum { WRITE_BYTES = 1024 }; // more than a deletion or a small record takes

// Parks the message where the filling batch has no room for `operations` writes of about `bytes`.
fallible shard_make_room(struct shard *self, struct message *message, size_t operations,
                         size_t bytes);
// The same for a request that needs the entities of `scene` (NULL = a new one): they stay in memory
// until it has run again, so that it is not overtaken for ever while they are read again.
fallible shard_make_room_in(struct shard *self, struct message *message, struct scene_state *scene,
                            size_t operations, size_t bytes);
// The same for a request that cannot be parted: it may fill a commit of its own
// (staging_has_room_apart).
fallible shard_make_room_apart(struct shard *self, struct message *message,
                               struct scene_state *scene, size_t operations, size_t bytes);

// Stages a put of `record` (loose or frozen, of the schema of `tag`) over `before` (NULL = new);
// its event will be `msg_type`. Returns the frozen record, borrowed.
const frozen_t *shard_stage_put(struct shard *self, struct scene_state *scene, key_tag_t tag,
                                const struct record *record, const frozen_t *before,
                                uint8_t msg_type);
// The same for what came by UDP: while `before` is staged, it becomes visible with that. Where it
// names other assets, it becomes visible with its own commit, which has its index records.
void shard_stage_follower(struct shard *self, struct scene_state *scene, key_tag_t tag,
                          const struct record *record, const frozen_t *before, uint8_t msg_type);
// The same of an object whose lock changes; `reason` (enum event_reason) is why it ended.
const frozen_t *shard_stage_lock(struct shard *self, struct scene_state *scene,
                                 const struct record *record, const frozen_t *before,
                                 uint8_t msg_type, uint8_t reason);
// Stages the removal of `before`.
void shard_stage_delete(struct shard *self, struct scene_state *scene, key_tag_t tag,
                        const frozen_t *before, uint8_t msg_type);

// Answers the message once everything staged so far is durable. Always returns PARKED.
enum error shard_answer_durable(struct shard *self, struct message *message);

// A number for this moment. It rises, over restarts too, and is above 0.
int64_t shard_moment(const struct shard *self);

// Numbers an event of the scene and puts it into this turn's list. What is no change of the scene
// (EVENT_DEVICE_KNOWN, EVENT_LOCK_ASKED) has the number of the newest one.
void shard_emit(struct shard *self, struct scene_state *scene, const frozen_t *record,
                uint8_t msg_type);
// The same with a reason (enum event_reason).
void shard_emit_why(struct shard *self, struct scene_state *scene, const frozen_t *record,
                    uint8_t msg_type, uint8_t reason);

// The same for a change that was staged: with the reason that it has. Its listeners' answers tell
// the number.
void shard_emit_change(struct shard *self, const struct change *change, const frozen_t *record);

// Sends the message to the streamer, which sends it back when it has got so far: the next slice of
// many events waits for those before it. PARKED.
enum error shard_wait_for_streamer(struct shard *self, struct message *message);

// Writes into the answer's envelope the number of the newest event that its state includes: a
// client that joins drops the events up to it, and misses none.
void shard_tell_place(const struct shard *self, const struct scene_state *scene,
                      struct message *message);

// The same into the answer of a write, which shows an entity in its newest state, staged or not:
// the number of the event that brings it about, even where others come before the answer.
void shard_tell_place_of(struct shard *self, struct scene_state *scene, key_tag_t tag,
                         const struct text *key, struct message *message);

#endif
