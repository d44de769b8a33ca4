// lock_index.c - a table of holders, each with an ordered set of the objects it holds.

#include "actors/scene/lock_index.h"

#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/records/object.h"

struct holder {
    struct text *key; // owned
    struct record_set objects;
    uint64_t asked_ms; // when somebody asked for one of them; 0 = never
};

enum { ASKED_EVERY_MS = 1000 };

static bool
has_key(const void *value, const void *key)
{
    return text_equal(((const struct holder *)value)->key, key);
}

static struct holder *
find_holder(const struct lock_index *self, const struct text *key)
{
    return table_find(&self->holders, table_hash_text(key), has_key, key);
}

static struct holder *
holder_of(struct lock_index *self, const struct text *key)
{
    struct holder *found = find_holder(self, key);
    if (found)
        return found;
    found = memory_take_zeroed(sizeof *found);
    found->key = text_duplicate(key);
    table_add(&self->holders, table_hash_text(key), found);
    return found;
}

static void
holder_destroy(struct holder *self)
{
    record_set_finish(&self->objects);
    free(self->key);
    free(self);
}

const struct text *
lock_index_holder(const frozen_t *entity)
{
    const struct record *record = frozen_record(entity);
    if (record->schema != &object_schema)
        return NULL;
    const struct text *owner = object_owner(object_of(record));
    return text_size(owner) > 0 ? owner : NULL;
}

static void
remove_held(struct lock_index *self, const struct text *key, const frozen_t *object)
{
    struct holder *holder = find_holder(self, key);
    if (!holder)
        return;
    record_set_remove(&holder->objects, frozen_key(object));
    if (record_set_count(&holder->objects) > 0)
        return;
    table_remove(&self->holders, table_hash_text(holder->key), holder);
    holder_destroy(holder);
}

void
lock_index_replace(struct lock_index *self, const frozen_t *old, const frozen_t *now)
{
    const struct text *before = old ? lock_index_holder(old) : NULL;
    const struct text *after = now ? lock_index_holder(now) : NULL;
    if (before && !(after && text_equal(before, after)))
        remove_held(self, before, old);
    if (after)
        record_set_put(&holder_of(self, after)->objects, now);
}

struct record_set *
lock_index_held_by(const struct lock_index *self, const struct text *holder)
{
    struct holder *found = find_holder(self, holder);
    return found ? &found->objects : NULL;
}

bool
lock_index_may_ask(struct lock_index *self, const struct text *holder, uint64_t now_ms)
{
    struct holder *found = find_holder(self, holder);
    if (!found || (found->asked_ms && now_ms - found->asked_ms < ASKED_EVERY_MS))
        return false;
    found->asked_ms = now_ms;
    return true;
}

void
lock_index_finish(struct lock_index *self)
{
    struct holder *holder;
    for (size_t cursor = 0; (holder = table_next(&self->holders, &cursor)) != NULL;)
        holder_destroy(holder);
    table_finish(&self->holders);
}
