// asset_actor.c - the asset actor as a whole: what it keeps, what it can be asked, how it starts
// and stops (architecture, "The actor").
#include "actors/asset/asset_actor.h"

#include <stdlib.h>
#include "actors/asset/asset_shelves.h"
#include "proto/base/memory.h"
#include "proto/records/asset.h"
#include "proto/records/project.h"

// clang-format off
static const struct ledger_kind kinds[LIBRARY_KINDS] = {
    [PROJECTS]    = {.tag = KEY_PROJECT,    .schema = &project_schema},
    [COLLECTIONS] = {.tag = KEY_COLLECTION, .schema = &collection_schema},
    [RELATIONSHIPS] = {.tag = KEY_RELATIONSHIP, .schema = &relationship_schema, .index_count = 2, .indexes = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED}, .landed = gone_follow},
    [ASSETS]      = {.tag = KEY_ASSET,      .schema = &asset_schema, .landed = assets_landed},
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
open_library(actor_t *actor)
{
    asset_actor_t *self = (asset_actor_t *)(void *)actor;
    TRY(ledger_open(actor));
    blobs_sweep(self->blobs);
    return OK;
}

static enum error
located(actor_t *actor, struct message *message)
{
    return inquiry_answered(&asset_actor_of(ledger_of(actor))->inquiries, actor, message);
}

static enum error
greeted(actor_t *actor, struct message *message)
{
    inquiries_greeted(&asset_actor_of(ledger_of(actor))->inquiries, message);
    return OK;
}

static void
close_library(actor_t *actor)
{
    asset_actor_t *self = (asset_actor_t *)(void *)actor;
    timeline_finish(&self->assets);
    inquiries_finish(&self->inquiries);
    gone_finish(self);
    ledger_close(actor);
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
        [COMMITTED]               = ledger_landed,
    },
    .open = open_library,
    .drained = ledger_drained,
    .stopping = ledger_is_done,
    .close = close_library,
};
// clang-format on

fallible
asset_actor_create(store_t *store, blobs_t *blobs, const char *committer, asset_actor_t **ret_actor)
{
    const struct ledger_settings settings = {
        .family = FAMILY_ASSET,
        .name = actor_mailbox(ASSET_ACTOR),
        .committer = committer,
        .kinds = kinds,
        .kind_count = LIBRARY_KINDS,
        .rows = rows,
        .behaviour = &behaviour,
        .store = store,
    };
    asset_actor_t *self = memory_take_zeroed(sizeof *self);
    self->blobs = blobs;
    enum error error = ledger_start(&self->ledger, &settings);
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
    ledger_stop(&(*self)->ledger, from);
    free(*self);
    *self = NULL;
}
