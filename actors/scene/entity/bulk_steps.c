// bulk_steps.c - decides and stages the steps of a bulk request (bulk_steps.h).

#include "actors/scene/entity/bulk_steps.h"

#include <stdlib.h>

#include "actors/scene/entity/entities.h"
#include "actors/scene/entity/entity_lookup.h"
#include "actors/scene/entity/object_kind.h"
#include "actors/scene/entity/property_kind.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/message/partition.h"
#include "proto/records/bulk.h"

static const struct bulk_list lists[ENTITY_KIND_COUNT][3] = {
    [OBJECTS] = {{"create", &object_kind, OBJECT_CREATE},
                 {"update", &object_kind, OBJECT_UPDATE},
                 {"delete", &object_kind, OBJECT_DELETE}},
    [PROPERTIES] = {{"properties/create", &property_kind, PROPERTY_CREATE},
                    {"properties/update", &property_kind, PROPERTY_UPDATE},
                    {"properties/delete", &property_kind, PROPERTY_DELETE}},
};

// The place of the step in the body, in the arena.
static const char *
pointer_to(struct message *message, const struct bulk_step *step)
{
    return text_chars(text_format(&message->arena, "/%s/%u", step->list->name, step->index));
}

// --- from the request ---

static bool
is_creation(const struct bulk_step *step)
{
    return step->list->as == OBJECT_CREATE || step->list->as == PROPERTY_CREATE;
}

static size_t
count_part(const struct bulk_part *part)
{
    return (part->create ? part->create->count : 0) + (part->update ? part->update->count : 0) +
           texts_count(part->delete);
}

static struct bulk_step *
add(struct bulk_steps *self, const struct bulk_list *list, uint32_t index)
{
    struct bulk_step *step = &self->items[self->count++];
    *step = (struct bulk_step){.list = list, .index = index};
    return step;
}

static void
add_edits(struct bulk_steps *self, const struct bulk_list *list, const struct records *edits)
{
    for (uint32_t i = 0; edits && i < edits->count; i++)
        add(self, list, i)->edit = edits->items[i];
}

static void
add_part(struct bulk_steps *self, enum entity_place place, const struct bulk_part *part)
{
    const struct bulk_list *of = lists[place];
    add_edits(self, &of[0], part->create);
    add_edits(self, &of[1], part->update);
    for (uint32_t i = 0; i < texts_count(part->delete); i++)
        add(self, &of[2], i)->key = part->delete->items[i];
}

static fallible
take_key(struct message *message, struct bulk_step *step)
{
    const char *pointer = pointer_to(message, step);
    struct path path = {.name = pointer};
    if (is_creation(step))
        return step->list->kind->choose_key
                   ? step->list->kind->choose_key(step->edit, &path, &step->key)
                   : OK;
    if (step->edit)
        step->key = record_key(step->edit);
    if (text_size(step->key) == 0)
        return fail(ERR_MISSING, text_chars(text_format(&message->arena, "%s/key", pointer)),
                    "the key of the %s is needed", step->list->kind->noun);
    return OK;
}

static bool
is_of_same(const void *value, const void *key)
{
    const struct bulk_step *a = value, *b = key;
    return a->list->kind == b->list->kind && text_equal(a->key, b->key);
}

static fallible
check_once(struct message *message, struct table *named, struct bulk_step *step)
{
    if (!step->key)
        return OK;
    uint64_t hash = table_hash_text(step->key);
    if (table_find(named, hash, is_of_same, step))
        return fail(ERR_INVALID, pointer_to(message, step), "%s %.128s is named twice",
                    step->list->kind->noun, text_chars(step->key));
    table_add(named, hash, step);
    return OK;
}

// The fence of each object that the request names one of, with the step that changes the object.
static fallible
take_fences(struct message *message, const struct records *fences, const struct table *named)
{
    const struct bulk_list *list = &lists[OBJECTS][1];
    for (uint32_t i = 0; fences && i < fences->count; i++) {
        const struct fence_of *of = (const struct fence_of *)(const void *)fences->items[i];
        const struct bulk_step wanted = {.list = list, .key = of->key};
        struct bulk_step *step = table_find(named, table_hash_text(of->key), is_of_same, &wanted);
        if (!step)
            return fail(ERR_INVALID,
                        text_chars(text_format(&message->arena, "/fence/%s", text_chars(of->key))),
                        "the request changes no such object");
        step->claim.fence = of->fence;
        step->claim.has_fence = true;
    }
    return OK;
}

static fallible
take_keys(struct message *message, const struct records *fences, struct bulk_steps *self)
{
    struct table named = {0};
    enum error error = OK;
    struct params params = *message->params;
    params.fences = NULL; // below
    for (size_t i = 0; i < self->count && error == OK; i++) {
        error = take_key(message, &self->items[i]);
        if (error == OK)
            error = check_once(message, &named, &self->items[i]);
        self->items[i].claim = lock_claim_of(&params, NULL);
    }
    if (error == OK)
        error = take_fences(message, fences, &named);
    table_finish(&named);
    return error;
}

fallible
bulk_steps_new(struct message *message, const struct bulk *bulk, struct bulk_steps **ret_steps)
{
    const struct bulk_part none = {.create = NULL};
    const struct bulk_part *properties =
        bulk->properties ? (const struct bulk_part *)(const void *)bulk->properties : &none;
    size_t count = count_part(&bulk->objects) + count_part(properties);
    if (count > LIMIT_BULK_STEPS)
        return fail(ERR_INVALID, "", "at most %d things in one request, not %zu", LIMIT_BULK_STEPS,
                    count);
    struct bulk_steps *self = memory_take_zeroed(sizeof *self + count * sizeof self->items[0]);
    add_part(self, OBJECTS, &bulk->objects);
    add_part(self, PROPERTIES, properties);
    enum error error = take_keys(message, bulk->fences, self);
    if (error != OK)
        bulk_steps_destroy(&self);
    *ret_steps = self;
    return error;
}

static void
forget(struct bulk_step *self)
{
    record_unref(&self->before);
    self->after = NULL;
    self->bytes = self->more = 0;
    self->is_decided = false;
}

void
bulk_steps_forget(struct bulk_steps *self)
{
    for (size_t i = 0; i < self->count; i++)
        forget(&self->items[i]);
}

void
bulk_steps_destroy(struct bulk_steps **self)
{
    if (*self)
        bulk_steps_forget(*self);
    free(*self);
    *self = NULL;
}

// --- one by one ---

const struct text *
bulk_step_new_key(struct message *message, const struct bulk_steps *steps,
                  const struct bulk_step *step)
{
    uint32_t number = (uint32_t)(step - steps->items);
    if (step->is_decided)
        return record_key(step->after);
    return step->key ? step->key
                     : message_key(message, number, partition_of_scene(message->params->scene));
}

static fallible
edit(struct message *message, const struct scene_state *scene, struct bulk_step *step,
     const struct entity *stored)
{
    const struct entity_kind *kind = step->list->kind;
    const char *pointer = pointer_to(message, step);
    enum list_mode mode = stored ? params_list_mode(message->params) : LIST_OVERWRITE;
    if (kind->locate)
        TRY(kind->locate(&message->arena, step->edit, pointer, frozen_record(scene->record)));
    return entity_edited(&message->arena, kind, stored, step->edit, mode, pointer, &step->after);
}

static fallible
create(struct message *message, const struct bulk_steps *steps, const struct scene_state *scene,
       struct bulk_step *step)
{
    const struct entity_kind *kind = step->list->kind;
    TRY(edit(message, scene, step, NULL));
    record_set_text(step->after, ENTITY_KEY, bulk_step_new_key(message, steps, step));
    record_set_text(step->after, ENTITY_SCENE, scene->key);
    if (message->caller.user[0])
        record_set_text(step->after, ENTITY_USER, text_from(&message->arena, message->caller.user));
    if (kind->allows)
        TRY(kind->allows(message, NULL, step->after));
    TRY(entity_check_size(kind, step->after, &step->bytes));
    step->more = step->bytes;
    return OK;
}

// What the caller pays in addition: for the growth of what they pay for, for all of what was
// another's (entity_grow).
static size_t
growth(const struct message *message, const struct scene_state *scene, const struct bulk_step *step)
{
    size_t old = record_size(step->before);
    if (step->bytes <= old || !message->caller.user[0])
        return 0;
    bool paid_before = text_is(scene_holdings_payer(scene, step->before), message->caller.user);
    return paid_before ? step->bytes - old : step->bytes;
}

static fallible
update(struct shard *self, struct message *message, const struct scene_state *scene,
       struct bulk_step *step, const struct lock_claim *claim)
{
    const struct entity_kind *kind = step->list->kind;
    const struct entity *stored = entity_of(frozen_record(step->before));
    TRY(edit(message, scene, step, stored));
    if (kind->allows)
        TRY(kind->allows(message, stored, step->after));
    if (kind->follows)
        kind->follows(&message->arena, stored, claim, step->after);
    TRY(entity_check_size(kind, step->after, &step->bytes));
    TRY(entity_grow(self, message, scene, false, step->before, step->after, &step->bytes));
    step->more = growth(message, scene, step);
    return OK;
}

static fallible
decide(struct shard *self, struct message *message, const struct bulk_steps *steps,
       struct scene_state *scene, struct bulk_step *step)
{
    const struct entity_kind *kind = step->list->kind;
    if (is_creation(step))
        return create(message, steps, scene, step);
    struct lock_claim claim = step->claim;
    if (step->edit)
        lock_claim_take(&claim, step->edit);
    if (kind->permits)
        TRY(kind->permits(self, message, scene, entity_of(frozen_record(step->before)), &claim));
    return step->edit ? update(self, message, scene, step, &claim) : OK;
}

// Whether the thing is there, as the step needs it.
static fallible
check_there(const struct bulk_step *step, const frozen_t *latest)
{
    const char *noun = step->list->kind->noun;
    if (is_creation(step))
        return latest ? fail(ERR_CONFLICT, "/key", "there is a %s %.128s already", noun,
                             text_chars(step->key))
                      : OK;
    return latest ? OK
                  : fail(ERR_NOT_FOUND, "", "there is no %s %.128s", noun, text_chars(step->key));
}

// What the operation on one thing says, said of this one.
static enum error
fail_at(struct message *message, const struct bulk_step *step, enum error error)
{
    struct fault fault;
    const char *place = pointer_to(message, step);
    fault_take(error, &fault);
    if (strncmp(fault.pointer, place, strlen(place)) == 0)
        place = "";
    const struct text *pointer = text_format(&message->arena, "%s%s", place, fault.pointer);
    return fail(error, text_chars(pointer), "%s", fault.detail);
}

fallible
bulk_step_decide(struct shard *self, struct message *message, const struct bulk_steps *steps,
                 struct scene_state *scene, struct bulk_step *step, bool *ret_is_new)
{
    const frozen_t *latest =
        step->key ? entity_latest_in_scene(self, step->list->kind, scene, step->key) : NULL;
    enum error error = check_there(step, latest);
    *ret_is_new = error == OK && !(step->is_decided && step->before == latest);
    if (*ret_is_new) {
        forget(step);
        step->before = latest ? record_ref(latest) : NULL;
        error = decide(self, message, steps, scene, step);
        step->is_decided = error == OK;
    }
    return error == OK ? OK : fail_at(message, step, error);
}

void
bulk_step_stage(struct shard *self, struct message *message, struct scene_state *scene,
                const struct bulk_step *step)
{
    const struct bulk_list *list = step->list;
    if (step->after)
        shard_stage_put(self, scene, list->kind->tag, step->after, step->before,
                        (uint8_t)operation_rows[list->as].msg_type);
    else
        entity_stage_delete(self, message, scene, list->kind, step->before, list->as);
}
