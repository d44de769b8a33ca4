// device_view.c - what answers show of the devices in a scene. Users see how the transforms of
// their own devices came about; of other devices they see key and transform only.

#include "actors/scene/device/device_view.h"

#include <string.h>

#include "actors/scene/device/derived_pose.h"
#include "actors/scene/device/device_axes.h"
#include "actors/scene/device/device_geopose.h"
#include "actors/scene/device/device_request.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/message/access_item.h"
#include "proto/records/device.h"
#include "proto/spatial/convention.h"

// --- devices ---

bool
device_is_own(const struct caller *caller, const struct device *device)
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

static struct alignment *
alignment_sent(struct arena *arena, const struct device *device)
{
    double sigma_t_m, sigma_r_rad;
    struct alignment *shown = alignment_new(arena, "corrected");
    device_sigmas(device, &sigma_t_m, &sigma_r_rad);
    set_sigmas(shown, sigma_t_m, sigma_r_rad);
    return shown;
}

const struct record *
device_alignment_sent(struct arena *arena, const struct device *device)
{
    return &alignment_sent(arena, device)->base;
}

// The same for who asks how sure the transform is in all directions.
static const struct record *
alignment_sent_to(struct message *message, const struct device *device)
{
    const struct pose *pose = (const struct pose *)(const void *)device_rare_of(device)->transform;
    struct alignment *shown = alignment_sent(&message->arena, device);
    if (message->params->covariance) {
        struct rigid motion = rigid_of_device_pose(pose->translation, pose->rotation);
        bearing_covariance(&motion, shown->sigma_t_m, shown->sigma_r_rad, shown->covariance);
        record_mark(&shown->base, ALIGNMENT_COVARIANCE);
    }
    return &shown->base;
}

// Of a transform that follows from others.
static const struct record *
alignment_derived(struct shard *self, struct message *message, const struct derived_pose *derived)
{
    struct arena *arena = &message->arena;
    const struct relation *relation = derived->relation;
    struct alignment *shown = alignment_new(arena, alignment_status_name(relation->status));
    record_set_text(&shown->base, ALIGNMENT_CONFIDENCE, text_from(arena, relation->confidence));
    set_sigmas(shown, derived->sigma_t_m, derived->sigma_r_rad);
    if (message->params->covariance) {
        memcpy(shown->covariance, derived->covariance, sizeof shown->covariance);
        record_mark(&shown->base, ALIGNMENT_COVARIANCE);
    }
    record_set_integer(&shown->base, ALIGNMENT_OBSERVATIONS, relation->observations);
    record_set_integer(&shown->base, ALIGNMENT_DEVICES, relation->devices);
    record_set_integer(&shown->base, ALIGNMENT_EPOCH, (int64_t)self->relations.epoch);
    shown->path = scene_relations_path(self->settings.atlas, arena, relation);
    record_mark(&shown->base, ALIGNMENT_PATH);
    return &shown->base;
}

static void
show_transform(struct device *shown, const struct record *pose, const struct record *alignment)
{
    shown->rare->transform = pose;
    record_mark(&shown->base, DEVICE_TRANSFORM);
    if (!alignment)
        return;
    shown->rare->alignment = alignment;
    record_mark(&shown->base, DEVICE_ALIGNMENT);
}

// The transform of a device, and how it came about: sent, derived, or the identity.
static void
place_device(struct shard *self, struct message *message, uint64_t scene_id, const frozen_t *device,
             struct device *shown)
{
    struct arena *arena = &message->arena;
    const struct text *key = frozen_key(device);
    struct opened room;
    struct derived_pose derived;
    bool is_asked;
    if (frozen_has(device, DEVICE_TRANSFORM))
        show_transform(shown, device_rare_of(device_open(device, &room))->transform,
                       alignment_sent_to(message, device_open(device, &room)));
    else if (derived_pose_find(self, &message->caller, scene_id, key, &derived, &is_asked))
        show_transform(shown, pose_record(arena, &derived.pose),
                       alignment_derived(self, message, &derived));
    else
        show_transform(shown, pose_record(arena, &rigid_identity),
                       is_asked ? &alignment_new(arena, "none")->base : NULL);
}

// A device as the caller sees it: key and transform; its own also how the transform came about. It
// borrows texts and transform, which are where the device is. Most say nothing that is opened here.
static struct record *
device_shown(struct shard *self, struct message *message, uint64_t scene_id, const frozen_t *device)
{
    struct opened room;
    struct device *shown = (struct device *)(void *)record_new(&message->arena, &device_schema);
    record_set_text(&shown->base, DEVICE_KEY, frozen_key(device));
    place_device(self, message, scene_id, device, shown);
    if (record_has(&shown->base, DEVICE_ALIGNMENT) && !access_sees_all(&message->caller) &&
        !device_is_own(&message->caller, device_open(device, &room)))
        shown->base.present &= ~FIELD_BIT(DEVICE_ALIGNMENT);
    return &shown->base;
}

static void
add_device(struct shard *self, struct message *message, int64_t scene_id, const frozen_t *device,
           struct records *list)
{
    list->items[list->count++] = device_shown(self, message, (uint64_t)scene_id, device);
}

// --- in slices ---

struct showing {
    struct parcel base;
    struct scene *scene;      // loose
    struct records *shown;    // its devices
    const frozen_t **devices; // all of them, one reference each
    size_t count;
    unsigned relations_left;             // that may be worked out for it
    bool has_geoposes;                   // it shows where they are on Earth
    const struct convention *convention; // in which it is shown; NULL = as it is stored
    struct table asked;           // the devices of a registration by key, whose feeds are shown
    struct device_walk unindexed; // those of them that are not there yet
};

static void
showing_release(struct parcel *parcel)
{
    struct showing *self = (struct showing *)(void *)parcel;
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->devices[i]);
    table_finish(&self->asked);
}

static struct showing *
showing_of(const struct message *message)
{
    return (struct showing *)(void *)message->work;
}

struct showing *
showing_new(struct arena *arena, const struct record *scene, struct record_set *devices)
{
    struct showing *self = arena_alloc(arena, sizeof *self);
    size_t count;
    const frozen_t *const *items = record_set_items(devices, &count);
    *self = (struct showing){
        .base.destroy = showing_release,
        .shown = records_new(arena, count),
        .devices = arena_alloc(arena, (count + 1) * sizeof *items),
        .count = count,
    };
    self->scene = scene_with_devices(arena, scene, self->shown);
    for (size_t i = 0; i < count; i++)
        self->devices[i] = record_ref(items[i]);
    return self;
}

void
showing_destroy(struct showing **self)
{
    if (*self)
        showing_release(&(*self)->base);
    *self = NULL;
}

const struct record *
showing_record(const struct showing *self)
{
    return &self->scene->base;
}

// The work of a request that is answered with a scene.
static struct showing *
showing_begin(struct message *message, struct scene_state *scene)
{
    struct showing *showing =
        showing_new(&message->arena, frozen_record(scene->record), &scene->devices);
    showing->has_geoposes = params_want_geopose(message->params);
    message_end_work(message);
    message->work = &showing->base;
    return showing;
}

static bool
is_called(const void *value, const void *key)
{
    return text_equal(((const struct device *)value)->key, key);
}

// Adds the feed to a device of the request, for this caller alone.
static void
show_feed(const struct table *asked, struct device *shown)
{
    const struct device *device =
        table_find(asked, table_hash_text(shown->key), is_called, shown->key);
    if (!device)
        return;
    shown->rare->udp = device_rare_of(device)->udp;
    record_mark(&shown->base, DEVICE_UDP);
}

// A copy of a device, which borrows from what is stored, as it is in a convention.
static struct record *
in_convention(struct arena *arena, const struct convention *convention, const struct record *device)
{
    struct record *copy = record_copy(arena, &device_schema, device);
    convention_apply(convention, CONVENTION_OUT, copy);
    return copy;
}

// Shows the next devices, with their feeds and places on Earth. It ends behind the first one for
// which a relation is worked out, as that takes long.
static void
show_some(struct shard *self, struct message *message, struct showing *showing)
{
    enum { AT_ONCE = 16 }; // so many cost more than a look at the clock
    struct records *shown = showing->shown;
    size_t first = shown->count, end = first + AT_ONCE;
    unsigned left = self->relations.left;
    for (size_t i = first; i < showing->count && i < end && self->relations.left == left; i++) {
        add_device(self, message, showing->scene->id, showing->devices[i], shown);
        show_feed(&showing->asked, (struct device *)(void *)shown->items[i]);
    }
    if (showing->has_geoposes)
        device_geoposes_show(message, showing->scene, first);
    for (size_t i = first; showing->convention && i < shown->count; i++)
        shown->items[i] = in_convention(&message->arena, showing->convention, shown->items[i]);
}

bool
showing_goes_on(struct shard *self, struct message *message, struct showing *showing)
{
    scene_relations_begin(&self->relations, self->settings.atlas);
    if (showing->shown->count > 0) // there is a limit for the whole answer
        self->relations.left = showing->relations_left;
    while (showing->shown->count < showing->count) {
        show_some(self, message, showing);
        if (actor_must_pause(&self->base))
            break;
    }
    showing->relations_left = self->relations.left;
    return showing->shown->count == showing->count;
}

// Makes what is shown the answer, with the devices that it borrows from.
static void
add_shown(struct message *message)
{
    const struct record *shown = &showing_of(message)->scene->base;
    reply_begin_loose(message, shown, &message->work);
}

enum error
scene_answer(struct shard *self, struct message *message, struct scene_state *scene)
{
    if (!message->work) {
        TRY(device_geopose_check(message, frozen_record(scene->record)));
        showing_begin(message, scene);
        shard_tell_place(self, scene, message);
    }
    if (!showing_goes_on(self, message, showing_of(message)))
        return actor_pause(&self->base, message);
    add_shown(message);
    return OK;
}

// --- the answer of a registration ---

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
        is_derived = device && !frozen_has(device, DEVICE_TRANSFORM) &&
                     derived_pose_find(self, &message->caller, scene->id, key, &derived, &is_asked);
    const packed_t *known = is_derived ? atlas_scene(self->settings.atlas, derived.origin) : NULL;
    if (known)
        record_set_text(&origin->base, SCENE_KEY, packed_key(known));
    origin->transform = pose_record(arena, known ? &derived.relation->motion : &rigid_identity);
    record_mark(&origin->base, SCENE_TRANSFORM);
    if (convention)
        convention_apply(convention, CONVENTION_OUT, &origin->base);
    reply_add_loose(message, &scene_schema, &origin->base);
    packed_unref(&known);
}

// Indexes the devices of the request by key, where the last one counts of two, until the actor must
// pause; true: all of them are indexed.
static bool
index_request(struct shard *self, struct showing *showing)
{
    enum { WATCHED = 64 }; // so many devices cost more than a look at the clock
    const struct device *device;
    while ((device = device_walk_next(&showing->unindexed)) != NULL) {
        uint64_t hash = table_hash_text(device->key);
        void *fresh = (void *)(uintptr_t)device; // which nobody changes
        const struct device *old = table_find(&showing->asked, hash, is_called, device->key);
        if (old)
            table_replace(&showing->asked, hash, old, fresh);
        else
            table_add(&showing->asked, hash, fresh);
        if (showing->unindexed.place % WATCHED == 0 && actor_must_pause(&self->base))
            return false;
    }
    return true;
}

// Adds the feed of the request's first device to the envelope.
static void
add_feed(struct message *message, const struct table *asked)
{
    const struct scene *first = (const struct scene *)(void *)message->records->items[0];
    const struct text *key = record_key(first->devices->items[0]);
    const struct device *device = table_find(asked, table_hash_text(key), is_called, key);
    struct envelope *envelope = reply_envelope(message);
    envelope->udp = device_rare_of(device)->udp;
    record_mark(&envelope->base, ENVELOPE_UDP);
}

// Begins to show the scene of a request that ends, or goes on. PARKED: there is more to show.
static enum error
show(struct shard *self, struct message *message, bool has_feeds, struct scene_state **ret_scene)
{
    TRY(scene_to_show(self, message, ret_scene));
    if (!message->is_ending) {
        struct showing *showing = showing_begin(message, *ret_scene);
        showing->convention = registration_convention(message, *ret_scene);
        if (has_feeds) {
            showing->unindexed = device_walk_all(message);
            shard_tell_place(self, *ret_scene, message);
        }
    }
    bool is_shown = index_request(self, showing_of(message)) &&
                    showing_goes_on(self, message, showing_of(message));
    return is_shown ? OK : actor_pause_end(&self->base, message);
}

enum error
registration_answer(actor_t *actor, struct message *message, enum error error)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    TRY(error);
    TRY(show(self, message, true, &scene));
    const struct showing *showing = showing_of(message);
    add_feed(message, &showing->asked);
    add_shown(message);
    add_origin(self, message, scene, showing->convention);
    return OK;
}

enum error
devices_answer(actor_t *actor, struct message *message, enum error error)
{
    struct scene_state *scene;
    TRY(error);
    TRY(show(shard_of(actor), message, false, &scene));
    add_shown(message);
    return OK;
}
