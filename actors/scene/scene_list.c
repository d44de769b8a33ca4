// scene_list.c - lists the catalogue of a scene actor (scene_list.h).
#include "actors/scene/scene_list.h"

#include "actors/runtime/list_page.h"
#include "actors/scene/area_search.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "proto/message/access_item.h"
#include "proto/records/scene.h"

static bool
is_seen(const void *viewer, const struct record *record)
{
    return scene_is_seen(viewer, record);
}

// Each actor answers a whole page of its own: the gateway takes the first of all of them.
enum error
scene_list(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct caller *caller = &message->caller;
    struct list_hold hold = {.release = area_search_destroy};
    hold.held = message->work ? list_page_held(message) : area_search_create(actor);
    const struct list_source source = {.set = &self->catalogue,
                                       .orders = &self->orders,
                                       .search = area_search_go_on,
                                       .map = hold.held,
                                       .sees = access_sees_all(caller) ? NULL : is_seen,
                                       .viewer = caller};
    return list_page(actor, message, list_kind_of(&scene_schema), 0, &source, &hold);
}
