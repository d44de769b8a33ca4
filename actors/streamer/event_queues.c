// event_queues.c - lists of taps by scene (taps.h). Who is gone is noticed when an event comes for
// them, or somebody joins the same scene; and in all scenes now and then, so that streams that come
// and go on scenes where nothing happens leave nothing behind.

#include "actors/streamer/event_queues.h"
#include <stdlib.h>
#include "proto/base/memory.h"
#include "proto/feed/event_queue.h"

enum { JOINED_BETWEEN_LOOKS = 64 }; // and as many as there are scenes

struct joined {
    tap_t *tap; // one reference
    unsigned scene;
};

struct tapped {
    uint64_t scene_id;
    uint32_t count, capacity;
    struct joined *taps;
};

static bool
tapped_has_id(const void *value, const void *key)
{
    const struct tapped *tapped = value;
    const uint64_t *id = key;
    return tapped->scene_id == *id;
}

static struct tapped *
taps_find(const struct taps *self, uint64_t scene_id)
{
    return table_find(&self->scenes, table_hash_u64(scene_id), tapped_has_id, &scene_id);
}

static void
tapped_destroy(struct tapped *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        tap_unref(&self->taps[i].tap);
    free(self->taps);
    free(self);
}

static void
taps_forget(struct taps *self, struct tapped *tapped)
{
    table_remove(&self->scenes, table_hash_u64(tapped->scene_id), tapped);
    tapped_destroy(tapped);
}

void
taps_finish(struct taps *self)
{
    size_t cursor = 0;
    struct tapped *tapped;
    while ((tapped = table_next(&self->scenes, &cursor)) != NULL)
        tapped_destroy(tapped);
    table_finish(&self->scenes);
}

// Lets those go whose worker is gone.
static void
tapped_prune(struct tapped *self)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        if (tap_is_closed(self->taps[i].tap))
            tap_unref(&self->taps[i].tap);
        else
            self->taps[kept++] = self->taps[i];
    }
    self->count = kept;
}

// Looks at all scenes, once for so many joiners that each pays for a bounded part of it.
static void
taps_prune(struct taps *self)
{
    if (++self->joined < self->scenes.count + JOINED_BETWEEN_LOOKS)
        return;
    size_t cursor = 0, empty_count = 0;
    struct tapped *tapped, **empty = memory_take((self->scenes.count + 1) * sizeof *empty);
    while ((tapped = table_next(&self->scenes, &cursor)) != NULL) {
        tapped_prune(tapped);
        if (tapped->count == 0)
            empty[empty_count++] = tapped;
    }
    for (size_t i = 0; i < empty_count; i++)
        taps_forget(self, empty[i]);
    free(empty);
    self->joined = 0;
}

// A tap that joins again, because it fell behind, is there already.
static void
tapped_add(struct tapped *self, const struct event *event)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->taps[i].tap == event->tap && self->taps[i].scene == event->tap_scene)
            return;
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 1;
        self->taps = memory_resize(self->taps, self->capacity * sizeof self->taps[0]);
    }
    self->taps[self->count++] = (struct joined){tap_ref(event->tap), event->tap_scene};
}

static void
taps_join(struct taps *self, const struct event *event)
{
    taps_prune(self);
    struct tapped *tapped = taps_find(self, event->scene_id);
    if (!tapped) {
        tapped = memory_take_zeroed(sizeof *tapped);
        tapped->scene_id = event->scene_id;
        table_add(&self->scenes, table_hash_u64(tapped->scene_id), tapped);
    }
    tapped_prune(tapped);
    tapped_add(tapped, event);
    tap_attach(event->tap, event->tap_scene, event->seq);
}

bool
taps_take(struct taps *self, const struct event *event)
{
    if (event->msg_type == EVENT_TAPPED) {
        taps_join(self, event);
        return true;
    }
    if (self->scenes.count == 0 || event->msg_type == EVENT_DEVICE_KNOWN)
        return false;
    struct tapped *tapped = taps_find(self, event->scene_id);
    if (!tapped)
        return false;
    tapped_prune(tapped);
    for (uint32_t i = 0; i < tapped->count; i++)
        tap_push(tapped->taps[i].tap, tapped->taps[i].scene, event);
    if (tapped->count == 0 || event->msg_type == EVENT_SCENE_DELETED)
        taps_forget(self, tapped);
    return false;
}

size_t
taps_count(const struct taps *self)
{
    size_t cursor = 0, count = 0;
    const struct tapped *tapped;
    while ((tapped = table_next(&self->scenes, &cursor)) != NULL)
        count += tapped->count;
    return count;
}
