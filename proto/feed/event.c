// event.c - lists of events on their way from a scene actor to the streamer (event.h).

#include "proto/feed/event.h"

#include <stdlib.h>
#include <string.h>

int
event_order(const void *a, const void *b)
{
    uint64_t first = ((const struct event *)a)->seq, second = ((const struct event *)b)->seq;
    return (first > second) - (first < second);
}

static void
events_release(struct parcel *parcel)
{
    struct events *self = (struct events *)(void *)parcel;
    for (uint32_t i = self->taken; i < self->count; i++) {
        record_unref(&self->items[i].scene);
        record_unref(&self->items[i].record);
        if (self->items[i].parcel)
            self->items[i].parcel->destroy(self->items[i].parcel);
    }
    free(self);
}

void
events_add(struct events **self, const struct event *event)
{
    enum { FIRST_CAPACITY = 16 };
    struct events *list = *self;
    if (!list || list->count == list->capacity) {
        uint32_t capacity = list ? list->capacity * 2 : FIRST_CAPACITY;
        struct events *grown = realloc(list, sizeof *list + capacity * sizeof list->items[0]);
        if (!grown)
            abort();
        if (!list)
            *grown = (struct events){.base.destroy = events_release};
        grown->capacity = capacity;
        *self = list = grown;
    }
    list->items[list->count++] = *event;
}

void
events_destroy(struct events **self)
{
    if (*self)
        events_release(&(*self)->base);
    *self = NULL;
}

// Makes room where most of the list was taken: it may be added to for ever and never become empty.
static void
forget_taken(struct events *self)
{
    if (self->taken <= self->count / 2)
        return;
    self->count -= self->taken;
    memmove(self->items, self->items + self->taken, self->count * sizeof self->items[0]);
    self->taken = 0;
}

struct events *
events_take(struct events **self, uint32_t count)
{
    struct events *list = *self, *taken = NULL;
    if (!list || (list->taken == 0 && list->count <= count)) {
        *self = NULL;
        return list;
    }
    forget_taken(list);
    for (uint32_t i = 0; i < count && list->taken < list->count; i++)
        events_add(&taken, &list->items[list->taken++]);
    if (list->taken == list->count)
        events_destroy(self);
    return taken;
}

void
events_put_back(struct events **self, struct events **taken)
{
    if (*self) {
        (*self)->taken -= (*taken)->count;
        free(*taken);
    } else {
        *self = *taken;
    }
    *taken = NULL;
}

const char *
event_reason_name(uint8_t reason)
{
    static const char *const names[] = {
        [REASON_EXPIRED] = "expired",
        [REASON_RELEASED] = "released",
        [REASON_DEVICE_GONE] = "device_gone",
        [REASON_REVOKED] = "revoked",
        [REASON_TAKEN] = "taken",
    };
    return reason < sizeof names / sizeof names[0] ? names[reason] : NULL;
}

const char *
event_noun(uint8_t msg_type)
{
    switch (msg_type) {
    case EVENT_SCENE_CREATED:
    case EVENT_SCENE_UPDATED:
    case EVENT_SCENE_DELETED:
        return "scene";
    case EVENT_DEVICE_REGISTERED:
    case EVENT_DEVICE_DEREGISTERED:
    case EVENT_DEVICE_KNOWN:
        return "device";
    case EVENT_ALIGNMENT_CHANGED:
        return "alignment";
    case EVENT_LOCK_GRANTED:
    case EVENT_LOCK_RELEASED:
    case EVENT_LOCK_ASKED:
        return "lock";
    case EVENT_PROPERTY_CREATED:
    case EVENT_PROPERTY_UPDATED:
    case EVENT_PROPERTY_DELETED:
        return "property";
    default:
        return msg_type >= EVENT_PROPERTY_KEYFRAME_CREATED && msg_type <= EVENT_LAST_FOR_DEVICES
                   ? "property"
                   : "object";
    }
}
