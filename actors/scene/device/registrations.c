// registrations.c - which device is in which scene, and the transform that relates them. What
// answers say of it: device_view.c.

#include "actors/scene/device/registrations.h"

#include <assert.h>

#include "actors/scene/device/alignment_report.h"
#include "actors/scene/device/corrections.h"
#include "actors/scene/device/departures.h"
#include "actors/scene/device/device_axes.h"
#include "actors/scene/device/device_geopose.h"
#include "actors/scene/device/device_request.h"
#include "actors/scene/device/device_set.h"
#include "actors/scene/device/held_locks.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_create.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_preconditions.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/token_index.h"
#include "actors/scene/user_index.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/feed/destinations.h"
#include "proto/feed/feed_seal.h"
#include "proto/feed/feed_token.h"
#include "proto/message/partition.h"
#include "proto/records/device.h"

enum { REGISTRATION_WRITES = 2 + CORRECTION_WRITES };
_Static_assert(1 + REGISTRATION_WRITES * DEVICES_PER_COMMIT < LIMIT_COMMIT_OPERATIONS,
               "a slice of registrations fits into a commit");
_Static_assert((int)DEVICES_PER_COMMIT <= (int)DEPARTED_PER_COMMIT,
               "a slice of departures fits into a commit");

// About what the next slice of devices writes: their records as merged, and their corrections. Also
// the scene, where it is new.
static size_t
slice_bytes(struct shard *self, const struct message *message, struct scene_state *scene)
{
    enum { DEVICE_BYTES = 2048 }; // the correction, and what the server adds
    size_t bytes = NEW_SCENE_BYTES;
    const struct device *device;
    for (struct device_walk slice = device_walk_slice(message);
         (device = device_walk_next(&slice)) != NULL;) {
        const frozen_t *before = scene ? device_latest(self, scene, device->key) : NULL;
        bytes += DEVICE_BYTES + record_frozen_size(&device_schema, &device->base) +
                 (before ? record_size(before) : 0);
    }
    return bytes;
}

// The request's next slice of devices, staged by `function`, answered when it is durable.
static enum error
stage_slice(struct shard *self, struct message *message, struct scene_state *scene,
            device_function *function)
{
    TRY(device_request_each(self, message, scene, function));
    return shard_answer_durable(self, message);
}

static fallible
need_registered(struct shard *self, struct message *message, struct scene_state *scene,
                const struct device *device, const char *pointer)
{
    (void)message;
    if (!device_latest(self, scene, device->key))
        return fail(ERR_NOT_FOUND, pointer, "device %s is not registered to the scene",
                    text_chars(device->key));
    return OK;
}

// The scene of a request about registered devices, after `need` has looked at all of them, and once
// more at those that are staged next: they may have left since. Who may see the scene gets 404 for
// a device that is not in it before access is checked: 403 would tell that the device exists.
static fallible
registered_scene(struct shard *self, struct message *message, device_function *need,
                 struct scene_state **ret_scene)
{
    TRY(device_request_check(message));
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    TRY(device_request_check_keys(message));
    if (scene_shows(self, message, scene)) {
        TRY(device_request_look(self, message, scene, need));
        TRY(device_request_each(self, message, scene, need));
    }
    TRY(scene_to_write(self, message, message->params->scene, scene));
    message->scene_id = scene->id;
    *ret_scene = scene;
    return OK;
}

// --- register ---

// A device that seals is told a key and the name of its registration, no token: none ever stands in
// the clear. The key is stored, as both sides need it after a restart.
static void
grant_seal(struct arena *arena, struct device *device, struct record *udp, const char *token_hash)
{
    char key[SEAL_KEY_SIZE];
    feed_seal_draw_key(key);
    const struct text *text = text_from(arena, key);
    record_set_text(udp, UDP_SEAL_ID, text_new(arena, token_hash, SEAL_ID_SIZE - 1));
    record_set_text(udp, UDP_SEAL_KEY, text);
    record_set_text(&device->base, DEVICE_SEAL_KEY, text);
}

// Writes into the device what the answer says of its feed, with a new token. Only the hash of the
// token is stored.
static void
grant_feed(struct arena *arena, struct device *device, const char *state)
{
    char token[FEED_TOKEN_SIZE], hash[FEED_TOKEN_HASH_SIZE];
    if (device->rare->udp)
        return; // the request runs again
    feed_token_new(token);
    struct record *udp = record_new(arena, &udp_state_schema);
    const struct text *text = text_from(arena, token);
    record_set_text(udp, UDP_STATE, text_from(arena, state));
    record_set_integer(udp, UDP_EXPIRES_S, FEED_TOKEN_EXPIRES_S);
    device->rare->udp = udp;
    record_mark(&device->base, DEVICE_UDP);
    if (!feed_token_hash(text, hash))
        return;
    record_set_text(&device->base, DEVICE_TOKEN, text_from(arena, hash));
    if (destination_is_sealed(device))
        grant_seal(arena, device, udp, hash);
    else
        record_set_text(udp, UDP_TOKEN, text);
}

// Checks the destination and completes the request's record: key, address, feed.
static fallible
prepare_device(struct shard *self, struct message *message, const struct device *request,
               const char *pointer)
{
    struct device *device = (struct device *)(uintptr_t)request;
    char address[46];
    int port;
    enum destination_kind kind;
    TRY(device_check_convention(message, request, pointer));
    if (self->settings.require_sealed)
        TRY(destination_need_sealed(device, pointer));
    TRY(destination_choose(device, &message->caller, self->settings.own_ports,
                           sizeof self->settings.own_ports / sizeof self->settings.own_ports[0],
                           pointer, &kind, address, &port));
    if (text_size(device->key) == 0)
        record_set_text(&device->base, DEVICE_KEY, key_generate_free(&message->arena));
    bool is_proven = kind == DESTINATION_ADDRESS &&
                     destination_address_is_proven(address, message->caller.peer,
                                                   self->settings.trusted_networks);
    record_set_text(&device->base, DEVICE_ADDRESS,
                    is_proven ? text_from(&message->arena, address) : NULL);
    record_set_text(&device->base, DEVICE_PEER, text_from(&message->arena, message->caller.peer));
    if (kind != DESTINATION_NONE)
        record_set_integer(&device->base, DEVICE_PORT, port);
    grant_feed(&message->arena, device,
               is_proven                  ? "active"
               : kind != DESTINATION_NONE ? "pending"
                                          : "none");
    return OK;
}

// The device as it was, but for its address: a registration replaces all members of that.
static const struct record *
without_address(struct message *message, const struct record *before)
{
    if (!before)
        return record_new(&message->arena, &device_schema);
    struct record *copy = record_copy(&message->arena, &device_schema, before);
    struct device *device = (struct device *)(void *)copy;
    copy->present &= ~(FIELD_BIT(DEVICE_HOSTNAME) | FIELD_BIT(DEVICE_PORT) |
                       FIELD_BIT(DEVICE_CONNECTION_STRING) | FIELD_BIT(DEVICE_SEAL_KEY));
    device->hostname = device->connection_string = device->rare->seal_key = NULL;
    device->port = 0;
    return copy;
}

// Since when the device has been registered somewhere: corrections since then belong together.
static int64_t
session_begin(const struct shard *self, const struct text *device)
{
    uint64_t since_us = atlas_session(self->settings.atlas, device);
    return (int64_t)(since_us ? since_us : clock_calendar_us());
}

// Most users never lost access, and 0 would take room (device_rare).
static void
note_revocations(struct record *device, int64_t revocations)
{
    record_set_integer(device, DEVICE_REVOCATIONS, revocations);
    if (revocations == 0)
        device->present &= ~FIELD_BIT(DEVICE_REVOCATIONS);
}

static fallible
stage_registration(struct shard *self, struct message *message, struct scene_state *scene,
                   const struct device *device, const char *pointer)
{
    (void)pointer;
    const frozen_t *before = device_latest(self, scene, device->key);
    struct opened room;
    struct record *merged;
    TRY(record_merge(&message->arena, &device_schema,
                     without_address(message, frozen_open(before, &room)), &device->base,
                     LIST_OVERWRITE, &merged));
    record_set_text(merged, DEVICE_KEY, device->key);
    record_set_text(merged, DEVICE_ADDRESS, device->address);
    device_settle_axes(message, device, merged);
    if (message->caller.user[0] && !text_size(device_of(merged)->user))
        record_set_text(merged, DEVICE_USER, text_from(&message->arena, message->caller.user));
    if (text_is(device_of(merged)->user, message->caller.user))
        note_revocations(merged, message->caller.revocations);
    if (!device_of(merged)->since_us)
        record_set_integer(merged, DEVICE_SINCE, session_begin(self, device->key));
    if (record_has(&device->base, DEVICE_TRANSFORM))
        correction_stage(self, message, scene, merged);
    held_locks_keep(self, scene, device->key);
    shard_stage_put(self, scene, KEY_DEVICE, merged, before, EVENT_DEVICE_REGISTERED);
    return OK;
}

static size_t
count_new(struct shard *self, struct device_walk walk, struct scene_state *scene)
{
    const struct device *device;
    size_t count = 0;
    while ((device = device_walk_next(&walk)) != NULL)
        count += !scene || !device_latest(self, scene, device->key);
    return count;
}

// Prepares a device of the request, and counts it if the scene does not have it.
static fallible
admit_device(struct shard *self, struct message *message, struct scene_state *scene,
             const struct device *device, const char *pointer)
{
    TRY(prepare_device(self, message, device, pointer));
    device_looking_of(message)->fresh += !scene || !device_latest(self, scene, device->key);
    return OK;
}

// Whether the scene has room for so many more, with those that others stage meanwhile. These are
// counted only where they could matter.
static bool
has_place(struct shard *self, struct scene_state *scene, size_t fresh)
{
    if (!scene)
        return fresh <= LIMIT_SCENE_DEVICES;
    return record_set_count(&scene->devices) + self->staging.latest.count + fresh <=
               LIMIT_SCENE_DEVICES ||
           devices_latest_count(self, scene) + fresh <= LIMIT_SCENE_DEVICES;
}

// Whether the scene, and the caller, may have so many more.
static fallible
check_place(struct shard *self, struct message *message, struct scene_state *scene, size_t fresh)
{
    if (!has_place(self, scene, fresh))
        return fail(ERR_INVALID, "/scenes", "a scene has at most %d devices", LIMIT_SCENE_DEVICES);
    return scene_dues_check_devices(self, message, fresh);
}

// The same for the devices of the request that the scene does not have: all of them before the
// first slice, those of the slice before each one. If they are too many they are counted again, as
// some may have been registered while all were looked at.
static fallible
check_new(struct shard *self, struct message *message, struct scene_state *scene)
{
    size_t next = count_new(self, device_walk_slice(message), scene);
    if (message->progress > 0)
        return check_place(self, message, scene, next);
    size_t all = device_looking_of(message)->fresh; // without those that left since
    if (check_place(self, message, scene, all > next ? all : next) == OK)
        return OK;
    return check_place(self, message, scene, count_new(self, device_walk_all(message), scene));
}

enum error
device_register(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    TRY(ended_sessions_check(&self->base.ended, &message->caller));
    TRY(device_request_check(message));
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    TRY(scene_check_slice(message, scene));
    TRY(scene_check_new(self, message, scene));
    if (scene)
        TRY(scene_to_write(self, message, scene->key, scene));
    TRY(device_geopose_check(message, scene ? frozen_record(scene->record) : NULL));
    TRY(device_request_look(self, message, scene, admit_device));
    TRY(check_new(self, message, scene));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(shard_make_room(self, message, 1 + REGISTRATION_WRITES * device_request_slice(message),
                        slice_bytes(self, message, scene)));
    scene = scenes_latest_or_new(self, message, message->params->scene);
    return stage_slice(self, message, scene, stage_registration);
}

// --- align ---

static fallible
need_placed(struct shard *self, struct message *message, struct scene_state *scene,
            const struct device *device, const char *pointer)
{
    TRY(need_registered(self, message, scene, device, pointer));
    if (!record_has(&device->base, DEVICE_TRANSFORM))
        return fail(ERR_MISSING, pointer, "the device needs a transform");
    return device_check_convention(message, device, pointer);
}

static fallible
stage_alignment(struct shard *self, struct message *message, struct scene_state *scene,
                const struct device *device, const char *pointer)
{
    (void)pointer;
    const frozen_t *before = device_latest(self, scene, device->key);
    struct opened room;
    struct record *changed =
        record_copy(&message->arena, &device_schema, frozen_open(before, &room));
    ((struct device *)(void *)changed)->rare->transform = device_rare_of(device)->transform;
    record_mark(changed, DEVICE_TRANSFORM);
    device_settle_axes(message, device, changed);
    if (record_has(&device->base, DEVICE_ACCURACY)) {
        ((struct device *)(void *)changed)->rare->accuracy = device_rare_of(device)->accuracy;
        record_mark(changed, DEVICE_ACCURACY);
    }
    correction_stage(self, message, scene, changed);
    shard_stage_put(self, scene, KEY_DEVICE, changed, before, EVENT_ALIGNMENT_CHANGED);
    return OK;
}

enum error
device_align(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    TRY(registered_scene(self, message, need_placed, &scene));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(shard_make_room(self, message, (1 + CORRECTION_WRITES) * device_request_slice(message),
                        slice_bytes(self, message, scene)));
    return stage_slice(self, message, scene, stage_alignment);
}

// --- deregister ---

// Before anything is written all devices must be registered. What is gone later stands in the
// request twice, or has left meanwhile: that is what was asked for.
static fallible
need_registered_at_first(struct shard *self, struct message *message, struct scene_state *scene,
                         const struct device *device, const char *pointer)
{
    return message->progress > 0 ? OK : need_registered(self, message, scene, device, pointer);
}

// Stages that the next slice of the request's devices leaves.
static fallible
stage_departures(struct shard *self, struct message *message, struct scene_state *scene)
{
    struct record_set leaving = {0};
    const struct device *device;
    for (struct device_walk slice = device_walk_slice(message);
         (device = device_walk_next(&slice)) != NULL;) {
        const frozen_t *latest = device_latest(self, scene, device->key);
        if (latest)
            record_set_put(&leaving, latest);
    }
    enum error error = departures_stage(self, message, scene, &leaving, 0);
    record_set_finish(&leaving);
    return error;
}

enum error
device_deregister(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    TRY(registered_scene(self, message, need_registered_at_first, &scene));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(scene_cache_need(self, scene, message)); // most locks end with the registration then
    TRY(stage_departures(self, message, scene));
    return shard_answer_durable(self, message);
}

bool
registration_goes_on(struct message *message)
{
    assert(message->scene_id);
    message->progress += (uint32_t)device_request_slice(message);
    return device_request_slice(message) > 0;
}

// --- what is durable ---

// A record with the same token is of the same registration: what came from it stays known.
static void
sealing_committed(struct shard *self, const frozen_t *old, const frozen_t *new)
{
    struct opened rooms[2];
    if (!self->settings.intake)
        return;
    const struct device *before = device_open(old, &rooms[0]);
    const struct device *after = device_open(new, &rooms[1]);
    if (before && !(after && text_equal(before->token, after->token)))
        sealed_intake_remove(self->settings.intake, before);
    if (after)
        sealed_intake_put(self->settings.intake, after, false);
}

// `old`: the registration that another one takes the place of, or whose device leaves; NULL: none.
static void
unindex(struct shard *self, struct scene_state *scene, const frozen_t *old)
{
    if (!old)
        return;
    token_index_remove(self, old);
    user_index_remove(self, scene, old);
}

// Puts what is kept of a registration: a packed record, which the streamer keeps too.
static void
put_committed(struct shard *self, struct scene_state *scene, const frozen_t *device)
{
    record_set_put(&scene->devices, device);
    token_index_put(self, device);
    user_index_put(self, scene, device);
    corrections_device_here(self, scene, device);
}

static void
remove_committed(struct shard *self, struct scene_state *scene, const struct text *device)
{
    record_set_remove(&scene->devices, device);
    corrections_device_gone(self, scene, device);
}

// What a leader has committed comes plain (scene_copy.c).
static const frozen_t *
packed_device(const frozen_t *device)
{
    if (!device || frozen_is_packed(device))
        return record_ref(device);
    return packed_frozen(record_pack(&device_schema, frozen_record(device)));
}

void
device_committed(struct shard *self, const struct change *change)
{
    struct scene_state *scene = change->owner;
    const frozen_t *kept = packed_device(change->record);
    const struct text *key = frozen_key(kept ? kept : change->before);
    const frozen_t *old = record_set_find(&scene->devices, key);
    size_t before = record_set_count(&scene->devices);
    sealing_committed(self, old, change->record);
    unindex(self, scene, old);
    if (kept)
        put_committed(self, scene, kept);
    else
        remove_committed(self, scene, key);
    if (scene->is_indexed)
        self->devices += record_set_count(&scene->devices) - before;
    struct opened room;
    if (change->msg_type == EVENT_ALIGNMENT_CHANGED)
        alignment_emit(self, scene, frozen_open(change->record, &room));
    else
        shard_emit(self, scene, kept ? kept : change->before, change->msg_type);
    record_unref(&kept);
}
