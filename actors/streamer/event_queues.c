// event_queues.c - lists of queues by scene (event_queues.h). A closed queue is released at the
// next event of its scene, or when so many joined that the list must grow. From time to time all
// scenes are walked, so that closed queues of silent scenes are released too.

#include "actors/streamer/event_queues.h"

#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/feed/event_queue.h"
#include "proto/feed/topic.h"
#include "proto/record/record_packed.h"

enum { JOINED_BETWEEN_WALKS = 64 }; // plus the number of scenes

struct joined {
    event_queue_t *queue; // one reference
    unsigned scene;
};

struct queued_scene {
    uint64_t scene_id;
    uint32_t count, capacity;
    struct joined *queues;
};

static bool
queued_scene_has_id(const void *value, const void *key)
{
    const struct queued_scene *queued = value;
    const uint64_t *id = key;
    return queued->scene_id == *id;
}

static struct queued_scene *
event_queues_find(const struct event_queues *self, uint64_t scene_id)
{
    return table_find(&self->scenes, table_hash_u64(scene_id), queued_scene_has_id, &scene_id);
}

static void
queued_scene_destroy(struct queued_scene *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        event_queue_unref(&self->queues[i].queue);
    free(self->queues);
    free(self);
}

static void
event_queues_forget(struct event_queues *self, struct queued_scene *queued)
{
    table_remove(&self->scenes, table_hash_u64(queued->scene_id), queued);
    queued_scene_destroy(queued);
}

void
event_queues_finish(struct event_queues *self)
{
    size_t cursor = 0;
    struct queued_scene *queued;
    while ((queued = table_next(&self->scenes, &cursor)) != NULL)
        queued_scene_destroy(queued);
    table_finish(&self->scenes);
}

// Releases the queues that their listener has closed.
static void
queued_scene_prune(struct queued_scene *self)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        if (event_queue_is_closed(self->queues[i].queue))
            event_queue_unref(&self->queues[i].queue);
        else
            self->queues[kept++] = self->queues[i];
    }
    self->count = kept;
}

// Walks over all scenes once for so many joined queues that each pays for a bounded part.
static void
event_queues_prune(struct event_queues *self)
{
    if (++self->joined < self->scenes.count + JOINED_BETWEEN_WALKS)
        return;
    size_t cursor = 0, empty_count = 0;
    struct queued_scene *queued, **empty = memory_take((self->scenes.count + 1) * sizeof *empty);
    while ((queued = table_next(&self->scenes, &cursor)) != NULL) {
        queued_scene_prune(queued);
        if (queued->count == 0)
            empty[empty_count++] = queued;
    }
    for (size_t i = 0; i < empty_count; i++)
        event_queues_forget(self, empty[i]);
    free(empty);
    self->joined = 0;
}

// A queue that fell behind joins again and is in the list already.
static void
queued_scene_add(struct queued_scene *self, const struct watching *watching)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->queues[i].queue == watching->queue && self->queues[i].scene == watching->scene)
            return;
    if (self->count == self->capacity)
        queued_scene_prune(self); // no more often: ten thousand may join at once
    if (self->count * 4 >= self->capacity * 3) {
        self->capacity = self->capacity ? self->capacity * 2 : 1;
        self->queues = memory_resize(self->queues, self->capacity * sizeof self->queues[0]);
    }
    self->queues[self->count++] =
        (struct joined){event_queue_ref(watching->queue), watching->scene};
}

static void
event_queues_join(struct event_queues *self, const struct event *event)
{
    const struct watching *watching = (const struct watching *)(void *)event->parcel;
    event_queues_prune(self);
    struct queued_scene *queued = event_queues_find(self, event->scene_id);
    if (!queued) {
        queued = memory_take_zeroed(sizeof *queued);
        queued->scene_id = event->scene_id;
        table_add(&self->scenes, table_hash_u64(queued->scene_id), queued);
    }
    queued_scene_add(queued, watching);
    event_queue_attach(watching->queue, watching->scene, event->seq);
}

// Streams read records that are not packed, as those of devices are.
static void
push_to_all(const struct queued_scene *queued, const struct event *event)
{
    struct event shown = *event;
    shown.record = frozen_unpack(event->record);
    for (uint32_t i = 0; i < queued->count; i++)
        event_queue_push(queued->queues[i].queue, queued->queues[i].scene, &shown);
    record_unref(&shown.record);
}

bool
event_queues_take(struct event_queues *self, const struct event *event)
{
    if (event->msg_type == EVENT_QUEUE_JOINED) {
        event_queues_join(self, event);
        return true;
    }
    if (self->scenes.count == 0 || event->msg_type == EVENT_DEVICE_KNOWN)
        return false;
    struct queued_scene *queued = event_queues_find(self, event->scene_id);
    if (!queued)
        return false;
    queued_scene_prune(queued);
    push_to_all(queued, event);
    bool has_ended = event->msg_type == EVENT_SCENE_DELETED && !topic_has_id(event->scene_id);
    if (queued->count == 0 || has_ended)
        event_queues_forget(self, queued);
    return false;
}

size_t
event_queues_count(const struct event_queues *self)
{
    size_t cursor = 0, count = 0;
    const struct queued_scene *queued;
    while ((queued = table_next(&self->scenes, &cursor)) != NULL)
        count += queued->count;
    return count;
}
