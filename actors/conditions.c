// conditions.c - If-Match and If-None-Match of requests that change something, decided by the owner
// against the latest state, staged or durable, before it stages (RFC 9110, 13; decisions 1). A
// request on something that has no record of its own (a lock, a registration) is decided by the
// record that it belongs to.

#include "actors/shard.h"
#include "proto/etag.h"

// Whether the request has conditions that are not decided yet: its later slices find the state
// that the first one made.
static bool
is_conditional(const struct message *message)
{
    const struct record *params = &message->params->base;
    return message->progress == 0 &&
           (record_has(params, PARAMS_IF_MATCH) || record_has(params, PARAMS_IF_NONE_MATCH));
}

// `etag` is that of the record, NULL where there is none.
static fallible
decide(const struct message *message, const struct etag *etag)
{
    const struct params *params = message->params;
    const char *must = text_chars(params->if_match), *must_not = text_chars(params->if_none_match);
    if (*must && !(etag && etag_list_names(must, etag, ETAG_STRONG)))
        return fail(ERR_PRECONDITION, "", "the record is not in a state that If-Match names");
    if (*must_not && etag && etag_list_names(must_not, etag, ETAG_WEAK))
        return fail(ERR_PRECONDITION, "", "the record is in a state that If-None-Match names");
    return OK;
}

fallible
conditions_check_none(const struct message *message)
{
    return is_conditional(message) ? decide(message, NULL) : OK;
}

fallible
conditions_check_object(const struct message *message, const struct object *object)
{
    struct etag etag;
    if (!is_conditional(message))
        return OK;
    etag_of_record(&object->base, operation_rows[OBJECT_GET].reply, &etag);
    return decide(message, &etag);
}

fallible
conditions_check_scene(struct shard *self, struct message *message, struct scene_state *scene)
{
    struct etag etag;
    if (!is_conditional(message))
        return OK;
    if (!scene)
        return decide(message, NULL);
    struct record_set devices = {0};
    devices_latest(self, scene, &devices);
    const struct scene *shown =
        scene_with_devices(&message->arena, scene_latest_record(self, scene), &devices);
    etag_of_record(&shown->base, operation_rows[SCENE_GET].reply, &etag);
    record_set_finish(&devices);
    return decide(message, &etag);
}
