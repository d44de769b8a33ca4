// record_copy.c - see record_copy.h.
#include "actors/repository/record_copy.h"

#include "actors/repository/repository_fetch.h"
#include "actors/runtime/actor_family.h"
#include "actors/runtime/copied_batch.h"

// The kind that a write is of; kind_count where no record of the actor stands under its tag.
static unsigned
kind_of(const struct repository *self, const struct copied_write *write)
{
    unsigned kind = 0;
    while (kind < self->settings.kind_count && self->settings.kinds[kind].tag != write->tag)
        kind++;
    return kind;
}

// The same of what has to be told with what was there before, and the key; kind_count: of nothing
// such.
static unsigned
told_kind_of(const struct repository *self, struct message *message,
             const struct copied_write *write, const struct text **ret_key)
{
    unsigned kind = kind_of(self, write);
    if (kind == self->settings.kind_count || !repository_kind_tells(&self->settings.kinds[kind]))
        return self->settings.kind_count;
    *ret_key = key_text(&message->arena, write->key);
    return *ret_key ? kind : self->settings.kind_count;
}

// Has those in memory that the writes from `first` to `end` change.
static fallible
need_some(struct repository *self, struct message *message, size_t first, size_t end)
{
    const struct copied_batch *batch = copied_batch_of(message);
    const struct text *key = NULL;
    struct needs needs = {0};
    for (size_t i = first; i < end; i++) {
        unsigned kind = told_kind_of(self, message, &batch->writes[i], &key);
        if (kind < self->settings.kind_count)
            needs_add(&needs, &message->arena, kind, 0, key);
    }
    TRY(repository_need(self, &needs, message));
    for (size_t i = 0; i < needs.count; i++)
        repository_hold(self, needs.items[i].kind, needs.items[i].value);
    return OK;
}

enum error
record_copy_need(actor_t *actor, struct message *message)
{
    enum { AT_ONCE = 256 }; // what the reader has to do is bounded
    struct repository *self = repository_of(actor);
    size_t count = copied_batch_of(message)->count;
    if (message->progress == 0) // of a batch that was not stored
        repository_let_go(self);
    while (message->progress < count) {
        size_t first = message->progress, left = count - first;
        size_t end = first + (left < AT_ONCE ? left : AT_ONCE);
        TRY(need_some(self, message, first, end));
        message->progress = (unsigned)end;
    }
    return OK;
}

// What was there before of a kind that is not all in memory, and of which nobody is told, is not
// known, and nobody asks.
static const frozen_t *
before_of(struct repository *self, unsigned kind, const struct text *key)
{
    const struct repository_kind *row = &self->settings.kinds[kind];
    return !row->is_cached || repository_kind_tells(row) ? repository_held(self, kind, key) : NULL;
}

// Who pays how much comes with the commit, as a sum.
static void
show(struct repository *self, unsigned kind, const frozen_t *before, const frozen_t *after)
{
    repository_show(
        self,
        &(struct change){.tag = self->settings.kinds[kind].tag, .before = before, .record = after});
}

static fallible
apply(struct repository *self, struct message *message, const struct copied_write *write)
{
    if (write->tag == KEY_DUES) {
        due_sums_take(&self->dues, self->settings.book, self->due_kinds, write->key,
                      write->is_delete ? (struct bytes){0} : write->value);
        return OK;
    }
    if (write->tag == KEY_INDEX) {
        if (write->is_delete)
            repository_fetch_unindexed(self, write->key);
        return OK;
    }
    unsigned kind = kind_of(self, write);
    const struct text *key = key_text(&message->arena, write->key);
    if (kind == self->settings.kind_count || !key)
        return OK;
    const struct schema *schema = self->settings.kinds[kind].schema;
    const frozen_t *after = NULL, *found = before_of(self, kind, key);
    const frozen_t *before = found ? record_ref(found) : NULL;
    enum error error = write->is_delete ? OK : copied_write_record(write, schema, &after);
    if (error == OK && (before || after))
        show(self, kind, before, after);
    else if (error == OK)
        repository_fetch_committed(self, kind, key, NULL, NULL);
    record_unref(&before);
    record_unref(&after);
    return error;
}

enum error
record_copy_apply(actor_t *actor, struct message *message)
{
    enum { WATCHED = 16 }; // so many cost more than a look at the clock
    const struct copied_batch *batch = copied_batch_of(message);
    for (; message->progress < batch->count; message->progress++) {
        if (message->progress % WATCHED == WATCHED - 1 && actor_must_pause(actor))
            return actor_pause(actor, message);
        TRY(apply(repository_of(actor), message, &batch->writes[message->progress]));
    }
    repository_let_go(repository_of(actor));
    return OK;
}
