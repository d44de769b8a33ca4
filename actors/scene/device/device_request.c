// device_request.c - walks through the devices that a request names (device_request.h).
#include "actors/scene/device/device_request.h"

#include <stdlib.h>

#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/records/scene.h"

static const struct records *
devices_of(const struct message *message, size_t record)
{
    return scene_of(message->records->items[record])->devices;
}

// --- the walk ---

static size_t
count_devices(const struct message *message)
{
    size_t count = 0;
    for (size_t i = 0; i < message->records->count; i++)
        count += devices_of(message, i)->count;
    return count;
}

size_t
device_request_slice(const struct message *message)
{
    size_t left = count_devices(message) - message->progress;
    return left < DEVICES_PER_COMMIT ? left : DEVICES_PER_COMMIT;
}

static struct device_walk
walk(const struct message *message, size_t place, size_t end)
{
    struct device_walk self = {.message = message, .place = place, .end = end, .index = place};
    while (place < end && self.index >= devices_of(message, self.record)->count)
        self.index -= devices_of(message, self.record++)->count;
    return self;
}

struct device_walk
device_walk_slice(const struct message *message)
{
    return walk(message, message->progress, message->progress + device_request_slice(message));
}

struct device_walk
device_walk_all(const struct message *message)
{
    return walk(message, 0, count_devices(message));
}

const struct device *
device_walk_next(struct device_walk *self)
{
    if (self->place == self->end)
        return NULL;
    while (self->index == devices_of(self->message, self->record)->count) {
        self->record++;
        self->index = 0;
    }
    self->place++;
    return device_of(devices_of(self->message, self->record)->items[self->index++]);
}

// The JSON Pointer of the device that the walk has just passed.
static const char *
pointer_of(const struct device_walk *self, struct message *message)
{
    const struct text *member = text_format(&message->arena, "/devices/%zu", self->index - 1);
    return message_pointer(message, self->record, text_chars(member));
}

// --- the request ---

static fallible
check_scene_record(struct message *message, size_t index)
{
    const struct scene *scene = scene_of(message->records->items[index]);
    if (text_size(scene->key) && !text_equal(scene->key, message->params->scene))
        return fail(ERR_MALFORMED, message_pointer(message, index, "/key"),
                    "the body's scene is not that of the URL");
    if (!scene->devices || scene->devices->count == 0)
        return fail(ERR_MISSING, message_pointer(message, index, "/devices"), "a device is needed");
    return OK;
}

fallible
device_request_check(struct message *message)
{
    if (!message->records || message->records->count == 0)
        return fail(ERR_MISSING, "/scenes", "a scene with a device is needed");
    for (size_t i = 0; i < message->records->count; i++)
        TRY(check_scene_record(message, i));
    if (count_devices(message) > LIMIT_SCENE_DEVICES)
        return fail(ERR_INVALID, "/scenes", "a request names at most %d devices",
                    LIMIT_SCENE_DEVICES);
    return OK;
}

fallible
device_request_check_keys(struct message *message)
{
    const struct device *device;
    for (struct device_walk all = device_walk_all(message);
         (device = device_walk_next(&all)) != NULL;)
        if (text_size(device->key) == 0)
            return fail(ERR_MISSING, pointer_of(&all, message), "the device needs a key");
    return OK;
}

// --- before the first commit ---

static void
release(struct parcel *parcel)
{
    free(parcel);
}

struct device_looking *
device_looking_of(struct message *message)
{
    if (!message->work) {
        struct device_looking *looking = memory_take_zeroed(sizeof *looking);
        looking->base.destroy = release;
        message->work = &looking->base;
    }
    return (struct device_looking *)(void *)message->work;
}

// The look at the devices of the scene with this id (0 = there is none): begun anew where it was in
// another scene with the same key.
static struct device_looking *
looking_in(struct message *message, uint64_t scene_id)
{
    struct device_looking *looking = device_looking_of(message);
    if (looking->scene_id != scene_id) {
        looking->looked = looking->fresh = 0;
        looking->scene_id = scene_id;
    }
    return looking;
}

enum error
device_request_look(struct shard *self, struct message *message, struct scene_state *scene,
                    device_function *look)
{
    enum { WATCHED = 16 }; // so many devices cost more than a look at the clock
    const struct device *device;
    if (message->progress > 0)
        return OK;
    struct device_looking *looking = looking_in(message, scene ? scene->id : 0);
    struct device_walk rest = walk(message, looking->looked, count_devices(message));
    while ((device = device_walk_next(&rest)) != NULL) {
        TRY(look(self, message, scene, device, pointer_of(&rest, message)));
        looking->looked = rest.place;
        if (rest.place % WATCHED == 0 && actor_must_pause(&self->base))
            return actor_pause(&self->base, message);
    }
    return OK;
}

enum error
device_request_each(struct shard *self, struct message *message, struct scene_state *scene,
                    device_function *function)
{
    const struct device *device;
    for (struct device_walk slice = device_walk_slice(message);
         (device = device_walk_next(&slice)) != NULL;)
        TRY(function(self, message, scene, device, pointer_of(&slice, message)));
    return OK;
}
