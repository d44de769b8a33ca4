// scene_dues.c - the rows of what users pay for in scenes (scene_dues.h). The scene actor's thread.
#include "actors/scene/scene_dues.h"

#include "actors/runtime/dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/record/record_packed.h"
#include "proto/records/device.h"

static const struct due_row scene_row = {
    .payer = SCENE_USER, .count = BUDGET_SCENES, .content = BUDGET_COUNT};
static const struct due_row device_row = {
    .payer = DEVICE_USER, .count = BUDGET_REGISTRATIONS, .content = BUDGET_COUNT};

// NULL: nobody pays for what is under this tag.
static const struct due_row *
row_of(key_tag_t tag)
{
    return tag == KEY_SCENE ? &scene_row : tag == KEY_DEVICE ? &device_row : NULL;
}

// The record, or NULL where nobody pays for it: what it takes need not be worked out.
static const frozen_t *
paid(const struct due_row *row, const frozen_t *record)
{
    return record && frozen_has(record, row->payer) ? record : NULL;
}

fallible
scene_dues_check_new(struct shard *self, const struct message *message, const struct record *scene)
{
    return dues_check(self->settings.book, &scene_row, message, &scene_schema, NULL, scene);
}

fallible
scene_dues_check_change(struct shard *self, const struct message *message, const frozen_t *before,
                        const struct record *after)
{
    return dues_check(self->settings.book, &scene_row, message, &scene_schema, before, after);
}

fallible
scene_dues_check_devices(struct shard *self, const struct message *message, size_t count)
{
    return dues_check_amount(self->settings.book, BUDGET_REGISTRATIONS, message, (int64_t)count);
}

void
scene_dues_enter(struct shard *self, key_tag_t tag, const frozen_t *record)
{
    dues_enter(self->settings.book, row_of(tag), paid(row_of(tag), record));
}

void
scene_dues_staged(struct shard *self, key_tag_t tag, const frozen_t *before, const frozen_t *after)
{
    const struct due_row *row = row_of(tag);
    if (row)
        dues_staged(self->settings.book, row, paid(row, before), paid(row, after));
}

// What was given back with its scene is not given back again; what comes after it never was.
void
scene_dues_settled(struct shard *self, const struct change *change)
{
    const struct due_row *row = row_of(change->tag);
    const struct scene_state *scene = change->owner;
    if (!row)
        return;
    const frozen_t *before = paid(row, change->before), *after = paid(row, change->record);
    if (change->tag == KEY_DEVICE && !scene->is_indexed)
        dues_dropped(self->settings.book, row, before, after);
    else
        dues_settled(self->settings.book, row, before, after);
}

void
scene_dues_dropped(struct shard *self, const struct change *change)
{
    const struct due_row *row = row_of(change->tag);
    if (row)
        dues_dropped(self->settings.book, row, paid(row, change->before),
                     paid(row, change->record));
}

void
scene_dues_device_gone(struct shard *self, const frozen_t *device)
{
    dues_settled(self->settings.book, &device_row, paid(&device_row, device), NULL);
}
