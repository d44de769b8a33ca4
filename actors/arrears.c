// arrears.c - a list in the order of seq with holes, closed when they are too many (arrears.h).

#include "actors/arrears.h"
#include <stdlib.h>
#include "proto/base/memory.h"

enum {
    FIRST_ITEMS = 16,
    HOLES = 64, // that are always allowed
};

// The index holds places + 1. Events of actions stand apart: others do not show actions.
struct sought {
    const struct arrears *arrears;
    const struct text *key;
    bool is_of_actions;
};

static bool
place_is_of(const void *value, const void *key)
{
    const struct sought *sought = key;
    const struct event *event = &sought->arrears->items[(uintptr_t)value - 1].event;
    return event_is_of_actions(event->msg_type) == sought->is_of_actions &&
           text_equal(record_key(event->record), sought->key);
}

static bool
is_create(uint8_t msg_type)
{
    return msg_type == EVENT_OBJECT_CREATED || msg_type == EVENT_PROPERTY_CREATED;
}

static bool
is_update(uint8_t msg_type)
{
    return msg_type == EVENT_OBJECT_UPDATED || msg_type == EVENT_PROPERTY_UPDATED;
}

static void
item_release(struct arrears_item *item)
{
    record_unref(&item->event.scene);
    record_unref(&item->event.record);
}

void
arrears_clear(struct arrears *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        item_release(&self->items[i]);
    free(self->items);
    table_finish(&self->index);
    *self = (struct arrears){.floor = self->floor};
}

static uint64_t
item_hash(const struct arrears_item *item)
{
    return table_hash_text(record_key(item->event.record));
}

// Closes the holes.
static void
arrears_compact(struct arrears *self)
{
    uint32_t count = self->count;
    self->count = 0;
    table_finish(&self->index);
    for (uint32_t i = 0; i < count; i++) {
        if (!self->items[i].event.record)
            continue;
        self->items[self->count++] = self->items[i];
        table_add(&self->index, item_hash(&self->items[i]), (void *)(uintptr_t)self->count);
    }
}

static void
arrears_append(struct arrears *self, const struct arrears_item *item)
{
    if (self->count > 2 * self->live + HOLES)
        arrears_compact(self);
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : FIRST_ITEMS;
        self->items = memory_resize(self->items, self->capacity * sizeof self->items[0]);
    }
    self->items[self->count++] = *item;
}

void
arrears_take(struct arrears *self, const struct event *event)
{
    struct arrears_item item = {.event = *event};
    struct sought sought = {self, record_key(event->record), event_is_of_actions(event->msg_type)};
    uint64_t hash = table_hash_text(sought.key);
    uintptr_t place = (uintptr_t)table_find(&self->index, hash, place_is_of, &sought);
    if (!place && self->live >= ARREARS_EVENTS) {
        arrears_clear(self);
        self->floor = event->seq;
        return;
    }
    item.event.scene = record_ref(event->scene);
    item.event.record = record_ref(event->record);
    item.created = is_create(event->msg_type) ? event->seq : 0;
    if (place) {
        struct arrears_item *old = &self->items[place - 1];
        if (is_update(event->msg_type))
            item.created = old->created;
        table_remove(&self->index, hash, (void *)place);
        item_release(old);
        self->live--;
    }
    arrears_append(self, &item);
    self->live++;
    table_add(&self->index, hash, (void *)(uintptr_t)self->count);
}

const struct event *
arrears_after(const struct arrears *self, uint64_t seq, struct event *ret_event)
{
    uint32_t low = 0, high = self->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (self->items[middle].event.seq <= seq)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < self->count && !self->items[low].event.record)
        low++;
    if (low == self->count)
        return NULL;
    *ret_event = self->items[low].event;
    if (is_update(ret_event->msg_type) && self->items[low].created > seq)
        ret_event->msg_type--;
    return ret_event;
}
