// presence.c - what answers show of the devices in a scene (decisions 8): of its own devices a user
// sees how their transform came about, of others key and transform alone.

#include "actors/shard.h"
#include "proto/convention.h"
#include "proto/records/device.h"

static const struct device *
as_device(const struct record *record)
{
    return (const struct device *)(const void *)record;
}

// --- devices ---

static const struct record *
pose_identity(struct arena *arena)
{
    struct record *pose = record_new(arena, &pose_schema);
    record_mark(pose, POSE_TRANSLATION);
    record_mark(pose, POSE_ROTATION);
    return pose;
}

// Whether the caller may see more of a device than others do.
static bool
is_own_device(const struct caller *caller, const struct device *device)
{
    return caller->role == CALLER_TRUSTED || caller->role == CALLER_ADMIN ||
           (text_size(device->user) && text_is(device->user, caller->user));
}

static const struct record *
alignment_shown(struct arena *arena, const struct device *device)
{
    struct record *alignment = record_new(arena, &alignment_schema);
    bool has_transform = record_has(&device->base, DEVICE_TRANSFORM);
    record_set_text(alignment, ALIGNMENT_STATUS,
                    text_from(arena, has_transform ? "corrected" : "none"));
    return alignment;
}

// A device as the caller sees it: key and transform; its own also how the transform came about.
static struct record *
device_shown(struct message *message, const struct device *device)
{
    struct arena *arena = &message->arena;
    struct device *shown = (struct device *)(void *)record_new(arena, &device_schema);
    bool has_transform = record_has(&device->base, DEVICE_TRANSFORM);
    record_set_text(&shown->base, DEVICE_KEY, device->key);
    shown->transform = has_transform ? device->transform : pose_identity(arena);
    record_mark(&shown->base, DEVICE_TRANSFORM);
    if (!is_own_device(&message->caller, device))
        return &shown->base;
    shown->alignment = alignment_shown(arena, device);
    record_mark(&shown->base, DEVICE_ALIGNMENT);
    return &shown->base;
}

struct scene *
scene_with_devices(struct message *message, const struct record *scene, struct record_set *devices)
{
    struct arena *arena = &message->arena;
    struct scene *copy = (struct scene *)(void *)record_copy(arena, &scene_schema, scene);
    size_t count;
    const struct record *const *items = record_set_items(devices, &count);
    struct records *list = records_new(arena, count);
    for (size_t i = 0; i < count; i++)
        list->items[list->count++] = device_shown(message, as_device(items[i]));
    copy->devices = list;
    record_mark(&copy->base, SCENE_DEVICES);
    return copy;
}

// --- the answer of a registration ---

static void
add_frozen(struct message *message, const struct convention *convention, const struct record *loose)
{
    const struct record *frozen = record_freeze(&scene_schema, loose);
    const struct record *shown = convention_shown(convention, frozen);
    reply_add(message, shown);
    record_unref(&shown);
    record_unref(&frozen);
}

// The origin scene: none is known yet, so its correction is the identity.
static void
add_origin(struct message *message, const struct convention *convention)
{
    struct scene *origin = (struct scene *)(void *)record_new(&message->arena, &scene_schema);
    origin->transform = pose_identity(&message->arena);
    record_mark(&origin->base, SCENE_TRANSFORM);
    add_frozen(message, convention, &origin->base);
}

static bool
is_called(const void *value, const void *key)
{
    return text_equal(((const struct device *)value)->key, key);
}

// The devices of the request by key; of one that stands there twice the last counts.
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

// Each device of the request says what its feed is, for this caller alone; the envelope repeats
// what the first one says.
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

void
registration_reply(struct shard *self, struct message *message)
{
    enum operation operation = message->operation;
    if (operation != REGISTER && operation != ALIGN && operation != DEREGISTER)
        return;
    struct scene_state *scene = scenes_find(self, message->params->scene);
    if (!scene) { // deleted in the same batch
        reply_fail(message, fail(ERR_NOT_FOUND, "", "the scene was deleted meanwhile"));
        return;
    }
    struct scene *shown = scene_with_devices(message, scene->record, &scene->devices);
    if (operation == REGISTER)
        add_feeds(message, shown);
    const struct convention *convention = registration_convention(message, scene);
    add_frozen(message, convention, &shown->base);
    if (operation != REGISTER)
        return;
    shard_tell_place(self, scene, message);
    add_origin(message, convention);
}
