// scene_export.c - what is stored in scenes about one user (scene_export.h): a walk through the
// catalogue in slices. Places are in its order: key of the scene, kind, key in the scene.
#include "actors/scene/scene_export.h"

#include <stdlib.h>
#include <string.h>

#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"
#include "proto/records/correction.h"
#include "proto/records/device.h"
#include "proto/records/export_item.h"

// The work of a message.
struct export_walk {
    struct parcel base;
    uint64_t left;             // items that the page takes, and one to know whether there are more
    const struct text *after;  // items up to this place are left out; NULL = none
    const struct text *passed; // key of the scene that the last slice ended behind; NULL = none
};

static void
release(struct parcel *parcel)
{
    free(parcel);
}

static struct export_walk *
walk_of(struct message *message)
{
    if (!message->work) {
        struct export_walk *self = memory_take_zeroed(sizeof *self);
        const struct params *params = message->params;
        self->base.destroy = release;
        self->left = (uint64_t)params->start_record + (uint64_t)params->num_records + 1;
        self->after = export_item_after(message->records);
        message->work = &self->base;
    }
    return (struct export_walk *)(void *)message->work;
}

// The item of `record`, whose kind in the scene is `noun`; NULL where it is left out.
static struct record *
add(struct export_walk *self, struct message *message, const struct text *scene, const char *noun,
    unsigned member, const struct record *record)
{
    const struct text *place =
        text_format(&message->arena, "%s" EXPORT_PLACE_GAP "%s" EXPORT_PLACE_GAP "%s",
                    text_chars(scene), noun, text_chars(record_key(record)));
    if (self->left == 0 || (self->after && text_compare(place, self->after) <= 0))
        return NULL;
    self->left--;
    struct record *item = record_new(&message->arena, &export_item_schema);
    record_set_text(item, EXPORT_ITEM_PLACE, place);
    record_set_text(item, EXPORT_ITEM_SCENE_KEY, scene);
    MEMBER(const struct record *, item, schema_field(&export_item_schema, member)) = record;
    record_mark(item, member);
    return item;
}

static void
answer(struct message *message, const struct record *item)
{
    if (item)
        reply_add_loose(message, &export_item_schema, item);
}

static void
add_corrections(struct export_walk *self, struct message *message, struct scene_state *scene)
{
    size_t count;
    const frozen_t *const *corrections = record_set_items(&scene->evidence, &count);
    for (size_t i = 0; i < count; i++) {
        const struct record *record = frozen_record(corrections[i]);
        if (text_equal(correction_record_of(record)->user, message->params->user))
            answer(message,
                   add(self, message, scene->key, "correction", EXPORT_ITEM_CORRECTION, record));
    }
}

static void
add_registrations(struct export_walk *self, struct message *message, struct scene_state *scene)
{
    size_t count;
    const frozen_t *const *devices = record_set_items(&scene->devices, &count);
    for (size_t i = 0; i < count; i++) {
        struct opened room;
        const struct device *device = device_open(devices[i], &room);
        if (!text_equal(device->user, message->params->user))
            continue;
        struct record *item =
            add(self, message, scene->key, "registration", EXPORT_ITEM_REGISTRATION, &device->base);
        if (item) {
            record_set_text(item, EXPORT_ITEM_ADDRESS, device->peer);
            record_set_integer(item, EXPORT_ITEM_SINCE, device->since_us);
        }
        answer(message, item);
    }
}

// In the order of their places.
static void
add_scene(struct export_walk *self, struct message *message, struct scene_state *scene,
          const struct record *record)
{
    if (scene) { // else it is at rest, and has neither
        add_corrections(self, message, scene);
        add_registrations(self, message, scene);
    }
    if (text_equal(scene_of(record)->user, message->params->user))
        answer(message, add(self, message, record_key(record), "scene", EXPORT_ITEM_SCENE, record));
}

// Where the walk goes on: behind the scene that it has passed, else at the scene of the place.
static size_t
first_scene(struct shard *self, struct message *message, const struct export_walk *walk)
{
    if (walk->passed)
        return record_set_place_after(&self->catalogue, walk->passed);
    if (text_size(walk->after) == 0)
        return 0;
    const char *gap = memchr(text_bytes(walk->after), EXPORT_PLACE_GAP[0], text_size(walk->after));
    size_t size = gap ? (size_t)(gap - text_bytes(walk->after)) : text_size(walk->after);
    const struct text *key = text_new(&message->arena, text_bytes(walk->after), size);
    return scenes_place(self, key);
}

enum error
scene_export(actor_t *actor, struct message *message)
{
    enum { WATCHED = 16 }; // so many scenes cost more than a look at the clock
    struct shard *self = shard_of(actor);
    struct export_walk *walk = walk_of(message);
    uint64_t wanted =
        (uint64_t)message->params->start_record + (uint64_t)message->params->num_records;
    size_t count, i = first_scene(self, message, walk);
    const frozen_t *const *scenes = record_set_items(&self->catalogue, &count);
    for (size_t seen = 1; i < count && walk->left; i++, seen++) {
        struct opened room;
        add_scene(walk, message, scenes_find(self, frozen_key(scenes[i])),
                  packed_open(frozen_packed(scenes[i]), &room));
        if (seen % WATCHED == 0 && actor_must_pause(actor)) {
            walk->passed = text_copy(&message->arena, frozen_key(scenes[i]));
            return actor_pause(actor, message);
        }
    }
    message->reply.more = message->reply.count > wanted;
    if (message->reply.more)
        reply_truncate(message, (uint32_t)wanted);
    return OK;
}
