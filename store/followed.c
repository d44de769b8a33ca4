// followed.c - see followed.h. It calls the inner engine directly, since store.c has already
// checked and counts the call.
#include "store/followed.h"

#include <stdlib.h>

#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"

struct decorator {
    store_t base; // first: engines are reached through it
    store_t *inner;
};

static store_t *
inner_of(store_t *base)
{
    return container_of(base, struct decorator, base)->inner;
}

static bool
is_taken(const struct store_commit *commit)
{
    for (size_t i = 0; i < commit->operation_count && !commit->is_copy; i++)
        if (commit->operations[i].address.family != FAMILY_STREAMER)
            return false;
    return true;
}

static enum store_result
followed_commit(store_t *base, const struct store_commit *commit, uint64_t deadline_ms)
{
    store_t *inner = inner_of(base);
    if (is_taken(commit))
        return inner->engine->commit(inner, commit, deadline_ms);
    log_debug("commit_refused", "reason=follows operations=%zu", commit->operation_count);
    return STORE_UNAVAILABLE;
}

static enum store_result
followed_get(store_t *base, const struct store_address *address, uint64_t deadline_ms,
             store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    store_t *inner = inner_of(base);
    return inner->engine->get(inner, address, deadline_ms, ret_version, ret_value, ret_size);
}

static enum store_result
followed_scan(store_t *base, const struct store_scan *scan, uint64_t deadline_ms,
              store_visitor *visit, void *context)
{
    store_t *inner = inner_of(base);
    return inner->engine->scan(inner, scan, deadline_ms, visit, context);
}

static enum store_result
followed_ping(store_t *base, uint64_t deadline_ms)
{
    store_t *inner = inner_of(base);
    return inner->engine->ping(inner, deadline_ms);
}

static enum store_result
followed_checkpoint(store_t *base, const char *folder)
{
    store_t *inner = inner_of(base);
    return inner->engine->checkpoint(inner, folder);
}

static enum store_result
followed_position(store_t *base, uint64_t *ret_position)
{
    store_t *inner = inner_of(base);
    return inner->engine->position(inner, ret_position);
}

static enum store_result
followed_changes(store_t *base, uint64_t after, size_t bytes, store_change_visitor *visit,
                 void *context)
{
    store_t *inner = inner_of(base);
    return inner->engine->changes(inner, after, bytes, visit, context);
}

static void
followed_release(store_t *base, uint64_t position, uint64_t kept, uint64_t most)
{
    store_t *inner = inner_of(base);
    inner->engine->release(inner, position, kept, most);
}

static void
followed_destroy(store_t **base)
{
    if (!*base)
        return;
    struct decorator *self = container_of(*base, struct decorator, base);
    store_destroy(&self->inner);
    free(self);
    *base = NULL;
}

static const struct store_engine followed_engine = {
    .name = "followed",
    .get = followed_get,
    .scan = followed_scan,
    .commit = followed_commit,
    .ping = followed_ping,
    .checkpoint = followed_checkpoint,
    .position = followed_position,
    .changes = followed_changes,
    .release = followed_release,
    .destroy = followed_destroy,
};

void
followed_wrap(store_t **inner, store_t **ret_store)
{
    struct decorator *self = memory_take_zeroed(sizeof *self);
    self->base.engine = &followed_engine;
    self->base.is_shared = (*inner)->is_shared;
    self->inner = *inner;
    *inner = NULL;
    *ret_store = &self->base;
}
