// gate.c - see the header. Any thread; the tests' own calls pass the gates too.
#include "tests/support/gate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "actors/asset/asset_index.h"
#include "actors/runtime/actor_family.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"

enum { PATIENCE_S = 10 };

struct barrier {
    bool is_closed;
    unsigned waiting;
    unsigned passes; // given to calls that wait or will come
    uint64_t ended;
    bool has_family; // calls of others pass
    enum family family;
};

struct gated {
    store_t base; // first: engines are reached through it
    store_t *inner;
    pthread_mutex_t mutex; // guards the barriers
    pthread_cond_t changed;
    struct barrier barriers[GATE_COUNT];
};

static struct gated *
gated_of(store_t *base)
{
    return container_of(base, struct gated, base);
}

static bool
passes(struct gated *self, enum gate gate, enum family family)
{
    const struct barrier *barrier = &self->barriers[gate];
    return barrier->has_family && barrier->family != family;
}

static void
enter(struct gated *self, enum gate gate)
{
    struct barrier *barrier = &self->barriers[gate];
    pthread_mutex_lock(&self->mutex);
    barrier->waiting++;
    pthread_cond_broadcast(&self->changed);
    while (barrier->is_closed && barrier->passes == 0)
        pthread_cond_wait(&self->changed, &self->mutex);
    if (barrier->is_closed)
        barrier->passes--;
    barrier->waiting--;
    pthread_mutex_unlock(&self->mutex);
}

static void
leave(struct gated *self, enum gate gate)
{
    pthread_mutex_lock(&self->mutex);
    self->barriers[gate].ended++;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
}

static enum store_result
gated_get(store_t *base, const struct store_address *address, uint64_t deadline_ms,
          store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    struct gated *self = gated_of(base);
    if (passes(self, GATE_READS, address->family))
        return store_get(self->inner, address, deadline_ms, ret_version, ret_value, ret_size);
    enter(self, GATE_READS);
    enum store_result result =
        store_get(self->inner, address, deadline_ms, ret_version, ret_value, ret_size);
    leave(self, GATE_READS);
    return result;
}

// What the remover of blobs asks, at any time, is no reading of an actor.
static bool
is_of_blobs(const struct store_scan *scan)
{
    static const unsigned char prefix[] = {KEY_INDEX, INDEX_ASSET_BLOB};
    const struct bytes low = scan->ranges[0].low;
    return scan->family == FAMILY_ASSET && low.size > sizeof prefix &&
           memcmp(low.data, prefix, sizeof prefix) == 0;
}

static enum store_result
gated_scan(store_t *base, const struct store_scan *scan, uint64_t deadline_ms, store_visitor *visit,
           void *context)
{
    struct gated *self = gated_of(base);
    if (passes(self, GATE_READS, scan->family) || is_of_blobs(scan))
        return store_scan_ranges(self->inner, scan, deadline_ms, visit, context);
    enter(self, GATE_READS);
    enum store_result result = store_scan_ranges(self->inner, scan, deadline_ms, visit, context);
    leave(self, GATE_READS);
    return result;
}

static enum store_result
gated_commit(store_t *base, const struct store_commit *commit, uint64_t deadline_ms)
{
    struct gated *self = gated_of(base);
    enter(self, GATE_COMMITS);
    enum store_result result = store_commit(self->inner, commit, deadline_ms);
    leave(self, GATE_COMMITS);
    return result;
}

static enum store_result
gated_ping(store_t *base, uint64_t deadline_ms)
{
    return store_ping(gated_of(base)->inner, deadline_ms);
}

static enum store_result
gated_checkpoint(store_t *base, const char *folder)
{
    return store_checkpoint(gated_of(base)->inner, folder);
}

static enum store_result
gated_position(store_t *base, uint64_t *ret_position)
{
    return store_position(gated_of(base)->inner, ret_position);
}

static void
gated_destroy(store_t **base)
{
    if (!*base)
        return;
    struct gated *self = gated_of(*base);
    store_destroy(&self->inner);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
    free(self);
    *base = NULL;
}

static const struct store_engine gated_engine = {
    .name = "gate",
    .get = gated_get,
    .scan = gated_scan,
    .commit = gated_commit,
    .ping = gated_ping,
    .checkpoint = gated_checkpoint,
    .position = gated_position,
    .destroy = gated_destroy,
};

store_t *
gate_wrap(store_t **inner)
{
    struct gated *self = memory_take_zeroed(sizeof *self);
    pthread_condattr_t attributes;
    self->base.engine = &gated_engine;
    self->base.is_shared = (*inner)->is_shared;
    self->inner = *inner;
    *inner = NULL;
    pthread_mutex_init(&self->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&self->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return &self->base;
}

static void
gate_set(store_t *base, enum gate gate, bool is_closed, unsigned passes)
{
    struct gated *self = gated_of(base);
    pthread_mutex_lock(&self->mutex);
    self->barriers[gate].is_closed = is_closed;
    self->barriers[gate].passes = passes;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
}

void
gate_watch_only(store_t *self, enum gate gate, enum family family)
{
    struct barrier *barrier = &gated_of(self)->barriers[gate];
    barrier->family = family;
    barrier->has_family = true;
}

void
gate_close(store_t *self, enum gate gate)
{
    gate_set(self, gate, true, 0);
}

void
gate_open(store_t *self, enum gate gate)
{
    gate_set(self, gate, false, 0);
}

void
gate_pass_one(store_t *self, enum gate gate)
{
    gate_set(self, gate, true, 1);
}

static bool
stands_at_gate(const struct barrier *barrier, uint64_t count)
{
    (void)count;
    return barrier->is_closed && barrier->waiting > barrier->passes;
}

static bool
has_ended(const struct barrier *barrier, uint64_t count)
{
    return barrier->ended >= count;
}

static bool
await(store_t *base, enum gate gate, bool (*is_so)(const struct barrier *, uint64_t),
      uint64_t count)
{
    struct gated *self = gated_of(base);
    const struct barrier *barrier = &self->barriers[gate];
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&self->mutex);
    while (!is_so(barrier, count))
        if (pthread_cond_timedwait(&self->changed, &self->mutex, &until) != 0)
            break;
    bool is_well = is_so(barrier, count);
    pthread_mutex_unlock(&self->mutex);
    return is_well;
}

bool
gate_await(store_t *self, enum gate gate)
{
    return await(self, gate, stands_at_gate, 0);
}

uint64_t
gate_ended(store_t *base, enum gate gate)
{
    struct gated *self = gated_of(base);
    pthread_mutex_lock(&self->mutex);
    uint64_t ended = self->barriers[gate].ended;
    pthread_mutex_unlock(&self->mutex);
    return ended;
}

bool
gate_await_ended(store_t *self, enum gate gate, uint64_t count)
{
    return await(self, gate, has_ended, count);
}
