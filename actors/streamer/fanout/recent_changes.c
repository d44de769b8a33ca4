// recent_changes.c - a ring of changes, and the entities that they are of (recent_changes.h).

#include "actors/streamer/fanout/recent_changes.h"

#include <stdlib.h>

#include "proto/base/memory.h"

enum { FIRST_CHANGES = 16 };

// Events of actions have an entity of their own, since other events do not show actions.
struct recent_entity {
    struct event event; // its newest change
    uint64_t created;   // seq of its creation; 0 = not known
};

struct recent_change {
    uint64_t seq;
    uint64_t next; // seq of the next change of its entity; 0 = none yet
    uint64_t sent_us;
    struct recent_entity *entity; // kept as long as its newest change
};

static bool
entity_is_of(const void *value, const void *key)
{
    const struct event *newest = &((const struct recent_entity *)value)->event, *event = key;
    return event_is_of_actions(newest->msg_type) == event_is_of_actions(event->msg_type) &&
           text_equal(frozen_key(newest->record), frozen_key(event->record));
}

static uint64_t
event_hash(const struct event *event)
{
    return table_hash_text(frozen_key(event->record));
}

static size_t
entity_bytes(const struct recent_entity *entity)
{
    return sizeof *entity + record_size(entity->event.record);
}

static void
entity_release(struct recent_entity *entity)
{
    record_unref(&entity->event.scene);
    record_unref(&entity->event.record);
}

void
recent_changes_finish(struct recent_changes *self)
{
    size_t cursor = 0;
    struct recent_entity *entity;
    while ((entity = table_next(&self->entities, &cursor)) != NULL) {
        entity_release(entity);
        free(entity);
    }
    table_finish(&self->entities);
    free(self->ring);
    *self = (struct recent_changes){.floor = self->floor, .has_begun = self->has_begun};
}

static struct recent_change *
change_at(const struct recent_changes *self, uint32_t index)
{
    return &self->ring[(self->first + index) & (self->capacity - 1)];
}

static void
recent_changes_drop_first(struct recent_changes *self)
{
    struct recent_change *change = change_at(self, 0);
    struct recent_entity *entity = change->entity;
    self->floor = change->seq;
    self->first = (self->first + 1) & (self->capacity - 1);
    self->count--;
    self->bytes -= sizeof *change;
    if (change->next)
        return;
    self->bytes -= entity_bytes(entity);
    table_remove(&self->entities, event_hash(&entity->event), entity);
    entity_release(entity);
    free(entity);
}

static void
recent_changes_grow(struct recent_changes *self)
{
    uint32_t capacity = self->capacity ? self->capacity * 2 : FIRST_CHANGES;
    struct recent_change *ring = memory_take(capacity * sizeof *ring);
    for (uint32_t i = 0; i < self->count; i++)
        ring[i] = *change_at(self, i);
    free(self->ring);
    self->ring = ring;
    self->first = 0;
    self->capacity = capacity;
}

// The place of the first change after `seq`; self->count if there is none.
static uint32_t
index_after(const struct recent_changes *self, uint64_t seq)
{
    uint32_t low = 0, high = self->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (change_at(self, middle)->seq <= seq)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Puts the event in place of the older one of its entity.
static void
recent_entity_change(struct recent_entity *self, const struct event *event)
{
    struct event old = self->event;
    self->event = *event;
    self->event.scene = record_ref(event->scene);
    self->event.record = record_ref(event->record);
    if (event_is_create(event->msg_type))
        self->created = event->seq;
    else if (!event_is_update(event->msg_type))
        self->created = 0; // deleted
    record_unref(&old.scene);
    record_unref(&old.record);
}

void
recent_changes_take(struct recent_changes *self, const struct event *event, uint64_t now_us,
                    size_t most)
{
    struct recent_entity *entity =
        table_find(&self->entities, event_hash(event), entity_is_of, event);
    if (!self->has_begun)
        recent_changes_forget(self, event->seq - 1);
    self->has_begun = true;
    if (entity) {
        change_at(self, index_after(self, entity->event.seq - 1))->next = event->seq;
        self->bytes -= entity_bytes(entity);
    } else {
        entity = memory_take_zeroed(sizeof *entity);
        table_add(&self->entities, event_hash(event), entity);
    }
    recent_entity_change(entity, event);
    if (self->count == self->capacity)
        recent_changes_grow(self);
    *change_at(self, self->count++) =
        (struct recent_change){.seq = event->seq, .sent_us = now_us, .entity = entity};
    self->bytes += sizeof(struct recent_change) + entity_bytes(entity);
    recent_changes_age(self, now_us);
    while (self->count && self->bytes > most)
        recent_changes_drop_first(self);
}

void
recent_changes_age(struct recent_changes *self, uint64_t now_us)
{
    while (recent_changes_due_us(self) <= now_us)
        recent_changes_drop_first(self);
    if (!self->count && self->ring)
        recent_changes_finish(self); // what is quiet takes no memory
}

uint64_t
recent_changes_due_us(const struct recent_changes *self)
{
    return self->count ? change_at(self, 0)->sent_us + RECENT_US : UINT64_MAX;
}

void
recent_changes_forget(struct recent_changes *self, uint64_t seq)
{
    while (self->count && change_at(self, 0)->seq <= seq)
        recent_changes_drop_first(self);
    if (self->floor < seq)
        self->floor = seq;
}

bool
recent_changes_reach(const struct recent_changes *self, uint64_t from)
{
    return self->has_begun && from > self->floor;
}

bool
recent_changes_next(const struct recent_changes *self, uint64_t from, uint64_t after, uint64_t to,
                    struct event *ret_event, uint64_t *ret_seq)
{
    for (uint32_t i = index_after(self, after); i < self->count; i++) {
        const struct recent_change *change = change_at(self, i);
        if (change->seq > to)
            return false;
        if (change->next && change->next <= to)
            continue;
        *ret_event = change->entity->event;
        if (event_is_update(ret_event->msg_type) && change->entity->created >= from)
            ret_event->msg_type--;
        *ret_seq = change->seq;
        return true;
    }
    return false;
}
