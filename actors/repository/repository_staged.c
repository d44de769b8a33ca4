// repository_staged.c - looks at what is staged before what is durable, and stages each change with
// its index records and its sums (repository_staged.h).
#include "actors/repository/repository_staged.h"

#include <assert.h>

#include "actors/repository/repository_fetch.h"
#include "proto/base/limits.h"

// --- reading ---

const frozen_t *
repository_latest(const struct repository *self, unsigned kind, const struct text *key)
{
    const struct change *change =
        staging_latest(&self->staging, self->settings.kinds[kind].tag, NULL, key);
    return change ? change->record : repository_find(self, kind, key);
}

const frozen_t *
repository_latest_of(const struct repository *self, unsigned kind, const frozen_t *durable)
{
    const struct change *change =
        staging_latest(&self->staging, self->settings.kinds[kind].tag, NULL, frozen_key(durable));
    return change ? change->record : durable;
}

// A durable list of records whose `field` is `value` as it will be: without what is staged to
// change, with what is staged.
static const frozen_t **
overlay(const struct repository *self, unsigned kind, const frozen_t *const *durable,
        size_t durable_count, unsigned field, const struct text *value, struct arena *arena,
        size_t *ret_count)
{
    key_tag_t tag = self->settings.kinds[kind].tag;
    const frozen_t **found =
        arena_alloc(arena, (durable_count + self->staging.latest.count + 1) * sizeof *found);
    size_t count = 0;
    for (size_t i = 0; i < durable_count; i++)
        if (!staging_latest(&self->staging, tag, NULL, frozen_key(durable[i])) &&
            text_equal(record_text(frozen_record(durable[i]), field), value))
            found[count++] = durable[i];
    const struct change *change;
    for (size_t cursor = 0; (change = staging_next(&self->staging, tag, &cursor)) != NULL;)
        if (change->record && text_equal(record_text(frozen_record(change->record), field), value))
            found[count++] = change->record;
    *ret_count = count;
    return found;
}

// The id of the row of texts of a member.
static unsigned
row_of(const struct repository *self, unsigned kind, unsigned field)
{
    const struct index_row *row = self->settings.kinds[kind].stored;
    while (row->form != INDEX_TEXT || row->member != field)
        row++;
    return row->id;
}

const frozen_t **
repository_latest_by(const struct repository *self, unsigned kind, unsigned field,
                     const struct text *value, struct arena *arena, size_t *ret_count)
{
    size_t count;
    const frozen_t *const *durable =
        self->settings.kinds[kind].is_cached
            ? record_set_items(repository_posting(self, kind, row_of(self, kind, field), value),
                               &count)
            : repository_find_by(self, kind, field, value, &count);
    assert(text_size(value) > 0); // no record is indexed by an empty value
    return overlay(self, kind, durable, count, field, value, arena, ret_count);
}

// --- writing ---

fallible
repository_make_room(struct repository *self, struct message *message, struct room room)
{
    TRY(request_settings_check_leads(&self->settings.requests));
    if (room.operations >= LIMIT_COMMIT_OPERATIONS || room.bytes > LIMIT_COMMIT_BYTES / 2)
        return fail(ERR_CONFLICT, "", "it would change %zu records (%zu bytes) at once: too many",
                    room.operations, room.bytes);
    if (staging_has_room(&self->staging, room_for_both(room, repeats_room(message))))
        return OK;
    staging_wait(&self->staging, &message);
    return PARKED;
}

fallible
repository_check_budget(const struct repository *self, unsigned kind, const struct message *message,
                        const frozen_t *before, const struct record *after)
{
    const struct repository_kind *row = &self->settings.kinds[kind];
    if (!row->dues || !after)
        return OK;
    return dues_check(self->settings.book, row->dues, message, row->schema, before, after);
}

// The index records of the change go with it.
static void
stage_indexes(struct repository *self, const struct repository_kind *row, const frozen_t *before,
              const frozen_t *after)
{
    const struct text *key = frozen_key(after ? after : before);
    index_records_stage(row->stored, self->staging.filling.batch, 0,
                        (struct bytes){text_bytes(key), text_size(key)}, frozen_record(before),
                        frozen_record(after));
}

// So do the sums of who pays.
static void
stage_dues(struct repository *self, const struct repository_kind *row, const frozen_t *before,
           const frozen_t *after)
{
    const struct due_kind kind = {row->tag, row->dues};
    if (row->dues)
        due_sums_stage(&self->dues, &kind, self->staging.filling.batch, before, after);
}

const frozen_t *
repository_put(struct repository *self, unsigned kind, const struct record *record,
               const frozen_t *before)
{
    const struct repository_kind *row = &self->settings.kinds[kind];
    const frozen_t *frozen = record_freeze(row->schema, record);
    batch_put_record(self->staging.filling.batch, 0, key_of_text(row->tag, frozen_key(frozen)),
                     frozen);
    stage_indexes(self, row, before, frozen);
    staging_add(&self->staging, &(struct change){.tag = row->tag,
                                                 .record = frozen,
                                                 .before = before ? record_ref(before) : NULL});
    if (row->dues)
        dues_staged(self->settings.book, row->dues, before, frozen);
    stage_dues(self, row, before, frozen);
    return frozen;
}

void
repository_delete(struct repository *self, unsigned kind, const frozen_t *before)
{
    key_tag_t tag = self->settings.kinds[kind].tag;
    batch_delete(self->staging.filling.batch, 0, key_of_text(tag, frozen_key(before)));
    stage_indexes(self, &self->settings.kinds[kind], before, NULL);
    stage_dues(self, &self->settings.kinds[kind], before, NULL);
    staging_add(&self->staging, &(struct change){.tag = tag, .before = record_ref(before)});
}

enum error
repository_answer_durable(struct repository *self, struct message *message)
{
    repeats_keep(&self->repeats, message);
    message_queue_push(&self->staging.filling.messages, &message);
    return PARKED;
}
