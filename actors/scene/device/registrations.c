// registrations.c - which device is in which scene, and the transform that relates them. What
// answers say of it: device_view.c.

#include "actors/scene/device/registrations.h"

#include "actors/scene/device/alignment_report.h"
#include "actors/scene/device/corrections.h"
#include "actors/scene/device/departures.h"
#include "actors/scene/device/device_axes.h"
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
#include "proto/feed/feed_token.h"
#include "proto/message/partition.h"
#include "proto/records/device.h"

// A request with more is committed in slices.
enum { DEVICES_PER_COMMIT = 150, REGISTRATION_WRITES = 2 + CORRECTION_WRITES };
_Static_assert(1 + REGISTRATION_WRITES * DEVICES_PER_COMMIT < LIMIT_COMMIT_OPERATIONS,
               "a slice of registrations fits into a commit");
_Static_assert((int)DEVICES_PER_COMMIT <= (int)DEPARTED_PER_COMMIT,
               "a slice of departures fits into a commit");

// Does something with one device of the request.
typedef enum error device_function(struct shard *self, struct message *message,
                                   struct scene_state *scene, const struct device *device,
                                   const char *pointer);

// --- the request ---

static fallible
check_scene_record(struct message *message, size_t index)
{
    const struct scene *scene = (const struct scene *)(void *)message->records->items[index];
    if (text_size(scene->key) && !text_equal(scene->key, message->params->scene))
        return fail(ERR_MALFORMED, message_pointer(message, index, "/key"),
                    "the body's scene is not that of the URL");
    if (!scene->devices || scene->devices->count == 0)
        return fail(ERR_MISSING, message_pointer(message, index, "/devices"), "a device is needed");
    return OK;
}

static fallible
check_request(struct message *message)
{
    if (!message->records || message->records->count == 0)
        return fail(ERR_MISSING, "/scenes", "a scene with a device is needed");
    for (size_t i = 0; i < message->records->count; i++)
        TRY(check_scene_record(message, i));
    return OK;
}

static const struct records *
devices_of(const struct record *scene)
{
    return scene_of(scene)->devices;
}

static size_t
count_devices(const struct message *message)
{
    size_t count = 0;
    for (size_t i = 0; i < message->records->count; i++)
        count += devices_of(message->records->items[i])->count;
    return count;
}

// How many devices of the request the next commit takes; those before `progress` are done.
static size_t
slice_size(const struct message *message)
{
    size_t left = count_devices(message) - message->progress;
    return left < DEVICES_PER_COMMIT ? left : DEVICES_PER_COMMIT;
}

// Does something with `count` devices of the request, from the first that is not done yet.
static enum error
each_device(struct shard *self, struct message *message, struct scene_state *scene, size_t count,
            device_function *function)
{
    size_t place = 0;
    for (size_t i = 0; i < message->records->count; i++) {
        const struct records *devices = devices_of(message->records->items[i]);
        for (size_t k = 0; k < devices->count; k++, place++) {
            if (place < message->progress || place >= message->progress + count)
                continue;
            const struct text *member = text_format(&message->arena, "/devices/%zu", k);
            TRY(function(self, message, scene, device_of(devices->items[k]),
                         message_pointer(message, i, text_chars(member))));
        }
    }
    return OK;
}

static enum error
every_device(struct shard *self, struct message *message, struct scene_state *scene,
             device_function *function)
{
    return each_device(self, message, scene, SIZE_MAX - message->progress, function);
}

// About what the next slice of devices writes: their records as merged, and their corrections. Also
// the scene, where it is new.
static size_t
slice_bytes(struct shard *self, const struct message *message, struct scene_state *scene)
{
    enum { DEVICE_BYTES = 2048 }; // the correction, and what the server adds
    size_t bytes = NEW_SCENE_BYTES, place = 0, end = message->progress + slice_size(message);
    for (size_t i = 0; i < message->records->count; i++) {
        const struct records *devices = devices_of(message->records->items[i]);
        for (size_t k = 0; k < devices->count; k++, place++) {
            if (place < message->progress || place >= end)
                continue;
            const struct device *device = device_of(devices->items[k]);
            const frozen_t *before = scene ? device_latest(self, scene, device->key) : NULL;
            bytes += DEVICE_BYTES + record_frozen_size(&device_schema, &device->base) +
                     (before ? record_size(before) : 0);
        }
    }
    return bytes;
}

// The request's next slice of devices, staged by `function`, answered when it is durable.
static enum error
stage_slice(struct shard *self, struct message *message, struct scene_state *scene,
            device_function *function)
{
    TRY(each_device(self, message, scene, slice_size(message), function));
    return shard_answer_durable(self, message);
}

static fallible
need_registered(struct shard *self, struct message *message, struct scene_state *scene,
                const struct device *device, const char *pointer)
{
    (void)message;
    if (!scene || !device_latest(self, scene, device->key))
        return fail(ERR_NOT_FOUND, pointer, "device %s is not registered to the scene",
                    text_chars(device->key));
    return OK;
}

static fallible
need_key(struct shard *self, struct message *message, struct scene_state *scene,
         const struct device *device, const char *pointer)
{
    (void)self;
    (void)message;
    (void)scene;
    if (text_size(device->key) == 0)
        return fail(ERR_MISSING, pointer, "the device needs a key");
    return OK;
}

// The scene of a request about registered devices, after all of them are checked.
static fallible
registered_scene(struct shard *self, struct message *message, struct scene_state **ret_scene)
{
    TRY(check_request(message));
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    TRY(every_device(self, message, scene, need_key));
    TRY(scene_to_write(self, message, message->params->scene, scene));
    TRY(every_device(self, message, scene, need_registered));
    *ret_scene = scene;
    return OK;
}

// --- register ---

// Writes into the device what the answer says of its feed, with a new token. Only the hash of the
// token is stored.
static void
grant_feed(struct arena *arena, struct device *device, const char *state)
{
    char token[FEED_TOKEN_SIZE], hash[FEED_TOKEN_HASH_SIZE];
    if (device->udp)
        return; // the request runs again
    feed_token_new(token);
    struct record *udp = record_new(arena, &udp_state_schema);
    const struct text *text = text_from(arena, token);
    record_set_text(udp, UDP_STATE, text_from(arena, state));
    record_set_text(udp, UDP_TOKEN, text);
    record_set_integer(udp, UDP_EXPIRES_S, FEED_TOKEN_EXPIRES_S);
    device->udp = udp;
    record_mark(&device->base, DEVICE_UDP);
    if (feed_token_hash(text, hash))
        record_set_text(&device->base, DEVICE_TOKEN, text_from(arena, hash));
}

// Checks the destination and completes the request's record: key, address, feed.
static fallible
prepare_device(struct shard *self, struct message *message, struct scene_state *scene,
               const struct device *request, const char *pointer)
{
    (void)scene;
    struct device *device = (struct device *)(uintptr_t)request;
    char address[46];
    int port;
    enum destination_kind kind;
    TRY(device_check_convention(message, request, pointer));
    TRY(destination_choose(device, &message->caller, self->settings.own_ports,
                           sizeof self->settings.own_ports / sizeof self->settings.own_ports[0],
                           pointer, &kind, address, &port));
    if (text_size(device->key) == 0)
        record_set_text(&device->base, DEVICE_KEY, key_generate_free(&message->arena));
    bool is_proven =
        kind == DESTINATION_ADDRESS &&
        destination_is_proven(address, message->caller.peer, self->settings.trusted_networks);
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
                       FIELD_BIT(DEVICE_CONNECTION_STRING));
    device->hostname = device->connection_string = NULL;
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

static fallible
stage_registration(struct shard *self, struct message *message, struct scene_state *scene,
                   const struct device *device, const char *pointer)
{
    (void)pointer;
    const frozen_t *before = device_latest(self, scene, device->key);
    struct record *merged;
    TRY(record_merge(&message->arena, &device_schema,
                     without_address(message, frozen_record(before)), &device->base, LIST_OVERWRITE,
                     &merged));
    record_set_text(merged, DEVICE_KEY, device->key);
    record_set_text(merged, DEVICE_ADDRESS, device->address);
    device_settle_axes(message, device, merged);
    if (message->caller.user[0] && !text_size(device_of(merged)->user))
        record_set_text(merged, DEVICE_USER, text_from(&message->arena, message->caller.user));
    if (text_is(device_of(merged)->user, message->caller.user))
        record_set_integer(merged, DEVICE_REVOCATIONS, message->caller.revocations);
    if (!device_of(merged)->since_us)
        record_set_integer(merged, DEVICE_SINCE, session_begin(self, device->key));
    if (record_has(&device->base, DEVICE_TRANSFORM))
        correction_stage(self, message, scene, merged);
    held_locks_keep(self, scene, device->key);
    shard_stage_put(self, scene, KEY_DEVICE, merged, before, EVENT_DEVICE_REGISTERED);
    return OK;
}

// How many devices of the request the scene does not have yet.
static size_t
count_new_devices(struct shard *self, const struct message *message, struct scene_state *scene)
{
    size_t count = 0;
    for (size_t i = 0; i < message->records->count; i++) {
        const struct records *devices = devices_of(message->records->items[i]);
        for (size_t k = 0; k < devices->count; k++)
            count += !scene || !device_latest(self, scene, device_of(devices->items[k])->key);
    }
    return count;
}

enum error
device_register(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    TRY(check_request(message));
    struct scene_state *scene = scenes_latest(self, message->params->scene);
    TRY(scene_check_slice(message, scene));
    TRY(scene_check_new(self, message, scene));
    if (scene)
        TRY(scene_to_write(self, message, scene->key, scene));
    TRY(every_device(self, message, NULL, prepare_device));
    size_t registered = scene ? record_set_count(&scene->devices) : 0;
    size_t fresh = count_new_devices(self, message, scene);
    if (registered + fresh > LIMIT_SCENE_DEVICES)
        return fail(ERR_INVALID, "/scenes", "a scene has at most %d devices", LIMIT_SCENE_DEVICES);
    TRY(scene_dues_check_devices(self, message, fresh));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(shard_make_room(self, message, 1 + REGISTRATION_WRITES * slice_size(message),
                        slice_bytes(self, message, scene)));
    scene = scenes_latest_or_new(self, message, message->params->scene);
    return stage_slice(self, message, scene, stage_registration);
}

// --- align ---

static fallible
need_transform(struct shard *self, struct message *message, struct scene_state *scene,
               const struct device *device, const char *pointer)
{
    (void)self;
    (void)scene;
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
    struct record *changed = record_copy(&message->arena, &device_schema, frozen_record(before));
    ((struct device *)(void *)changed)->transform = device->transform;
    record_mark(changed, DEVICE_TRANSFORM);
    device_settle_axes(message, device, changed);
    if (record_has(&device->base, DEVICE_ACCURACY)) {
        ((struct device *)(void *)changed)->accuracy = device->accuracy;
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
    TRY(registered_scene(self, message, &scene));
    TRY(every_device(self, message, scene, need_transform));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(shard_make_room(self, message, (1 + CORRECTION_WRITES) * slice_size(message),
                        slice_bytes(self, message, scene)));
    return stage_slice(self, message, scene, stage_alignment);
}

// --- deregister ---

// Stages that the next slice of the request's devices leaves.
static fallible
stage_departures(struct shard *self, struct message *message, struct scene_state *scene)
{
    struct record_set leaving = {0};
    size_t place = 0, end = message->progress + slice_size(message);
    for (size_t i = 0; i < message->records->count; i++) {
        const struct records *devices = devices_of(message->records->items[i]);
        for (size_t k = 0; k < devices->count; k++, place++)
            if (place >= message->progress && place < end)
                record_set_put(&leaving,
                               device_latest(self, scene, device_of(devices->items[k])->key));
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
    TRY(registered_scene(self, message, &scene));
    TRY(preconditions_check_scene(self, message, scene));
    TRY(scene_cache_need(self, scene, message)); // most locks end with the registration then
    TRY(stage_departures(self, message, scene));
    return shard_answer_durable(self, message);
}

bool
registration_goes_on(struct message *message)
{
    message->progress += (uint32_t)slice_size(message);
    return slice_size(message) > 0;
}

// --- what is durable ---

void
device_committed(struct shard *self, const struct change *change)
{
    struct scene_state *scene = change->owner;
    const frozen_t *old = record_set_find(
        &scene->devices, frozen_key(change->record ? change->record : change->before));
    if (old) {
        token_index_remove(self, old);
        user_index_remove(self, scene, old);
    }
    if (change->record) {
        self->devices += scene->is_indexed && !old;
        record_set_put(&scene->devices, change->record);
        token_index_put(self, scene, change->record);
        user_index_put(self, scene, change->record);
        corrections_device_here(self, scene, frozen_record(change->record));
    } else {
        self->devices -= scene->is_indexed && old;
        record_set_remove(&scene->devices, frozen_key(change->before));
        corrections_device_gone(self, scene, frozen_key(change->before));
    }
    if (change->msg_type == EVENT_ALIGNMENT_CHANGED)
        alignment_emit(self, scene, frozen_record(change->record));
    else
        shard_emit(self, scene, change->record ? change->record : change->before, change->msg_type);
}
