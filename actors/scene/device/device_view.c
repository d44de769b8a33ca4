// device_view.c - what answers show of the devices in a scene. Users see how the transforms of
// their own devices came about; of other devices they see key and transform only.

#include "actors/scene/device/device_view.h"

#include "actors/scene/device/derived_pose.h"
#include "actors/scene/device/device_axes.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/records/device.h"
#include "proto/spatial/convention.h"

// --- devices ---

// Whether the caller may see more of a device than others do.
static bool
is_own_device(const struct caller *caller, const struct device *device)
{
    return caller->role == CALLER_TRUSTED || caller->role == CALLER_ADMIN ||
           (text_size(device->user) && text_is(device->user, caller->user));
}

static struct alignment *
alignment_new(struct arena *arena, const char *status)
{
    struct record *alignment = record_new(arena, &alignment_schema);
    record_set_text(alignment, ALIGNMENT_STATUS, text_from(arena, status));
    return (struct alignment *)(void *)alignment;
}

static void
set_sigmas(struct alignment *self, double sigma_t_m, double sigma_r_rad)
{
    self->sigma_t_m = sigma_t_m;
    self->sigma_r_rad = sigma_r_rad;
    record_mark(&self->base, ALIGNMENT_SIGMA_T);
    record_mark(&self->base, ALIGNMENT_SIGMA_R);
}

// Of a transform that the device sent.
static struct alignment *
alignment_sent(struct arena *arena, const struct device *device)
{
    double sigma_t_m, sigma_r_rad;
    struct alignment *shown = alignment_new(arena, "corrected");
    device_sigmas(device, &sigma_t_m, &sigma_r_rad);
    set_sigmas(shown, sigma_t_m, sigma_r_rad);
    return shown;
}

// Of a transform that follows from others.
static struct alignment *
alignment_derived(struct shard *self, struct arena *arena, const struct derived_pose *derived)
{
    const struct relation *relation = derived->relation;
    struct alignment *shown = alignment_new(arena, alignment_status_name(relation->status));
    set_sigmas(shown, derived->sigma_t_m, derived->sigma_r_rad);
    record_set_integer(&shown->base, ALIGNMENT_OBSERVATIONS, relation->observations);
    record_set_integer(&shown->base, ALIGNMENT_DEVICES, relation->devices);
    record_set_integer(&shown->base, ALIGNMENT_EPOCH, (int64_t)self->relations.epoch);
    shown->path = scene_relations_path(self->settings.atlas, arena, relation);
    record_mark(&shown->base, ALIGNMENT_PATH);
    return shown;
}

static void
show_transform(struct device *shown, const struct record *pose, struct alignment *alignment)
{
    shown->transform = pose;
    record_mark(&shown->base, DEVICE_TRANSFORM);
    if (!alignment)
        return;
    shown->alignment = &alignment->base;
    record_mark(&shown->base, DEVICE_ALIGNMENT);
}

// The transform of a device, and how it came about: sent, derived, or the identity.
static void
place_device(struct shard *self, struct message *message, uint64_t scene_id,
             const struct device *device, struct device *shown)
{
    struct arena *arena = &message->arena;
    struct derived_pose derived;
    bool is_asked;
    if (record_has(&device->base, DEVICE_TRANSFORM))
        show_transform(shown, device->transform, alignment_sent(arena, device));
    else if (derived_pose_find(self, &message->caller, scene_id, device->key, &derived, &is_asked))
        show_transform(shown, pose_record(arena, &derived.pose),
                       alignment_derived(self, arena, &derived));
    else
        show_transform(shown, pose_record(arena, &rigid_identity),
                       is_asked ? alignment_new(arena, "none") : NULL);
}

// A device as the caller sees it: key and transform; its own also how the transform came about.
static struct record *
device_shown(struct shard *self, struct message *message, uint64_t scene_id,
             const struct device *device)
{
    struct device *shown = (struct device *)(void *)record_new(&message->arena, &device_schema);
    record_set_text(&shown->base, DEVICE_KEY, device->key);
    place_device(self, message, scene_id, device, shown);
    if (!is_own_device(&message->caller, device))
        shown->base.present &= ~FIELD_BIT(DEVICE_ALIGNMENT);
    return &shown->base;
}

struct scene *
scene_with_devices(struct shard *self, struct message *message, const struct record *scene,
                   struct record_set *devices)
{
    struct arena *arena = &message->arena;
    struct scene *copy = (struct scene *)(void *)record_copy(arena, &scene_schema, scene);
    size_t count;
    const frozen_t *const *items = record_set_items(devices, &count);
    struct records *list = records_new(arena, count);
    scene_relations_begin(&self->relations, self->settings.atlas);
    for (size_t i = 0; i < count; i++)
        list->items[list->count++] =
            device_shown(self, message, (uint64_t)copy->id, device_of(frozen_record(items[i])));
    copy->devices = list;
    record_mark(&copy->base, SCENE_DEVICES);
    return copy;
}

// --- the answer of a registration ---

static void
add_frozen(struct message *message, const struct convention *convention, const struct record *loose)
{
    const frozen_t *frozen = record_freeze(&scene_schema, loose);
    const frozen_t *shown = convention_shown(convention, frozen);
    reply_add(message, shown);
    record_unref(&shown);
    record_unref(&frozen);
}

// Where the transform of the request's first device was derived from, and the pure correction that
// led here; without a key and the identity where there is none.
static void
add_origin(struct shard *self, struct message *message, const struct scene_state *scene,
           const struct convention *convention)
{
    struct arena *arena = &message->arena;
    const struct scene *first = (const struct scene *)(void *)message->records->items[0];
    const struct text *key = record_key(first->devices->items[0]);
    const frozen_t *device = record_set_find(&scene->devices, key);
    struct scene *origin = (struct scene *)(void *)record_new(arena, &scene_schema);
    struct derived_pose derived;
    bool is_asked,
        is_derived = device && !record_has(frozen_record(device), DEVICE_TRANSFORM) &&
                     derived_pose_find(self, &message->caller, scene->id, key, &derived, &is_asked);
    const frozen_t *known = is_derived ? atlas_scene(self->settings.atlas, derived.origin) : NULL;
    if (known)
        record_set_text(&origin->base, SCENE_KEY, frozen_key(known));
    origin->transform = pose_record(arena, known ? &derived.relation->motion : &rigid_identity);
    record_mark(&origin->base, SCENE_TRANSFORM);
    add_frozen(message, convention, &origin->base);
    record_unref(&known);
}

static bool
is_called(const void *value, const void *key)
{
    return text_equal(((const struct device *)value)->key, key);
}

// The devices of the request by key; the last one counts where one stands there twice.
static void
index_request(const struct message *message, struct table *index)
{
    for (size_t i = 0; i < message->records->count; i++) {
        const struct scene *scene = (const struct scene *)(void *)message->records->items[i];
        for (size_t k = 0; k < scene->devices->count; k++) {
            struct record *device = scene->devices->items[k];
            uint64_t hash = table_hash_text(record_key(device));
            const struct device *old = table_find(index, hash, is_called, record_key(device));
            if (old)
                table_replace(index, hash, old, device);
            else
                table_add(index, hash, device);
        }
    }
}

static void
show_feed(const struct table *index, struct device *shown)
{
    const struct device *asked =
        table_find(index, table_hash_text(shown->key), is_called, shown->key);
    if (!asked)
        return;
    shown->udp = asked->udp;
    record_mark(&shown->base, DEVICE_UDP);
}

// Adds the feed to each device of the request, for this caller alone, and that of the first one to
// the envelope.
static void
add_feeds(struct message *message, struct scene *shown)
{
    struct table index = {0};
    index_request(message, &index);
    for (size_t i = 0; i < shown->devices->count; i++)
        show_feed(&index, (struct device *)(void *)shown->devices->items[i]);
    const struct scene *first = (const struct scene *)(void *)message->records->items[0];
    const struct text *key = record_key(first->devices->items[0]);
    const struct device *device = table_find(&index, table_hash_text(key), is_called, key);
    struct envelope *envelope = reply_envelope(message);
    envelope->udp = device->udp;
    record_mark(&envelope->base, ENVELOPE_UDP);
    table_finish(&index);
}

// The scene of a request on devices, all of which is durable.
static fallible
find_scene(struct shard *self, const struct message *message, struct scene_state **ret_scene)
{
    *ret_scene = scenes_find(self, message->params->scene);
    return *ret_scene ? OK : fail(ERR_NOT_FOUND, "", "the scene was deleted meanwhile");
}

enum error
registration_answer(actor_t *actor, struct message *message, enum error error)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    TRY(error);
    TRY(find_scene(self, message, &scene));
    struct scene *shown =
        scene_with_devices(self, message, frozen_record(scene->record), &scene->devices);
    add_feeds(message, shown);
    const struct convention *convention = registration_convention(message, scene);
    add_frozen(message, convention, &shown->base);
    shard_tell_place(self, scene, message);
    add_origin(self, message, scene, convention);
    return OK;
}

enum error
devices_answer(actor_t *actor, struct message *message, enum error error)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    TRY(error);
    TRY(find_scene(self, message, &scene));
    struct scene *shown =
        scene_with_devices(self, message, frozen_record(scene->record), &scene->devices);
    add_frozen(message, registration_convention(message, scene), &shown->base);
    return OK;
}
