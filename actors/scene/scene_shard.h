// scene_shard.h - the state of one scene actor: the only writer of its partitions (architecture,
// "State, partitions, keys"). Shared by the files that do its work; nobody else includes it.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_SHARD_H
#define DIORAMA_ACTORS_SCENE_SCENE_SHARD_H

#include "actors/alignment/correction_changes.h"
#include "actors/alignment/scene_relations.h"
#include "actors/runtime/actor.h"
#include "actors/runtime/commit_pipeline.h"
#include "actors/runtime/outbox.h"
#include "actors/runtime/preconditions.h"
#include "actors/runtime/record_set.h"
#include "actors/runtime/staging.h"
#include "actors/scene/entity/entity_kind.h"
#include "actors/scene/event_history.h"
#include "actors/scene/geo_index.h"
#include "actors/scene/scene_actor.h"
#include "actors/scene/scene_loader.h"
#include "actors/scene/scene_preconditions.h"
#include "proto/config/config.h"
#include "proto/feed/event.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

enum cache_state { SCENE_ON_DISK, SCENE_LOADING, SCENE_IN_MEMORY };

// A scene: its record, devices and evidence are always in memory, what lives in it (kind.h) while
// it is cached.
struct scene_state {
    unsigned holds;         // the index, each change and each dirty object hold it
    const struct text *key; // owned
    uint64_t id;            // internal, chosen at creation
    uint16_t part;
    enum cache_state cache_state;
    bool is_indexed;             // its creation is durable, its deletion is not
    bool is_doomed;              // a delete is staged
    uint64_t seq;                // of its newest event
    const struct record *record; // frozen struct scene; NULL until its creation is durable
    struct record_set devices;
    struct record_set evidence; // frozen struct correction_record
    struct record_set entities[ENTITY_KIND_COUNT];
    size_t bytes;                      // of the cached entities
    struct message_queue waiting;      // for the entities
    struct scene_state *older, *newer; // cached scenes, by last use
    struct event_history *history;     // while somebody watches it
};

// An entity whose newest state, received by UDP, is not on disk yet.
struct dirty {
    struct scene_state *scene;   // held
    const struct record *record; // one reference: the newest state
};

// What a feed token gives: the right to change what is in a scene, as a device that is in it.
struct token_grant {
    const struct scene_state *scene;
    const struct record *device; // one reference
};

// Whether the store takes writes.
struct store_health {
    enum store_result result; // STORE_OK, or why the last commit was refused
    uint64_t noted_ms;        // when that was
    bool is_doubted;          // somebody asked, and that is long ago
};

struct shard {
    actor_t base;
    store_t *store; // read at the start only; afterwards through committer and loader
    char loader[MAILBOX_NAME_SIZE];
    struct shard_settings settings;
    uint64_t next_id; // of messages to the loader
    uint64_t stop_deadline_ms;

    struct table scenes;              // struct scene_state of durable scenes by key
    struct record_set catalogue;      // their records
    struct geo_index_index map;       // those of scenes that have a place on it
    struct table entities;            // cached entities with a generated key, by it
    struct table tokens;              // struct token_grant by the hash of its token
    size_t counts[ENTITY_KIND_COUNT]; // of all cached entities
    struct table loading;             // struct scene_state by id, cache_state SCENE_LOADING
    struct table lookups;             // struct lookup by id
    uint64_t seq_floor;    // newest seq of a deleted scene: a new one counts on from here
    size_t scenes_on_disk; // how many scenes are not cached
    struct scene_state *oldest, *newest; // cached scenes, by last use
    size_t bytes;                        // of all cached entities

    struct staging staging;
    struct commit_pipeline pipeline;
    struct outbox outbox;
    struct correction_changes *changes; // of corrections, to the solver
    struct scene_relations relations;   // how scenes relate, for answers
    size_t corrections;                 // of all scenes
    struct store_health health;
    struct table dirty;               // struct dirty by key
    uint64_t dirty_deadline_ms;       // when the oldest dirty entity must be on its way; 0 = none
    struct events *events;            // of this turn, in order
    struct event_histories histories; // of the scenes that somebody watches
    struct sweep *sweeps;             // of deleted scenes, the first one under way
    uint64_t sweep_retry_ms;          // after a failure; 0 = none

    struct {
        uint64_t scenes, scenes_loaded, entities[ENTITY_KIND_COUNT], bytes, corrections;
    } told; // to the metrics, of what this shard holds
};

static inline struct shard *
shard_of(actor_t *actor)
{
    return (struct shard *)(void *)actor;
}

// --- changes.c: staging, landing, telling ---

// Parks the message where the filling batch has no room for `operations` writes of about `bytes`.
fallible shard_make_room(struct shard *self, struct message *message, size_t operations,
                         size_t bytes);

// Stages a put of `record` (loose or frozen, of the schema of `tag`) over `before` (NULL = new);
// its event will be `msg_type`. Returns the frozen record, borrowed.
const struct record *shard_stage_put(struct shard *self, struct scene_state *scene, key_tag_t tag,
                                     const struct record *record, const struct record *before,
                                     uint8_t msg_type);
// Stages the removal of `before`.
void shard_stage_delete(struct shard *self, struct scene_state *scene, key_tag_t tag,
                        const struct record *before, uint8_t msg_type);

// Answers the message once everything staged so far is durable. Always returns PARKED.
enum error shard_answer_durable(struct shard *self, struct message *message);

// Numbers an event of the scene and puts it into this turn's list.
void shard_emit(struct shard *self, struct scene_state *scene, const struct record *record,
                uint8_t msg_type);

// The answer's envelope says behind which event of the scene its state stands: whoever joins drops
// what they hear up to there, and misses nothing.
void shard_tell_place(const struct shard *self, const struct scene_state *scene,
                      struct message *message);

// What this shard holds, as it is now.
void shard_tell_metrics(struct shard *self);

extern const struct commit_behaviour shard_commits;

// Sends the filling batch to the committer where none is committing.
void scene_changes_turn(struct shard *self);
// COMMITTED: makes the changes visible and answers, or drops them.
enum error scene_changes_committed(actor_t *actor, struct message *message);

// --- health.c: whether the store takes writes ---
bool store_health_is_good(const struct shard *self);
// What the newest commit said.
void store_health_note(struct shard *self, enum store_result result);
// Whether a commit is wanted only to know, said once.
bool store_health_wants_commit(struct shard *self);
enum error store_health_ping(actor_t *actor, struct message *message);

// --- scene cache.c: which scenes have their entities in memory ---

// The state of a scene record that is not applied yet, with one hold, yours.
struct scene_state *scene_state_create(const struct scene *scene);
void scene_hold(struct scene_state *scene);
// Frees it with the last hold.
void scene_release(struct scene_state **scene);

// Parks the message until the scene's entities are in memory; OK where they are. Marks the use.
fallible scene_cache_need(struct shard *self, struct scene_state *scene, struct message *message);

// Finds where a generated key lives that is not in memory: parks the message, or ERR_NOT_FOUND.
fallible scene_cache_look_up(struct shard *self, const struct entity_kind *kind,
                             const struct text *key, struct message *message);

enum error scene_cache_loaded(actor_t *actor, struct message *message);

// The scene is in use now: of those in memory it goes last.
void scene_cache_mark_use(struct shard *self, struct scene_state *scene);
// A fresh scene has its (no) entities in memory from the start.
void scene_cache_admit_new(struct shard *self, struct scene_state *scene);
// Drops the entities of a deleted scene; what waited for them runs again when its commit is
// applied.
void scene_cache_forget(struct shard *self, struct scene_state *scene);
// Lets the least recently used clean scenes go while more than scene.memory is cached.
void scene_cache_evict(struct shard *self);
void scene_cache_finish(struct shard *self);

// --- cached entities.c: the entities in memory ---

// The cached entity with this generated key, or NULL.
const struct record *entity_cache_find(const struct shard *self, const struct entity_kind *kind,
                                       const struct text *key);
// Whether a cached entity of any kind has this generated key.
bool entity_cache_is_known(const struct shard *self, const struct text *key);
// Whether the entity, in whatever state, is cached.
bool entity_cache_has(const struct shard *self, const struct scene_state *scene,
                      const struct record *entity);
// Puts or replaces one.
void entity_cache_put(struct shard *self, struct scene_state *scene, const struct record *entity);
void entity_cache_remove(struct shard *self, struct scene_state *scene,
                         const struct record *entity);
// Removes all of a scene.
void entity_cache_drop(struct shard *self, struct scene_state *scene);

// --- scenes.c ---

// The durable scene with this key, for readers; NULL where there is none.
struct scene_state *scenes_find(const struct shard *self, const struct text *key);
// The scene with this key as it will be, for writers; NULL where there is none.
struct scene_state *scenes_latest(const struct shard *self, const struct text *key);
// The scene's record as it will be.
const struct record *scene_latest_record(const struct shard *self, const struct scene_state *scene);
// Whether the caller may do with the scene what the message's operation asks (access.h), by its
// record as it is for readers, as it will be for writers; once for all that is in the scene. Fails
// with ERR_NOT_FOUND also where `scene` is NULL; `key` is how the answer calls it. Each handler
// that works for a client comes to its scene through one of the two, for entities by entity_find
// and entity_latest.
fallible scene_to_read(struct shard *self, const struct message *message, const struct text *key,
                       const struct scene_state *scene);
fallible scene_to_write(struct shard *self, const struct message *message, const struct text *key,
                        const struct scene_state *scene);
// Whether the caller may read a scene with this record.
bool scene_is_seen(const struct caller *caller, const struct record *scene);
// scenes_latest, and creates the scene with nothing but its key where it is absent.
struct scene_state *scenes_latest_or_new(struct shard *self, struct message *message,
                                         const struct text *key);
// Enters a durable scene into the index.
void scenes_index(struct shard *self, struct scene_state *scene);
// The same for a scene that is in it; `old` was its record.
void scenes_reindex(struct shard *self, struct scene_state *scene, const struct record *old);
void scenes_unindex(struct shard *self, struct scene_state *scene);

enum error scene_put(actor_t *actor, struct message *message);
enum error scene_create(actor_t *actor, struct message *message);
enum error scene_update(actor_t *actor, struct message *message);
enum error scene_get(actor_t *actor, struct message *message);
enum error scene_delete(actor_t *actor, struct message *message);
enum error scene_add_asset(actor_t *actor, struct message *message);
enum error scene_drop_asset(actor_t *actor, struct message *message);

// --- watching.c ---
enum error scene_watch(actor_t *actor, struct message *message);

// --- locate.c ---
enum error locate(actor_t *actor, struct message *message);
// The look-ups of a request came.
enum error locate_loaded(struct shard *self, struct message *message);

// --- scene_query.c ---
enum error scene_query(actor_t *actor, struct message *message);

// --- finding.c: entities by their keys ---

// The durable entity with this key, for readers: a generated key is found whatever scene the URL
// names, a chosen one in that scene only. ERR_NOT_FOUND, or PARKED while its scene is being read.
fallible entity_find(struct shard *self, struct message *message, const struct entity_kind *kind,
                     const struct text *key, const struct record **ret_entity);
// The same as it will be, for writers, and its scene.
fallible entity_latest(struct shard *self, struct message *message, const struct entity_kind *kind,
                       const struct text *key, struct scene_state **ret_scene,
                       const struct entity **ret_entity);
// Whether the entity (as it will be) has a change that is not durable yet.
bool entity_is_staged(const struct shard *self, const struct scene_state *scene,
                      const struct record *entity);
// The entity with this key in a scene that is in memory, as it will be; NULL where there is none.
const struct record *entity_latest_in_scene(const struct shard *self,
                                            const struct entity_kind *kind,
                                            const struct scene_state *scene,
                                            const struct text *key);

// --- entities.c: what lives in scenes, of whatever kind ---

// What a change makes of an entity: a loose record of the kind's schema. Where nothing is to be
// changed, `*ret_changed` stays NULL.
typedef enum error entity_editor(struct message *message, const struct entity_kind *kind,
                                 const struct entity *stored, struct record **ret_changed);

// The loose result of an edit (`stored` NULL = of a new entity): composed and merged.
fallible entity_edited(struct arena *arena, const struct entity_kind *kind,
                       const struct entity *stored, const struct record *edit, enum list_mode mode,
                       const char *pointer, struct record **ret_entity);
// A loose entity has these actions from now on.
void entity_set_actions(struct record *entity, const struct records *actions);
// Whether a loose entity may be stored: ERR_TOO_LARGE. How many bytes it will take (NULL = who
// cares).
fallible entity_check_size(const struct entity_kind *kind, const struct record *entity,
                           size_t *ret_bytes);

bool entity_is_creation(const struct message *message);
// A slice of a creation is durable: whether there is another one.
bool entity_creation_goes_on(struct message *message);
// A creation ends with `error`: where earlier slices stand, its detail tells how many records.
enum error entity_creation_ends(const struct message *message, enum error error);

enum error entity_create(actor_t *actor, struct message *message);
enum error entity_change(actor_t *actor, struct message *message);
enum error entity_get(actor_t *actor, struct message *message);
enum error entity_delete(actor_t *actor, struct message *message);
enum error entity_query(actor_t *actor, struct message *message);

// --- objects.c: what only objects do ---
entity_editor object_with_asset, object_without_asset;

// --- animations.c: actions and keyframes of entities ---
entity_editor action_put, action_update, action_drop;
entity_editor keyframe_put, keyframe_update, keyframe_drop;
// What a datagram of the msg_type `event` makes of an entity: updates of actions or of keyframes,
// all of which exist (ERR_NOT_FOUND).
fallible animation_edited(struct arena *arena, const struct entity_kind *kind,
                          const struct entity *stored, const struct record *edit, uint8_t event,
                          struct record **ret_changed);

// --- locks.c ---

// Whether `device` may change the object; with locks.enforce only the holder may.
fallible lock_permits(struct shard *self, struct message *message, const struct object *object,
                      const struct text *device);
// Stages the release of the object's lock, whoever holds it.
void lock_release(struct shard *self, struct message *message, struct scene_state *scene,
                  const struct object *object);
enum error object_lock(actor_t *actor, struct message *message);
enum error object_unlock(actor_t *actor, struct message *message);

// --- registrations.c ---
enum error device_register(actor_t *actor, struct message *message);
enum error device_deregister(actor_t *actor, struct message *message);
enum error device_align(actor_t *actor, struct message *message);
// The device as it will be in the scene, or NULL.
const struct record *device_latest(struct shard *self, struct scene_state *scene,
                                   const struct text *key);
// Stages that a device leaves; two writes.
void device_stage_departure(struct shard *self, struct message *message, struct scene_state *scene,
                            const struct record *device);
// A slice of the request's devices is durable: whether there is another one.
bool registration_goes_on(struct message *message);
// Puts the scene's devices as they will be into `set`, which is empty.
void devices_latest(struct shard *self, struct scene_state *scene, struct record_set *set);

// --- presence.c: what answers show of the devices in a scene ---
// A loose copy of a scene's record, in the message's arena, with these devices as the caller may
// see them.
struct scene *scene_with_devices(struct shard *self, struct message *message,
                                 const struct record *scene, struct record_set *devices);
// Writes the answer of register, align and deregister, from what is durable now.
void registration_reply(struct shard *self, struct message *message);

// --- axes.c: devices whose axes are not those of scenes (proto/convention.h) ---
// The axes of a device that is registered; NULL: those of scenes. `device` may be NULL.
const struct convention *device_convention(const struct record *device);
// Fails with ERR_INVALID where the device, at `pointer`, names axes that there are not.
fallible device_check_convention(struct message *message, const struct device *request,
                                 const char *pointer);
// The transform that the request has becomes that of `merged`, the device as it will be, in the
// axes of scenes.
void device_settle_axes(struct message *message, const struct device *request,
                        struct record *merged);
// The axes that register, align and deregister are answered in: those of their first device.
const struct convention *registration_convention(const struct message *message,
                                                 const struct scene_state *scene);
// An edit by UDP in the axes of scenes: a copy in the arena, or the edit itself where the sender
// (NULL = nobody knows) has no others.
const struct record *edit_settle_axes(struct arena *arena, const struct record *edit,
                                      const struct record *sender);

// --- corrections.c: what devices said of where they stand ---
enum { CORRECTION_WRITES = 3 }; // at most, of correction_stage

// The correction with this id as it will be, or NULL.
const struct record *correction_latest(const struct shard *self, const struct scene_state *scene,
                                       const struct text *id);
// Stages the correction that the transform of `device` (loose, as it will be) is, and names it
// there. There is room for CORRECTION_WRITES; the device itself is for the caller to stage,
// afterwards.
void correction_stage(struct shard *self, struct message *message, struct scene_state *scene,
                      struct record *device);
// Stages the end of the registration of a device, as its newest correction says it; one write.
void correction_stage_end(struct shard *self, struct message *message, struct scene_state *scene,
                          const struct record *device);
// How sure a device's transform is, as it says itself or as is taken for granted.
void correction_sigmas(const struct record *device, double *ret_sigma_t_m, double *ret_sigma_r_rad);
// A change of a correction is durable.
void correction_apply(struct shard *self, struct scene_state *scene, const struct change *change);
// A correction was read at the start.
void correction_known(struct shard *self, struct scene_state *scene,
                      const struct record *correction);
// The scene is deleted, with all evidence and registrations.
void corrections_scene_gone(struct shard *self, struct scene_state *scene);
// A device is registered as the record says, or no more.
void corrections_device_here(struct shard *self, const struct scene_state *scene,
                             const struct record *device);
void corrections_device_gone(struct shard *self, const struct scene_state *scene,
                             const struct text *device);
// Sends what committed to the solver.
void corrections_tell(struct shard *self);
enum error alignment_pin(actor_t *actor, struct message *message);
enum error alignment_remove(actor_t *actor, struct message *message);

// --- derived.c: where devices stand that did not say so ---
struct derived_pose {
    const struct relation
        *relation;     // from the origin; borrowed until the next scene_relations_begin
    uint64_t origin;   // id of the scene that it starts from
    struct rigid pose; // device to scene coordinates
    double sigma_t_m;
    double sigma_r_rad;
};

// Where the device stands in the scene as follows from where it said to stand in another one, as
// far as the caller may know. False where nothing is known; `*ret_is_asked` = whether that was
// found out.
bool derived_pose_find(struct shard *self, const struct caller *caller, uint64_t scene_id,
                       const struct text *device, struct derived_pose *ret_derived,
                       bool *ret_is_asked);

// --- alignment_report.c: what is told of how scenes relate ---
// Emits event 45: a device corrected its transform, or (NULL) links of the scene moved.
void alignment_emit(struct shard *self, struct scene_state *scene, const struct record *device);
enum error alignment_get(actor_t *actor, struct message *message);
enum error alignment_reported(actor_t *actor, struct message *message);
enum error alignment_moved(actor_t *actor, struct message *message);

// --- departures.c: devices leave, their locks end ---
enum { RELEASED_PER_COMMIT = 300, DEPARTURE_WRITES = 900 };

// Stages the release of the locks of these devices in the scene, whose objects are in memory; there
// is room for RELEASED_PER_COMMIT. Where that is not enough the message waits for the next batch.
fallible departures_release(struct shard *self, struct message *message, struct scene_state *scene,
                            const struct record_set *leaving);
// Stages the departure of the devices that are not of the scene's owner; there is room for
// DEPARTURE_WRITES. The same where that is not enough.
fallible departures_hide(struct shard *self, struct message *message, struct scene_state *scene);
enum error device_expel(actor_t *actor, struct message *message);

// --- tokens.c: what feed tokens give ---

// What this token (NULL = none) gives, whatever the scene; NULL where it gives nothing.
const struct token_grant *token_index_find(const struct shard *self, const struct text *token);
// The device that this token (NULL = none) names in the scene; NULL where it names none.
const struct record *device_of_token(const struct shard *self, const struct scene_state *scene,
                                     const struct text *token);
// A registration is durable.
void token_index_put(struct shard *self, const struct scene_state *scene,
                     const struct record *device);
// It ended, or another one took its place.
void token_index_remove(struct shard *self, const struct record *device);
void token_index_end_scene(struct shard *self, struct scene_state *scene);
void token_index_finish(struct shard *self);

// --- datagrams.c: UDP in, write-behind ---
enum error datagrams_apply(actor_t *actor, struct message *message);
// Stages what is dirty and due (or all of it, at the end).
void datagrams_write_behind(struct shard *self);
// Puts a state back that could not be written, unless a newer one waits already.
void datagrams_mark_dirty(struct shard *self, struct scene_state *scene,
                          const struct record *entity);
// The entity's newest state is durable or gone.
void datagrams_mark_clean(struct shard *self, const struct scene_state *scene,
                          const struct record *entity);
void datagrams_finish(struct shard *self);

// --- sweep.c: what a deleted scene leaves on disk ---
void sweep_begin(struct shard *self, uint16_t part, uint64_t scene_id);
// Goes on with the first sweep where nothing of it is under way.
void sweep_turn(struct shard *self);
// The keys of a slice came; stages their deletion.
enum error sweep_loaded(struct shard *self, struct message *message);
// The deletion of a slice is durable, or failed.
void sweep_settled(struct shard *self, struct message **message, enum error error);
void sweep_finish(struct shard *self);

#endif
