// waiting_edits.c - a table of the newest edit of each entity that waits (waiting_edits.h). An edit
// ends with its message: when it was applied, or cannot be.

#include "actors/scene/entity/waiting_edits.h"

#include <stdlib.h>

#include "actors/scene/scene_shard.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"
#include "proto/records/object.h"

enum {
    WAIT_AT_MOST = 1000,
    BYTES_AT_MOST = 4 << 20, // of all their records
};

// The work of a message that waits.
struct waiting_edit {
    struct parcel base;
    struct shard *shard;
    struct message *message; // whose record it is
    uint64_t hash;           // of its entity's key
    size_t bytes;
    bool is_newest; // it is in the table
    struct message
        *behind; // the next edit of the entity: owned, its turn comes with this one's end
};

static const struct record *
edit_of(const struct waiting_edit *self)
{
    return self->message->records->items[0];
}

// Whether both are about one entity.
static bool
is_about_the_same(const void *value, const void *key)
{
    const struct record *edit = edit_of(value), *other = key;
    return edit->schema == other->schema && text_equal(record_key(edit), record_key(other)) &&
           text_equal(entity_of(edit)->scene, entity_of(other)->scene);
}

static const struct text *
device_of_edit(const struct record *edit)
{
    return edit->schema == &object_edit_schema
               ? ((const struct object_edit *)(const void *)edit)->device
               : NULL;
}

// Whether nothing is left of the old edit once the new one is applied. Edits of actions build on
// each other.
static bool
is_superseded(const struct record *old, const struct record *new)
{
    return !record_has(old, ENTITY_EVENT) && !record_has(new, ENTITY_EVENT) &&
           (old->present & ~new->present) == 0 &&
           text_equal(device_of_edit(old), device_of_edit(new)) &&
           text_equal(record_text(old, ENTITY_TOKEN), record_text(new, ENTITY_TOKEN));
}

static void
waiting_edit_release(struct parcel *parcel)
{
    struct waiting_edit *self = (struct waiting_edit *)(void *)parcel;
    if (self->is_newest)
        table_remove(&self->shard->waiting_edits, self->hash, self);
    self->shard->waiting_edit_count--;
    self->shard->waiting_edit_bytes -= self->bytes;
    if (self->behind)
        actor_pause(&self->shard->base, self->behind);
    free(self);
}

// Makes the edit what its message asks for.
static void
fill(struct waiting_edit *self, const struct record *edit)
{
    struct message *message = self->message;
    struct arena *arena = &message->arena;
    arena_finish(arena);
    arena_init(arena);
    message->params = (struct params *)(void *)record_new(arena, &params_schema);
    message->records = records_new(arena, 1);
    message->records->items[message->records->count++] = record_copy(arena, edit->schema, edit);
    record_set_text(&message->params->base, PARAMS_SCENE, entity_of(edit_of(self))->scene);
    self->shard->waiting_edit_bytes += arena->size - self->bytes;
    self->bytes = arena->size;
}

static struct message *
wait_anew(struct shard *self, const struct record *edit, struct waiting_edit *older)
{
    struct waiting_edit *waiting = memory_take_zeroed(sizeof *waiting);
    waiting->base.destroy = waiting_edit_release;
    waiting->shard = self;
    waiting->message = message_create(DATAGRAMS);
    waiting->message->work = &waiting->base;
    waiting->hash = table_hash_text(record_key(edit));
    waiting->is_newest = true;
    self->waiting_edit_count++;
    fill(waiting, edit);
    if (older)
        table_replace(&self->waiting_edits, waiting->hash, older, waiting);
    else
        table_add(&self->waiting_edits, waiting->hash, waiting);
    if (!older)
        return waiting->message;
    older->is_newest = false;
    older->behind = waiting->message;
    return NULL;
}

static struct waiting_edit *
newest_like(const struct shard *self, const struct record *edit)
{
    return table_find(&self->waiting_edits, table_hash_text(record_key(edit)), is_about_the_same,
                      edit);
}

bool
waiting_edits_are_before(const struct shard *self, const struct record *edit)
{
    return self->waiting_edit_count > 0 && newest_like(self, edit);
}

struct message *
waiting_edits_keep(struct shard *self, const struct record *edit)
{
    struct waiting_edit *newest = newest_like(self, edit);
    if (newest && is_superseded(edit_of(newest), edit)) {
        fill(newest, edit);
        counter_add(COUNT_UDP_DROP_SUPERSEDED, 1);
        return NULL;
    }
    if (self->waiting_edit_count >= WAIT_AT_MOST || self->waiting_edit_bytes >= BYTES_AT_MOST) {
        counter_add(COUNT_UDP_DROP_BUSY, 1);
        return NULL;
    }
    return wait_anew(self, edit, newest);
}
