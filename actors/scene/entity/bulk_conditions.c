// bulk_conditions.c - compares entity tags of many things of a scene, in slices
// (bulk_conditions.h).

#include "actors/scene/entity/bulk_conditions.h"

#include <stdlib.h>

#include "actors/scene/entity/entity_lookup.h"
#include "actors/scene/scene_shard.h"
#include "proto/base/memory.h"
#include "proto/records/bulk.h"

static const char *
pointer_to(struct message *message, const struct bulk_check *check)
{
    return text_chars(text_format(&message->arena, "/if/%s", text_chars(check->of->key)));
}

// A tag may come without its quotes.
static fallible
take_tags(struct message *message, struct bulk_check *check)
{
    const char *etag = text_chars(check->of->etag);
    bool is_bare = *etag && !strpbrk(etag, "\"*");
    check->tags = text_format(&message->arena, is_bare ? "\"%s\"" : "%s", etag);
    if (!etag_list_is_valid(text_chars(check->tags)))
        return fail(ERR_INVALID, pointer_to(message, check), "must be an ETag, or *");
    return OK;
}

fallible
bulk_checks_new(struct message *message, const struct records *conditions,
                struct bulk_checks **ret_checks)
{
    size_t count = conditions ? conditions->count : 0;
    struct bulk_checks *self = memory_take_zeroed(sizeof *self + count * sizeof self->items[0]);
    enum error error = OK;
    for (; self->count < count && error == OK; self->count++) {
        struct bulk_check *check = &self->items[self->count];
        check->of = (const struct bulk_condition *)(const void *)conditions->items[self->count];
        error = take_tags(message, check);
    }
    if (error != OK)
        bulk_checks_destroy(&self);
    *ret_checks = self;
    return error;
}

void
bulk_checks_forget(struct bulk_checks *self)
{
    record_unref(&self->begun);
    sliced_tag_finish(&self->tag);
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->items[i].met_by);
}

void
bulk_checks_destroy(struct bulk_checks **self)
{
    if (*self)
        bulk_checks_forget(*self);
    free(*self);
    *self = NULL;
}

// The thing of either kind with this key, as it will be.
static const frozen_t *
find(const struct shard *shard, const struct scene_state *scene, const struct text *key)
{
    const frozen_t *found = NULL;
    for (int i = 0; i < ENTITY_KIND_COUNT && !found; i++)
        found = entity_latest_in_scene(shard, entity_kinds[i], scene, key);
    return found;
}

// Whether the tag of the thing is known.
static bool
work_out(struct bulk_checks *self, const struct shard *shard, const frozen_t *thing,
         struct etag *ret_etag)
{
    const struct record *record = frozen_record(thing);
    if (self->begun != thing) {
        record_unref(&self->begun);
        sliced_tag_finish(&self->tag);
        self->begun = record_ref(thing);
        sliced_tag_begin(&self->tag, record, operation_rows[entity_kind_of(record)->get].reply);
    }
    bool is_done = sliced_tag_goes_on(&self->tag, &shard->base, ret_etag);
    if (is_done)
        record_unref(&self->begun);
    return is_done;
}

static fallible
check(struct bulk_checks *self, const struct shard *shard, struct message *message,
      const struct scene_state *scene, struct bulk_check *check, bool *ret_is_done)
{
    struct etag etag = {0};
    const frozen_t *thing = find(shard, scene, check->of->key);
    if (!thing)
        return fail(ERR_PRECONDITION, pointer_to(message, check), "there is no such thing");
    if (check->met_by == thing)
        return OK;
    *ret_is_done = text_is(check->tags, "*") || work_out(self, shard, thing, &etag);
    if (!*ret_is_done)
        return OK;
    if (!etag_list_names(text_chars(check->tags), &etag, ETAG_STRONG))
        return fail(ERR_PRECONDITION, pointer_to(message, check), "is in another state");
    record_unref(&check->met_by);
    check->met_by = record_ref(thing);
    return OK;
}

fallible
bulk_checks_go_on(struct bulk_checks *self, struct shard *shard, struct message *message,
                  const struct scene_state *scene, bool *ret_are_done)
{
    *ret_are_done = true;
    for (size_t i = 0; i < self->count && *ret_are_done; i++)
        TRY(check(self, shard, message, scene, &self->items[i], ret_are_done));
    return OK;
}
