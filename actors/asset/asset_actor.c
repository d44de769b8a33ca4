// asset_actor.c - the tables of the asset actor: what it keeps, and what it can be asked; its start
// and its end.
#include "actors/asset/asset_actor.h"

#include "actors/asset/asset_index.h"
#include "actors/asset/asset_restore.h"
#include "actors/asset/asset_state.h"
#include "actors/asset/asset_thumbnail.h"
#include "actors/asset/assets.h"
#include "actors/asset/blob_references.h"
#include "actors/asset/library_erase.h"
#include "actors/asset/projects.h"
#include "actors/asset/relationship_cleanup.h"
#include "actors/asset/relationships.h"
#include "actors/asset/scene_groups.h"
#include "actors/repository/export.h"
#include "actors/repository/record_copy.h"
#include "actors/repository/repository_fetch.h"
#include "actors/repository/resource_lists.h"
#include "proto/base/memory.h"
#include "proto/records/asset.h"
#include "proto/records/export_item.h"
#include "proto/records/project.h"
#include "proto/records/relationship.h"

// clang-format off
// Who pays for what. Histories name nobody: each of their versions is an asset, which is paid for.
static const struct due_row project_dues =      {.payer = PROJECT_USER,      .count = BUDGET_COUNT, .content = BUDGET_COUNT};
static const struct due_row collection_dues =   {.payer = COLLECTION_USER,   .count = BUDGET_COUNT, .content = BUDGET_COUNT};
static const struct due_row relationship_dues = {.payer = RELATIONSHIP_USER, .count = BUDGET_COUNT, .content = BUDGET_COUNT};
static const struct due_row asset_dues =        {.payer = ASSET_USER,        .count = BUDGET_COUNT, .content = BUDGET_ASSET_BYTES, .size = ASSET_SIZE, .more = ASSET_THUMBNAIL_SIZE};

static const struct repository_kind kinds[ASSET_KINDS] = {
    [PROJECTS]    = {.tag = KEY_PROJECT,    .schema = &project_schema, .committed = project_committed, .dues = &project_dues, .stored = project_index, .lists = &project_lists, .topic = &topics[TOPIC_PROJECTS], .is_cached = true},
    [COLLECTIONS] = {.tag = KEY_COLLECTION, .schema = &collection_schema, .committed = collection_committed, .dues = &collection_dues, .stored = collection_index, .lists = &collection_lists, .topic = &topics[TOPIC_COLLECTIONS], .is_cached = true},
    [RELATIONSHIPS] = {.tag = KEY_RELATIONSHIP, .schema = &relationship_schema, .dues = &relationship_dues, .stored = relationship_index, .is_cached = true},
    [ASSETS]      = {.tag = KEY_ASSET,      .schema = &asset_schema, .committed = assets_committed, .dues = &asset_dues, .stored = asset_index, .lists = &asset_lists, .topic = &topics[TOPIC_ASSETS], .is_cached = true},
    [HISTORIES]   = {.tag = KEY_HISTORY,    .schema = &history_schema, .is_cached = true},
};

// What of them belongs to a user.
static const struct export_row exported[] = {
    {.noun = "asset",        .kind = ASSETS,        .owner = ASSET_USER,        .member = EXPORT_ITEM_ASSET, .path = "/v1/asset/", .index = INDEX_ASSET_USER},
    {.noun = "collection",   .kind = COLLECTIONS,   .owner = COLLECTION_USER,   .member = EXPORT_ITEM_COLLECTION, .index = INDEX_COLLECTION_USER},
    {.noun = "project",      .kind = PROJECTS,      .owner = PROJECT_USER,      .member = EXPORT_ITEM_PROJECT, .index = INDEX_PROJECT_USER},
    {.noun = "relationship", .kind = RELATIONSHIPS, .owner = RELATIONSHIP_USER, .member = EXPORT_ITEM_RELATIONSHIP, .index = INDEX_RELATIONSHIP_USER},
    {0}};

// The records of this actor that relationships may lead to.
static const struct resource *const related[] = {&project_resource, &collection_resource, &asset_resource, NULL};

static const struct resource_list project_tags = {&project_resource, PROJECT_TAGS, PARAMS_TAG};
static const struct resource_list project_collections = {&project_resource, PROJECT_COLLECTIONS, PARAMS_COLLECTION};
static const struct resource_list collection_tags = {&collection_resource, COLLECTION_TAGS, PARAMS_TAG};

// A blob that no record refers to was left when the process was killed.
static enum error
open_assets(actor_t *actor)
{
    asset_actor_t *self = (asset_actor_t *)(void *)actor;
    TRY(repository_open(actor));
    const struct blob_records records = blob_references(self->repository.settings.store);
    blobs_sweep(self->blobs, &records);
    return OK;
}

static enum error
located(actor_t *actor, struct message *message)
{
    return scene_lookup_answered(&asset_actor_of(repository_of(actor))->lookups, actor, message);
}

static enum error
greeted(actor_t *actor, struct message *message)
{
    scene_lookups_greeted(&asset_actor_of(repository_of(actor))->lookups, message);
    return OK;
}

static void
close_assets(actor_t *actor)
{
    asset_actor_t *self = (asset_actor_t *)(void *)actor;
    scene_lookups_finish(&self->lookups);
    repository_close(actor);
}

static const struct actor_behaviour behaviour = {
    .operations = {
        [COPY_NEED]               = {record_copy_need},
        [COPY_APPLY]              = {record_copy_apply},
        [PROJECT_CREATE]          = {resource_create, &project_resource},
        [PROJECT_GET]             = {resource_get, &project_resource},
        [PROJECT_UPDATE]          = {resource_update, &project_resource},
        [PROJECT_DELETE]          = {resource_delete, &project_resource},
        [PROJECT_LIST]            = {resource_list, &project_resource, .is_long = true},
        [PROJECT_ADD_TAG]         = {resource_add, &project_tags},
        [PROJECT_DROP_TAG]        = {resource_remove, &project_tags},
        [PROJECT_ADD_COLLECTION]  = {resource_add, &project_collections},
        [PROJECT_DROP_COLLECTION] = {resource_remove, &project_collections},
        [COLLECTION_CREATE]       = {resource_create, &collection_resource},
        [COLLECTION_GET]          = {resource_get, &collection_resource},
        [COLLECTION_UPDATE]       = {resource_update, &collection_resource},
        [COLLECTION_DELETE]       = {resource_delete, &collection_resource},
        [COLLECTION_LIST]         = {resource_list, &collection_resource, .is_long = true},
        [COLLECTION_BULK]         = {resource_bulk, &collection_resource},
        [COLLECTION_ADD_TAG]      = {resource_add, &collection_tags},
        [COLLECTION_DROP_TAG]     = {resource_remove, &collection_tags},
        [GROUP_CREATE]            = {group_create},
        [GROUP_UPDATE]            = {group_update},
        [GROUP_DELETE]            = {group_delete},
        [GROUP_ADD_SCENE]         = {group_add_scene},
        [GROUP_DROP_SCENE]        = {group_drop_scene},
        [RELATIONSHIP_PUT]        = {relationship_put},
        [RELATIONSHIP_LIST]       = {relationship_list, .is_long = true},
        [RELATIONSHIP_DELETE]     = {relationship_delete},
        [RELATIONSHIP_BULK]       = {relationship_bulk, .is_long = true},
        [ASSET_CREATE]            = {resource_create, &asset_resource},
        [ASSET_UPDATE]            = {asset_update},
        [ASSET_RESTORE]           = {asset_restore},
        [THUMBNAIL_PUT]           = {thumbnail_put},
        [THUMBNAIL_GET]           = {thumbnail_get},
        [ASSET_GET]               = {resource_get, &asset_resource},
        [ASSET_DELETE]            = {resource_delete, &asset_resource},
        [ASSET_LIST]              = {resource_list, &asset_resource, .is_long = true},
        [ASSET_COUNT]             = {resource_count, &asset_resource, .is_long = true},
        [ASSET_BULK]              = {resource_bulk, &asset_resource},
        [HISTORY_GET]             = {history_get},
        [LIBRARY_EXPORT]          = {repository_export, exported, .is_long = true},
        [ERASE_LIBRARY]           = {library_erase, NULL, library_erase_goes_on},
        [RELATED_GONE]            = {related_gone, .goes_on = related_gone_goes_on},
        [LOCATE]                  = {located},
        [GREETING]                = {greeted},
        [COMMITTED]               = {repository_committed, .finish = repository_goes_on, .is_apart = true},
        [RECALLED]                = {repeats_recalled},
        [CATALOGUE_TELL]          = {repository_told},
        [PAGE_READ]               = {repository_fetched},
        [LIST_READ]               = {repository_listed},
    },
    .open = open_assets,
    .drained = repository_drained,
    .stopping = repository_is_done,
    .close = close_assets,
};
// clang-format on

fallible
asset_actor_create(store_t *store, blobs_t *blobs, budget_book_t *book, shown_t *shown,
                   const char *committer, size_t memory, const struct request_settings *requests,
                   asset_actor_t **ret_actor)
{
    const struct repository_settings settings = {
        .family = FAMILY_ASSET,
        .name = actor_mailbox(ASSET_ACTOR),
        .committer = committer,
        .reader = "reader.asset",
        .memory = memory,
        .kinds = kinds,
        .kind_count = ASSET_KINDS,
        .gauge = GAUGE_RECORDS_LIBRARY,
        .behaviour = &behaviour,
        .store = store,
        .book = book,
        .shown = shown,
        .requests = *requests,
    };
    asset_actor_t *self = memory_take_zeroed(sizeof *self);
    self->blobs = blobs;
    self->related = related;
    TRY(repository_create(&self->repository, &settings));
    *ret_actor = self;
    return OK;
}

struct index_family
asset_actor_indexes(void)
{
    return repository_indexes(FAMILY_ASSET, kinds, ASSET_KINDS);
}

struct due_family
asset_actor_dues(void)
{
    return repository_dues(FAMILY_ASSET, kinds, ASSET_KINDS);
}

void
asset_actor_destroy(asset_actor_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->repository.base, from);
    *self = NULL;
}
