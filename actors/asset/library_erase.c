// library_erase.c - walks through the library until a walk finds nothing of the user
// (library_erase.h). So what a failed commit took back, and what was still staged, is found by the
// next walk. Runs on the asset actor's thread.
#include "actors/asset/library_erase.h"

#include <stdlib.h>

#include "actors/asset/asset_index.h"
#include "actors/asset/asset_state.h"
#include "actors/asset/assets.h"
#include "actors/asset/projects.h"
#include "actors/repository/resource.h"
#include "actors/runtime/effects.h"
#include "proto/base/memory.h"
#include "proto/records/asset.h"
#include "proto/records/project.h"
#include "proto/records/relationship.h"

// clang-format off
// Who owns what; a kind without a resource is kept whoever may see it.
static const struct owned_kind {
    unsigned kind, owner;
    const struct resource *resource;
    const struct index_row *rows;
    unsigned index; // the one of them that leads to the user
} owned_kinds[] = {
    {RELATIONSHIPS, RELATIONSHIP_USER, NULL,                 relationship_index, INDEX_RELATIONSHIP_USER},
    {RELATIONSHIPS, RELATIONSHIP_USER, NULL,                 relationship_index, INDEX_RELATIONSHIP_RELATED},
    {ASSETS,        ASSET_USER,        &asset_resource,      asset_index,        INDEX_ASSET_USER},
    {COLLECTIONS,   COLLECTION_USER,   &collection_resource, collection_index,   INDEX_COLLECTION_USER},
    {PROJECTS,      PROJECT_USER,      &project_resource,    project_index,      INDEX_PROJECT_USER},
};
// clang-format on

enum { OWNED_KINDS = sizeof owned_kinds / sizeof owned_kinds[0] };

// The work of a message.
struct erasure {
    struct parcel base;
    unsigned row;          // of the kinds
    struct page_walk walk; // of that kind
    bool has_found;        // something of the user, in this walk
};

static void
release(struct parcel *parcel)
{
    struct erasure *self = (struct erasure *)(void *)parcel;
    page_walk_finish(&self->walk);
    free(self);
}

static struct erasure *
erasure_of(const struct message *message)
{
    return (struct erasure *)(void *)message->work;
}

// What is being made when the first walk begins is found by the second.
static void
begin(struct repository *repository, struct message *message)
{
    struct erasure *erasure = memory_take_zeroed(sizeof *erasure);
    erasure->base.destroy = release;
    erasure->has_found = staging_is_busy(&repository->staging);
    message->work = &erasure->base;
    actor_end_sessions(&repository->base, effect_asked(message)->key, ALL_SESSIONS);
}

static bool
is_public(const struct resource *resource, const struct record *record)
{
    static const struct caller stranger = {.role = CALLER_USER};
    return !resource || resource_is_seen(resource, &stranger, record);
}

static fallible
take_owner(struct repository *repository, struct message *message, const struct owned_kind *row,
           const frozen_t *before)
{
    const struct record *record = frozen_record(before);
    TRY(repository_make_room(repository, message, room_for_records(1, record_size(before))));
    struct record *after = record_copy(&message->arena, record->schema, record);
    after->present &= ~FIELD_BIT(row->owner);
    MEMBER(const struct text *, after, schema_field(record->schema, row->owner)) = NULL;
    repository_put(repository, row->kind, after, before);
    return OK;
}

// With everything that a delete takes along.
static fallible
delete_record(struct repository *repository, struct message *message, const struct owned_kind *row,
              const frozen_t *before)
{
    if (row->resource)
        TRY(row->resource->before_write(repository, message, before, NULL));
    else
        TRY(repository_make_room(repository, message, room_for_one_of_many()));
    repository_delete(repository, row->kind, before);
    return OK;
}

static bool
leads_to(const struct message *message, const struct owned_kind *row, const struct record *record)
{
    return row->kind == RELATIONSHIPS &&
           text_equal(record_text(record, RELATIONSHIP_RELATED), effect_asked(message)->key);
}

static bool
names_them(const struct message *message, const struct owned_kind *row, const frozen_t *frozen)
{
    const struct record *record = frozen_record(frozen);
    return record && (leads_to(message, row, record) ||
                      text_equal(record_text(record, row->owner), effect_asked(message)->key));
}

// What names them as it is durable counts as found, even if nothing names them as it will be. It
// may be an asset that gets a new version, which stands under another key: the next walk sees that
// one.
static fallible
erase_record(struct repository *repository, struct message *message, const struct owned_kind *row,
             const frozen_t *durable)
{
    const frozen_t *latest = repository_latest(repository, row->kind, frozen_key(durable));
    bool is_named = names_them(message, row, latest);
    if (is_named || names_them(message, row, durable))
        erasure_of(message)->has_found = true;
    if (!is_named)
        return OK;
    const struct record *record = frozen_record(latest);
    if (leads_to(message, row, record) || !is_public(row->resource, record))
        return delete_record(repository, message, row, latest);
    return take_owner(repository, message, row, latest);
}

// The records of one kind, as they will be, a page at a time. Each page is durable before the next
// one is read: its commit may fail, and who asked must hear of that, and ask again later.
static fallible
walk(actor_t *actor, struct message *message, const struct owned_kind *row)
{
    enum { WATCHED = 32 }; // so many records cost more than a look at the clock
    struct repository *repository = repository_of(actor);
    struct page_walk *walk = &erasure_of(message)->walk;
    const struct key prefix =
        index_prefix_of_text(index_row_with_id(row->rows, row->index), effect_asked(message)->key);
    TRY(page_walk_resume(walk, repository, row->kind, &prefix, NULL, message));
    if (walk->page && walk->page->count > 0) {
        TRY(page_walk_need(walk, repository, row->kind, message));
        for (size_t i = 0; i < walk->page->count; i++) {
            TRY(erase_record(repository, message, row, walk->page->records[i]));
            if (i % WATCHED == WATCHED - 1 && actor_must_pause(actor))
                return actor_pause(actor, message); // it passes quickly over those that are done
        }
        return repository_answer_durable(repository, message);
    }
    TRY(page_walk_go_on(walk, repository, message));
    page_walk_restart(walk);
    return OK;
}

enum error
library_erase(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    if (!message->work)
        begin(repository, message);
    struct erasure *erasure = erasure_of(message);
    TRY(repeats_erase(&repository->repeats, message, effect_asked(message)->key,
                      &erasure->has_found));
    for (; erasure->row < OWNED_KINDS; erasure->row++)
        TRY(walk(actor, message, &owned_kinds[erasure->row]));
    return repository_answer_durable(repository, message);
}

bool
library_erase_goes_on(struct message *message)
{
    struct erasure *erasure = erasure_of(message);
    bool has_found = erasure->has_found;
    bool is_walking = erasure->walk.page != NULL;
    page_walk_pass(&erasure->walk); // that is durable
    if (is_walking)
        return true;
    erasure->has_found = false;
    erasure->row = 0;
    return has_found;
}
