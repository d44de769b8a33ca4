// catch_up.c - a list in the order of seq (catch_up.h). A superseded event leaves a hole; many
// holes are closed at once.

#include "actors/streamer/fanout/catch_up.h"

#include <stdlib.h>

#include "proto/base/memory.h"

enum {
    FIRST_ITEMS = 16,
    HOLES = 64, // that are always allowed
};

// The index holds places + 1. Events of actions are kept apart, because other events do not show
// actions.
struct sought {
    const struct catch_up *catch_up;
    const struct text *key;
    bool is_of_actions;
};

static bool
place_is_of(const void *value, const void *key)
{
    const struct sought *sought = key;
    const struct event *event = &sought->catch_up->items[(uintptr_t)value - 1].event;
    return event_is_of_actions(event->msg_type) == sought->is_of_actions &&
           text_equal(frozen_key(event->record), sought->key);
}

static void
item_release(struct catch_up_item *item)
{
    record_unref(&item->event.scene);
    record_unref(&item->event.record);
}

void
catch_up_clear(struct catch_up *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        item_release(&self->items[i]);
    free(self->items);
    table_finish(&self->index);
    *self = (struct catch_up){.floor = self->floor};
}

static uint64_t
item_hash(const struct catch_up_item *item)
{
    return table_hash_text(frozen_key(item->event.record));
}

static size_t
bytes_of(const struct catch_up_item *item)
{
    return event_is_delete(item->event.msg_type) ? record_size(item->event.record) : 0;
}

// Closes the holes.
static void
catch_up_compact(struct catch_up *self)
{
    uint32_t count = self->count;
    self->count = 0;
    self->bytes = 0;
    table_finish(&self->index);
    for (uint32_t i = 0; i < count; i++) {
        if (!self->items[i].event.record)
            continue;
        self->items[self->count++] = self->items[i];
        self->bytes += bytes_of(&self->items[i]);
        table_add(&self->index, item_hash(&self->items[i]), (void *)(uintptr_t)self->count);
    }
}

static void
catch_up_append(struct catch_up *self, const struct catch_up_item *item)
{
    if (self->count > 2 * self->live + HOLES)
        catch_up_compact(self);
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : FIRST_ITEMS;
        self->items = memory_resize(self->items, self->capacity * sizeof self->items[0]);
    }
    self->items[self->count++] = *item;
    self->bytes += bytes_of(item);
}

static struct catch_up_item
item_of(const struct event *event)
{
    struct catch_up_item item = {*event, event_is_create(event->msg_type) ? event->seq : 0};
    item.event.scene = record_ref(event->scene);
    item.event.record = record_ref(event->record);
    return item;
}

static void
forget_up_to(struct catch_up *self, uint64_t seq)
{
    catch_up_clear(self);
    self->floor = seq;
}

void
catch_up_take(struct catch_up *self, const struct event *event)
{
    struct sought sought = {self, frozen_key(event->record), event_is_of_actions(event->msg_type)};
    uint64_t hash = table_hash_text(sought.key);
    uintptr_t place = (uintptr_t)table_find(&self->index, hash, place_is_of, &sought);
    if (!place && self->live >= CATCH_UP_EVENTS) {
        forget_up_to(self, event->seq);
        return;
    }
    struct catch_up_item item = item_of(event);
    if (place) {
        struct catch_up_item *old = &self->items[place - 1];
        if (event_is_update(event->msg_type))
            item.created = old->created;
        table_remove(&self->index, hash, (void *)place);
        self->bytes -= bytes_of(old);
        item_release(old);
        self->live--;
    }
    catch_up_append(self, &item);
    self->live++;
    table_add(&self->index, hash, (void *)(uintptr_t)self->count);
    if (self->bytes > CATCH_UP_BYTES)
        forget_up_to(self, event->seq);
}

bool
catch_up_after(const struct catch_up *self, uint64_t seq, uint64_t behind, struct event *ret_event)
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
        return false;
    *ret_event = self->items[low].event;
    if (event_is_update(ret_event->msg_type) && self->items[low].created > behind)
        ret_event->msg_type--;
    return true;
}
