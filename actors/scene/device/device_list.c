// device_list.c - a walk through the devices of all scenes of a scene actor, in the order of their
// places. It goes in rounds: some devices are found, the streamer says how their feeds fare, those
// that are asked for join the answer.
#include "actors/scene/device/device_list.h"

#include <stdlib.h>

#include "actors/scene/device/device_places.h"
#include "actors/scene/device/device_view.h"
#include "actors/scene/event_outlet.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/token_index.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/feed/feed_report.h"
#include "proto/message/access_item.h"
#include "proto/records/device.h"
#include "proto/records/device_report.h"

enum {
    ROUND_DEVICES = 250, // as many as both actors look at within a millisecond
    WATCHED = 16,        // so many devices or scenes cost more than a look at the clock
    MOST_RECORDS = 10000 // of all pages up to the one that is asked for; `after` goes further
};

// The work of a request.
struct list_walk {
    struct parcel base;
    uint64_t left;               // devices that the page takes, and one to know if there are more
    const struct text *in_scene; // the one scene that is asked for; NULL = all
    const struct text *only;     // the one device of it; NULL = all
    const struct text *state;    // of those that are asked for; NULL = all
    const struct text *scene;    // where it goes on: at this scene (NULL = at the first),
    const struct text *device;   // behind this device; NULL = behind the whole scene
    unsigned looks;              // since the last look at the clock
    bool is_over;                // it has seen the last device
    struct device_places places; // of those that are asked for
    struct feed_report *round;   // being filled, or NULL
};

// --- the request ---

static void
release(struct parcel *parcel)
{
    struct list_walk *self = (struct list_walk *)(void *)parcel;
    if (self->round)
        self->round->base.destroy(&self->round->base);
    free(self);
}

static fallible
check(const struct message *message, const struct text *state)
{
    const struct params *params = message->params;
    if (params->start_record > MOST_RECORDS - params->num_records)
        return fail(ERR_INVALID, "/start_record", "beyond %d records go on with after",
                    MOST_RECORDS);
    if (text_size(state) && !feed_state_is_name(state))
        return fail(ERR_INVALID, "/state", "no feed has this state");
    return OK;
}

static fallible
begin(struct message *message)
{
    const struct records *filters = message->records;
    const struct record *asked = filters && filters->count ? filters->items[0] : NULL;
    const struct text *state = asked ? record_text(asked, DEVICE_REPORT_STATE) : NULL;
    struct device_places places;
    TRY(check(message, state));
    TRY(device_places_read(message, &places));
    struct list_walk *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = release;
    self->left =
        (uint64_t)message->params->start_record + (uint64_t)message->params->num_records + 1;
    self->state = text_size(state) ? state : NULL;
    if (asked && text_size(record_text(asked, DEVICE_REPORT_SCENE)))
        self->in_scene = record_text(asked, DEVICE_REPORT_SCENE);
    if (asked && record_has(asked, DEVICE_REPORT_AFTER))
        device_place_split(&message->arena, record_text(asked, DEVICE_REPORT_AFTER), &self->scene,
                           &self->device);
    self->places = places;
    if (text_size(message->params->feature)) {
        self->in_scene = message->params->scene;
        self->only = message->params->feature;
    }
    message->work = &self->base;
    return OK;
}

// --- finding ---

// A page without a filter takes no more than it has room for.
static uint32_t
round_size(const struct list_walk *self)
{
    return !self->state && self->left < ROUND_DEVICES ? (uint32_t)self->left : ROUND_DEVICES;
}

static bool
is_round_full(const struct list_walk *self)
{
    return self->round->count == self->round->capacity;
}

// Whether this turn has taken long enough.
static bool
must_pause(const actor_t *actor, struct list_walk *self)
{
    if (++self->looks < WATCHED)
        return false;
    self->looks = 0;
    return actor_must_pause(actor);
}

static void
stop_at(struct list_walk *self, struct message *message, const struct text *scene,
        const struct text *device)
{
    self->scene = text_copy(&message->arena, scene);
    self->device = device ? text_copy(&message->arena, device) : NULL;
}

// Whether the list may have the device: `frame` is that of its scene.
static bool
is_wanted(struct shard *self, const struct message *message, const struct list_walk *walk,
          const struct geo_frame *frame, uint64_t scene_id, const struct device *device)
{
    owned(arena_finish) struct arena arena = {0};
    if (walk->only && !text_equal(walk->only, device->key))
        return false;
    if (walk->state && !device_is_own(&message->caller, device))
        return false;
    return !walk->places.is_asked || device_places_find(&walk->places, self, &arena,
                                                        &message->caller, frame, scene_id, device);
}

// Finds devices of a scene, from the `i`-th on; false: it stopped before the last one.
static bool
find_in_scene(actor_t *actor, struct message *message, struct list_walk *self,
              struct scene_state *scene, size_t i)
{
    size_t count;
    struct geo_frame frame;
    struct shard *shard = shard_of(actor);
    unsigned left = shard->relations.left;
    const frozen_t *const *devices = record_set_items(&scene->devices, &count);
    if (!device_places_enter(&self->places, frozen_record(scene->record), &frame))
        return true;
    for (; i < count; i++) {
        struct opened room;
        const struct device *device = device_open(devices[i], &room);
        if (is_wanted(shard, message, self, &frame, scene->id, device))
            feed_report_add(self->round, scene->record, scene->id, devices[i])->is_asked =
                device_is_own(&message->caller, device);
        bool is_long = shard->relations.left != left; // a relation was worked out
        if (is_round_full(self) || is_long || must_pause(actor, self)) {
            stop_at(self, message, scene->key, frozen_key(devices[i]));
            return false;
        }
    }
    return true;
}

// The first device of the scene behind the place where the walk goes on.
static size_t
first_device(const struct list_walk *self, struct scene_state *scene)
{
    return self->scene && text_equal(scene->key, self->scene) && text_size(self->device)
               ? record_set_place_after(&scene->devices, self->device)
               : 0;
}

static size_t
first_scene(struct shard *self, const struct list_walk *walk)
{
    const struct text *from = walk->scene;
    if (walk->in_scene && (!from || text_compare(from, walk->in_scene) < 0))
        return scenes_place(self, walk->in_scene);
    if (!from)
        return 0;
    return walk->device ? scenes_place(self, from) : record_set_place_after(&self->catalogue, from);
}

// Finds devices for a round. False: it stopped before the last one.
static bool
find_devices(actor_t *actor, struct message *message, struct list_walk *walk)
{
    struct shard *self = shard_of(actor);
    size_t count, i = first_scene(self, walk);
    scene_relations_begin(&self->relations, self->settings.atlas);
    const frozen_t *const *scenes = record_set_items(&self->catalogue, &count);
    for (; i < count; i++) {
        if (walk->in_scene && !text_equal(frozen_key(scenes[i]), walk->in_scene))
            return true;
        struct scene_state *scene = scenes_find(self, frozen_key(scenes[i]));
        if (scene && scene_is_seen(&message->caller, frozen_record(scene->record)) &&
            !find_in_scene(actor, message, walk, scene, first_device(walk, scene)))
            return false;
        if (must_pause(actor, walk)) {
            stop_at(walk, message, frozen_key(scenes[i]), NULL);
            return false;
        }
    }
    return true;
}

// --- answering ---

// What its user and administrators see of a device that is registered, and of its feed.
static void
show_own(const struct shard *self, struct arena *arena, const struct caller *caller,
         const struct feed_item *item, struct device_report *shown)
{
    struct opened room;
    const struct device *device = device_open(item->device, &room);
    struct record *record = &shown->base;
    uint64_t told_us = token_index_heard_us(self, item->device);
    uint64_t heard_us = told_us > item->heard_us ? told_us : item->heard_us;
    if (text_size(device->user))
        record_set_text(record, DEVICE_REPORT_USER, device->user);
    record_set_text(record, DEVICE_REPORT_STATE, text_from(arena, feed_state_name(item->state)));
    if (text_size(device_rare_of(device)->convention))
        record_set_text(record, DEVICE_REPORT_CONVENTION, device_rare_of(device)->convention);
    if (heard_us)
        record_set_integer(record, DEVICE_REPORT_HEARD, (int64_t)heard_us);
    record_set_integer(record, DEVICE_REPORT_SINCE, device->since_us);
    if (record_has(&device->base, DEVICE_TRANSFORM)) {
        shown->alignment = device_alignment_sent(arena, device);
        record_mark(record, DEVICE_REPORT_ALIGNMENT);
    }
    if (item->state == FEED_NONE)
        return;
    record_set_text(record, DEVICE_REPORT_FORM,
                    text_from(arena, feed_form_name(item->form, item->is_sealed)));
    if (item->rate_hz)
        record_set_integer(record, DEVICE_REPORT_RATE, item->rate_hz);
    if (item->address[0] && access_sees_all(caller))
        record_set_text(record, DEVICE_REPORT_ADDRESS, text_from(arena, item->address));
    shown->sent_s = item->sent_s;
    shown->lost_s = item->lost_s;
    shown->is_behind = item->is_behind;
    record->present |= FIELD_BIT(DEVICE_REPORT_SENT) | FIELD_BIT(DEVICE_REPORT_LOST) |
                       FIELD_BIT(DEVICE_REPORT_BEHIND);
}

// Where the device is on Earth; false: it is not wanted, or its scene has no place.
static bool
show_place(struct shard *self, const struct message *message, const struct feed_item *item,
           struct arena *arena, struct device_report *shown)
{
    const struct list_walk *walk = (const struct list_walk *)(const void *)message->work;
    struct geo_frame frame;
    struct opened room;
    if (!device_places_enter(&walk->places, frozen_record(item->scene), &frame))
        return false;
    shown->geopose = device_places_find(&walk->places, self, arena, &message->caller, &frame,
                                        item->scene_id, device_open(item->device, &room));
    if (shown->geopose)
        record_mark(&shown->base, DEVICE_REPORT_GEOPOSE);
    return shown->geopose != NULL;
}

// Adds the device to the answer; false: it does not belong there any more.
static bool
add(struct shard *self, struct message *message, const struct feed_item *item)
{
    const struct list_walk *walk = (const struct list_walk *)(const void *)message->work;
    struct arena arena = {0};
    struct record *record = record_new(&arena, &device_report_schema);
    struct device_report *shown = (struct device_report *)(void *)record;
    const struct text *scene = frozen_key(item->scene), *device = frozen_key(item->device);
    record_set_text(record, DEVICE_REPORT_PLACE, device_place(&arena, scene, device));
    record_set_text(record, DEVICE_REPORT_SCENE, scene);
    record_set_text(record, DEVICE_REPORT_KEY, device);
    if (walk->places.is_asked && !show_place(self, message, item, &arena, shown)) {
        arena_finish(&arena); // it is elsewhere by now
        return false;
    }
    if (item->is_asked)
        show_own(self, &arena, &message->caller, item, shown);
    reply_add_loose(message, &device_report_schema, record);
    arena_finish(&arena);
    return true;
}

// Adds the devices of a round that are asked for, as many as the page takes.
static void
add_round(struct shard *self, struct message *message, const struct feed_report *round)
{
    struct list_walk *walk = (struct list_walk *)(void *)message->work;
    for (uint32_t i = 0; i < round->count && walk->left; i++) {
        const struct feed_item *item = &round->items[i];
        if (walk->state && !text_is(walk->state, feed_state_name(item->state)))
            continue;
        walk->left -= add(self, message, item);
    }
}

static enum error
end(struct message *message)
{
    const struct params *params = message->params;
    uint32_t wanted = (uint32_t)(params->start_record + params->num_records);
    message->reply.more = message->reply.count > wanted;
    if (message->reply.more)
        reply_truncate(message, wanted);
    return OK;
}

// The request waits in the question until that comes back.
static enum error
ask_streamer(struct shard *self, struct message *message, struct list_walk *walk)
{
    struct message *question = message_create(FEED_REPORT);
    struct feed_report *round = walk->round;
    walk->round = NULL;
    round->request = message;
    question->id = ++self->next_id;
    question->parcel = &round->base;
    if (event_outlet_put(self, &question))
        return PARKED;
    actor_answer(&self->base, &round->request, fail(ERR_UNAVAILABLE, "", "the feeds are busy"));
    message_destroy(&question);
    return PARKED;
}

enum error
device_list(actor_t *actor, struct message *message)
{
    if (!message->work)
        TRY(begin(message));
    struct list_walk *walk = (struct list_walk *)(void *)message->work;
    if (walk->left == 0 || walk->is_over)
        return end(message);
    if (!walk->round)
        walk->round = feed_report_create(round_size(walk));
    walk->is_over = find_devices(actor, message, walk);
    if (walk->round->count > 0)
        return ask_streamer(shard_of(actor), message, walk);
    return walk->is_over ? end(message) : actor_pause(actor, message);
}

enum error
device_list_reported(actor_t *actor, struct message *message)
{
    struct feed_report *round = feed_report_of(message);
    struct message *request = round->request;
    round->request = NULL;
    add_round(shard_of(actor), request, round);
    message_destroy(&message);
    actor_pause(actor, request);
    return PARKED;
}
