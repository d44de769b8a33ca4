// reserve.c - the decorator that refuses commits before the disk is full (reserve.h). Any thread.
// It calls the inner engine directly, since store.c has already checked and counts the call.
#include "store/reserve.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/message/metrics.h"

enum {
    LOOK_EVERY_MS = 1000,
    LOOKS_PER_RESERVE = 16, // looks for each reserve that is written
};

struct decorator {
    store_t base; // first: engines are reached through it
    store_t *inner;
    char *path;
    uint64_t bytes; // kept back
    reserve_meter *meter;
    pthread_mutex_t mutex; // guards all below
    bool is_short;
    uint64_t look_again_ms;
    uint64_t written; // since the last look
    bool is_ending;
    pthread_cond_t ending;
    pthread_t watcher;
    bool has_watcher; // set before others have the store
};

// Without the space that the system keeps for its administrator, since the server need not run as
// one.
bool
reserve_measure(const char *path, uint64_t *ret_free)
{
    struct statvfs status;
    if (statvfs(path, &status) != 0)
        return false;
    *ret_free = (uint64_t)status.f_bavail * status.f_frsize;
    return true;
}

// The caller holds the mutex. If the space cannot be measured, nothing changes.
static void
look(struct decorator *self)
{
    uint64_t free_bytes;
    self->look_again_ms = clock_deadline_ms(LOOK_EVERY_MS);
    self->written = 0;
    if (!self->meter(self->path, &free_bytes))
        return;
    uint64_t enough = self->is_short ? self->bytes + self->bytes / 4 : self->bytes;
    bool is_short = free_bytes < enough;
    if (is_short == self->is_short)
        return;
    self->is_short = is_short;
    gauge_add(GAUGE_STORE_READ_ONLY, is_short ? 1 : -1);
    if (is_short)
        log_error("store_full", "path=%s free=%llu reserve=%llu", self->path,
                  (unsigned long long)free_bytes, (unsigned long long)self->bytes);
    else
        log_info("store_has_space", "path=%s free=%llu", self->path,
                 (unsigned long long)free_bytes);
}

static bool
is_short(struct decorator *self)
{
    pthread_mutex_lock(&self->mutex);
    if (clock_left_ms(self->look_again_ms) == 0)
        look(self);
    bool is_short = self->is_short;
    pthread_mutex_unlock(&self->mutex);
    return is_short;
}

// Looks when nobody else has done it for as long.
static void *
watch(void *argument)
{
    struct decorator *self = argument;
    pthread_mutex_lock(&self->mutex);
    while (!self->is_ending) {
        if (clock_left_ms(self->look_again_ms) == 0)
            look(self);
        condition_await(&self->ending, &self->mutex, clock_deadline_ms(LOOK_EVERY_MS));
    }
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

static void
end_watching(struct decorator *self)
{
    pthread_mutex_lock(&self->mutex);
    self->is_ending = true;
    pthread_cond_signal(&self->ending);
    pthread_mutex_unlock(&self->mutex);
    if (self->has_watcher)
        pthread_join(self->watcher, NULL);
}

static uint64_t
bytes_of(const struct store_commit *commit)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < commit->operation_count; i++)
        bytes += commit->operations[i].address.key.size + commit->operations[i].value.size;
    return bytes;
}

// Notes how a commit changed the free space, as far as that is known without measuring.
static void
note_commit(struct decorator *self, const struct store_commit *commit, enum store_result result)
{
    pthread_mutex_lock(&self->mutex);
    self->written += bytes_of(commit);
    bool is_failure = result != STORE_OK && result != STORE_CONFLICT;
    if (is_failure || self->written >= self->bytes / LOOKS_PER_RESERVE)
        self->look_again_ms = 0;
    pthread_mutex_unlock(&self->mutex);
}

static struct decorator *
decorator_of(store_t *base)
{
    return container_of(base, struct decorator, base);
}

static enum store_result
decorator_get(store_t *base, const struct store_address *address, uint64_t deadline_ms,
              store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    store_t *inner = decorator_of(base)->inner;
    return inner->engine->get(inner, address, deadline_ms, ret_version, ret_value, ret_size);
}

static enum store_result
decorator_scan(store_t *base, const struct store_scan *scan, uint64_t deadline_ms,
               store_visitor *visit, void *context)
{
    store_t *inner = decorator_of(base)->inner;
    return inner->engine->scan(inner, scan, deadline_ms, visit, context);
}

static enum store_result
decorator_commit(store_t *base, const struct store_commit *commit, uint64_t deadline_ms)
{
    struct decorator *self = decorator_of(base);
    if (is_short(self) && !commit->is_vital)
        return STORE_FULL;
    enum store_result result = self->inner->engine->commit(self->inner, commit, deadline_ms);
    note_commit(self, commit, result);
    return result;
}

static enum store_result
decorator_ping(store_t *base, uint64_t deadline_ms)
{
    struct decorator *self = decorator_of(base);
    return is_short(self) ? STORE_FULL : self->inner->engine->ping(self->inner, deadline_ms);
}

// It writes little itself, but keeps tables that the store would remove.
static enum store_result
decorator_checkpoint(store_t *base, const char *folder)
{
    struct decorator *self = decorator_of(base);
    return is_short(self) ? STORE_FULL : self->inner->engine->checkpoint(self->inner, folder);
}

static enum store_result
decorator_position(store_t *base, uint64_t *ret_position)
{
    store_t *inner = decorator_of(base)->inner;
    return inner->engine->position(inner, ret_position);
}

static enum store_result
decorator_changes(store_t *base, uint64_t after, size_t bytes, store_change_visitor *visit,
                  void *context)
{
    store_t *inner = decorator_of(base)->inner;
    return inner->engine->changes(inner, after, bytes, visit, context);
}

static void
decorator_release(store_t *base, uint64_t position, uint64_t kept, uint64_t most)
{
    store_t *inner = decorator_of(base)->inner;
    inner->engine->release(inner, position, kept, most);
}

static void
decorator_destroy(store_t **base)
{
    if (!*base)
        return;
    struct decorator *self = decorator_of(*base);
    end_watching(self);
    store_destroy(&self->inner);
    pthread_cond_destroy(&self->ending);
    pthread_mutex_destroy(&self->mutex);
    free(self->path);
    free(self);
    *base = NULL;
}

static const struct store_engine decorator_engine = {
    .name = "reserve",
    .get = decorator_get,
    .scan = decorator_scan,
    .commit = decorator_commit,
    .ping = decorator_ping,
    .checkpoint = decorator_checkpoint,
    .position = decorator_position,
    .changes = decorator_changes,
    .release = decorator_release,
    .destroy = decorator_destroy,
};

void
reserve_wrap(store_t **inner, const char *path, uint64_t bytes, reserve_meter *meter,
             store_t **ret_store)
{
    struct decorator *self = memory_take_zeroed(sizeof *self);
    size_t size = strlen(path) + 1;
    self->base.engine = &decorator_engine;
    self->path = memcpy(memory_take(size), path, size);
    self->bytes = bytes;
    self->meter = meter;
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->ending, NULL);
    self->inner = *inner;
    *inner = NULL;
    *ret_store = &self->base;
}

void
reserve_wrap_watched(store_t **inner, const char *path, uint64_t bytes, reserve_meter *meter,
                     store_t **ret_store)
{
    reserve_wrap(inner, path, bytes, meter, ret_store);
    struct decorator *self = decorator_of(*ret_store);
    self->has_watcher = pthread_create(&self->watcher, NULL, watch, self) == 0;
    if (!self->has_watcher)
        log_error("disk_not_watched", "path=%s", self->path);
}
