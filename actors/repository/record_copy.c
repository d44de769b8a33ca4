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

// What was there before of a kind that is not all in memory is not known, and nobody asks.
static const frozen_t *
before_of(const struct repository *self, unsigned kind, const struct text *key)
{
    return self->settings.kinds[kind].is_cached ? NULL : repository_find(self, kind, key);
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
    const struct repository_kind *row = &self->settings.kinds[kind];
    if (write->is_delete && row->is_cached) {
        repository_fetch_committed(self, kind, key, NULL, NULL);
        return OK;
    }
    const frozen_t *after = NULL, *found = before_of(self, kind, key);
    const frozen_t *before = found ? record_ref(found) : NULL;
    enum error error = write->is_delete ? OK : copied_write_record(write, row->schema, &after);
    if (error == OK && (before || after))
        show(self, kind, before, after);
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
    return OK;
}
