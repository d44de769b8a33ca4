// bulk.c - the operation that changes many things of a scene in one commit (bulk.h).

#include "actors/scene/entity/bulk.h"

#include <stdlib.h>

#include "actors/scene/entity/bulk_conditions.h"
#include "actors/scene/entity/bulk_steps.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/use_index.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/records/bulk.h"

// A request decides each of its steps so often, on average, that it may pause between them. Then it
// goes on in one turn: else things that change faster than it decides would hold it up for ever.
enum { DECIDED_MOST = 3 };

struct bulk_work {
    struct parcel base;
    struct scene_state *scene; // held: what was decided is about what is in memory of it; or NULL
    struct bulk_steps *steps;
    struct bulk_checks *checks;
    size_t decided; // how often a step was
};

static void
forget(struct bulk_work *self)
{
    bulk_steps_forget(self->steps);
    bulk_checks_forget(self->checks);
    scene_release(&self->scene);
}

static void
release(struct parcel *parcel)
{
    struct bulk_work *self = (struct bulk_work *)(void *)parcel;
    bulk_steps_destroy(&self->steps);
    bulk_checks_destroy(&self->checks);
    scene_release(&self->scene);
    free(self);
}

static fallible
begin(struct message *message)
{
    const struct bulk *bulk = (const struct bulk *)(const void *)message->records->items[0];
    struct bulk_steps *steps = NULL;
    struct bulk_checks *checks = NULL;
    TRY(bulk_steps_new(message, bulk, &steps));
    enum error error = bulk_checks_new(message, bulk->conditions, &checks);
    if (error == OK && steps->count + checks->count == 0)
        error = fail(ERR_MISSING, "", "create, update or delete is needed");
    struct bulk_work *self = memory_take_zeroed(sizeof *self);
    *self = (struct bulk_work){.base.destroy = release, .steps = steps, .checks = checks};
    message->work = &self->base;
    return error;
}

static struct bulk_work *
work_of(const struct message *message)
{
    return (struct bulk_work *)(void *)message->work;
}

// The scene of the request, in memory, as it is now.
static fallible
take_scene(struct shard *self, struct message *message, struct bulk_work *work)
{
    const struct text *key = message->params->scene;
    struct scene_state *scene = scenes_latest(self, key);
    TRY(scene_to_write(self, message, key, scene));
    TRY(scene_cache_need(self, scene, message));
    if (work->scene == scene)
        return OK;
    forget(work);
    work->scene = scene;
    scene_hold(scene);
    return OK;
}

// What a step takes of a commit, with index records.
static size_t
step_bytes(const struct bulk_step *step)
{
    const struct record *before = step->before ? frozen_record(step->before) : NULL;
    return step->bytes + use_index_bytes(before, step->after);
}

// One commit takes what is decided; nothing is made that it cannot take.
static fallible
add_bytes(const struct bulk_step *step, size_t *bytes)
{
    *bytes += step_bytes(step);
    if (*bytes > LIMIT_COMMIT_BYTES)
        return fail(ERR_TOO_LARGE, "", "what changes takes more than the %d bytes of one commit",
                    LIMIT_COMMIT_BYTES);
    return OK;
}

static enum error
decide_all(struct shard *self, struct message *message, struct bulk_work *work)
{
    bool is_new, are_checked;
    size_t bytes = WRITE_BYTES;
    TRY(bulk_checks_go_on(work->checks, self, message, work->scene, &are_checked));
    if (!are_checked)
        return actor_pause(&self->base, message);
    for (size_t i = 0; i < work->steps->count; i++) {
        TRY(bulk_step_decide(self, message, work->steps, work->scene, &work->steps->items[i],
                             &is_new));
        TRY(add_bytes(&work->steps->items[i], &bytes));
        work->decided += is_new;
        if (is_new && work->decided < DECIDED_MOST * work->steps->count &&
            actor_must_pause(&self->base))
            return actor_pause(&self->base, message);
    }
    return OK;
}

// Whether the caller may have it all, and the filling commit takes it.
static fallible
make_room(struct shard *self, struct message *message, const struct bulk_work *work)
{
    size_t bytes = WRITE_BYTES, more = 0, writes = BULK_STEP_WRITES * work->steps->count;
    for (size_t i = 0; i < work->steps->count; i++) {
        bytes += step_bytes(&work->steps->items[i]);
        more += work->steps->items[i].more;
    }
    if (message->caller.role != CALLER_TRUSTED)
        TRY(scene_holdings_check_new(self, message, more));
    return shard_make_room_apart(self, message, work->scene, writes, bytes);
}

static const struct texts *
new_keys(struct message *message, const struct bulk_steps *steps, enum operation as)
{
    struct texts *keys =
        arena_alloc(&message->arena, sizeof *keys + steps->count * sizeof keys->items[0]);
    keys->count = 0;
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].list->as == as)
            keys->items[keys->count++] = bulk_step_new_key(message, steps, &steps->items[i]);
    return keys;
}

static void
reply_with_keys(struct message *message, const struct bulk_steps *steps)
{
    struct bulk_result *result =
        (struct bulk_result *)(void *)record_new(&message->arena, &bulk_result_schema);
    result->created = new_keys(message, steps, OBJECT_CREATE);
    result->properties = new_keys(message, steps, PROPERTY_CREATE);
    record_mark(&result->base, BULK_RESULT_CREATED);
    record_mark(&result->base, BULK_RESULT_PROPERTIES);
    reply_add_loose(message, &bulk_result_schema, &result->base);
}

enum error
entities_bulk(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    if (!message->work)
        TRY(begin(message));
    struct bulk_work *work = work_of(message);
    TRY(take_scene(self, message, work));
    TRY(decide_all(self, message, work));
    TRY(make_room(self, message, work));
    for (size_t i = 0; i < work->steps->count; i++)
        bulk_step_stage(self, message, work->scene, &work->steps->items[i]);
    reply_with_keys(message, work->steps);
    return shard_answer_durable(self, message);
}

enum error
entities_bulk_remake(actor_t *actor, struct message *message, uint32_t count)
{
    (void)actor, (void)count;
    if (!message->work)
        TRY(begin(message));
    reply_with_keys(message, work_of(message)->steps);
    message_end_work(message);
    return OK;
}
