// asset_actor.c - the asset actor as a whole: what it keeps, what it can be asked, how it starts
// and stops (architecture, "The actor").
#include "actors/asset/asset_actor.h"

#include <stdlib.h>
#include "actors/asset/asset_shelves.h"
#include "proto/base/memory.h"
#include "proto/records/asset.h"
#include "proto/records/project.h"

// clang-format off
static const struct repository_kind kinds[ASSET_KINDS] = {
    [PROJECTS]    = {.tag = KEY_PROJECT,    .schema = &project_schema},
    [COLLECTIONS] = {.tag = KEY_COLLECTION, .schema = &collection_schema},
    [RELATIONSHIPS] = {.tag = KEY_RELATIONSHIP, .schema = &relationship_schema, .index_count = 2, .indexes = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED}, .committed = relationship_cleanup_follow},
    [ASSETS]      = {.tag = KEY_ASSET,      .schema = &asset_schema, .committed = assets_committed},
    [HISTORIES]   = {.tag = KEY_HISTORY,    .schema = &history_schema},
};

static const struct resource_row rows[OPERATION_COUNT] = {
    [PROJECT_CREATE]            = {&project_resource},
    [PROJECT_GET]               = {&project_resource},
    [PROJECT_UPDATE]            = {&project_resource},
    [PROJECT_DELETE]            = {&project_resource},
    [PROJECT_LIST]              = {&project_resource},
    [PROJECT_ADD_TAG]           = {&project_resource, PROJECT_TAGS, PARAMS_TAG},
    [PROJECT_DROP_TAG]          = {&project_resource, PROJECT_TAGS, PARAMS_TAG},
    [PROJECT_ADD_COLLECTION]    = {&project_resource, PROJECT_COLLECTIONS, PARAMS_COLLECTION},
    [PROJECT_DROP_COLLECTION]   = {&project_resource, PROJECT_COLLECTIONS, PARAMS_COLLECTION},
    [COLLECTION_CREATE]         = {&collection_resource},
    [COLLECTION_GET]            = {&collection_resource},
    [COLLECTION_UPDATE]         = {&collection_resource},
    [COLLECTION_DELETE]         = {&collection_resource},
    [COLLECTION_LIST]           = {&collection_resource},
    [COLLECTION_BULK]           = {&collection_resource},
    [COLLECTION_ADD_TAG]        = {&collection_resource, COLLECTION_TAGS, PARAMS_TAG},
    [COLLECTION_DROP_TAG]       = {&collection_resource, COLLECTION_TAGS, PARAMS_TAG},
    [ASSET_CREATE]              = {&asset_resource},
    [ASSET_GET]                 = {&asset_resource},
    [ASSET_DELETE]              = {&asset_resource},
    [ASSET_BULK]                = {&asset_resource},
};

// What no record refers to was left by a kill.
static enum error
open_assets(actor_t *actor)
{
    asset_actor_t *self = (asset_actor_t *)(void *)actor;
    TRY(repository_open(actor));
    blobs_sweep(self->blobs);
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
    assets_by_time_finish(&self->assets);
    scene_lookups_finish(&self->lookups);
    relationship_cleanup_finish(self);
    repository_close(actor);
}

static const struct actor_behaviour behaviour = {
    .handlers = {
        [PROJECT_CREATE]          = resource_create,
        [PROJECT_GET]             = resource_get,
        [PROJECT_UPDATE]          = resource_update,
        [PROJECT_DELETE]          = resource_delete,
        [PROJECT_LIST]            = resource_list,
        [PROJECT_ADD_TAG]         = resource_add,
        [PROJECT_DROP_TAG]        = resource_remove,
        [PROJECT_ADD_COLLECTION]  = resource_add,
        [PROJECT_DROP_COLLECTION] = resource_remove,
        [COLLECTION_CREATE]       = resource_create,
        [COLLECTION_GET]          = resource_get,
        [COLLECTION_UPDATE]       = resource_update,
        [COLLECTION_DELETE]       = resource_delete,
        [COLLECTION_LIST]         = resource_list,
        [COLLECTION_BULK]         = resource_bulk,
        [COLLECTION_ADD_TAG]      = resource_add,
        [COLLECTION_DROP_TAG]     = resource_remove,
        [GROUP_CREATE]            = group_create,
        [GROUP_UPDATE]            = group_update,
        [GROUP_DELETE]            = group_delete,
        [GROUP_ADD_SCENE]         = group_add_scene,
        [GROUP_DROP_SCENE]        = group_drop_scene,
        [RELATIONSHIP_PUT]        = relationship_put,
        [RELATIONSHIP_LIST]       = relationship_list,
        [RELATIONSHIP_DELETE]     = relationship_delete,
        [RELATIONSHIP_BULK]       = relationship_bulk,
        [ASSET_CREATE]            = resource_create,
        [ASSET_UPDATE]            = asset_update,
        [ASSET_GET]               = resource_get,
        [ASSET_DELETE]            = resource_delete,
        [ASSET_LIST]              = asset_list,
        [ASSET_COUNT]             = asset_count,
        [ASSET_BULK]              = resource_bulk,
        [HISTORY_GET]             = history_get,
        [RELATED_GONE]            = related_gone,
        [LOCATE]                  = located,
        [GREETING]                = greeted,
        [COMMITTED]               = repository_committed,
    },
    .open = open_assets,
    .drained = repository_drained,
    .stopping = repository_is_done,
    .close = close_assets,
};
// clang-format on

fallible
asset_actor_create(store_t *store, blobs_t *blobs, const char *committer, asset_actor_t **ret_actor)
{
    const struct repository_settings settings = {
        .family = FAMILY_ASSET,
        .name = actor_mailbox(ASSET_ACTOR),
        .committer = committer,
        .kinds = kinds,
        .kind_count = ASSET_KINDS,
        .rows = rows,
        .behaviour = &behaviour,
        .store = store,
    };
    asset_actor_t *self = memory_take_zeroed(sizeof *self);
    self->blobs = blobs;
    enum error error = repository_start(&self->repository, &settings);
    if (error != OK)
        free(self);
    else
        *ret_actor = self;
    return error;
}

void
asset_actor_destroy(asset_actor_t **self, mailbox_t *from)
{
    if (!*self)
        return;
    repository_stop(&(*self)->repository, from);
    free(*self);
    *self = NULL;
}
