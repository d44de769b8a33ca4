// rocks.c - the RocksDB engine: the database, and the lock under which it is reopened if nothing
// else helps. Any thread; RocksDB itself groups commits that arrive together.
#include "store/rocks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/before_upgrade.h"
#include "store/folder_lock.h"
#include "store/guard_locks.h"
#include "store/rocks_changes.h"
#include "store/rocks_memory.h"
#include "store/rocks_records.h"
#include "store/seal.h"

enum { REOPEN_EVERY_MS = 5000 }; // while it is read-only

struct rocks {
    store_t base; // first: engines are reached through it
    char *path;
    bool sync, keeps_log;
    struct guard_locks guards;      // from the check of a commit's guards to the end of its write
    pthread_rwlock_t lock;          // calls hold it for reading, reopening holds it for writing
    struct rocks_database database; // closed if it could not be reopened
    enum store_result refusal;      // the answer to writes while it is read-only; else OK
    uint64_t openings;              // how often it was reopened
    uint64_t opened_ms;             // time of the last attempt to reopen it for writing
    struct rocks_memory memory;
    pthread_mutex_t reading; // guards `changes`; taken after `lock`
    struct rocks_changes changes;
    int owner; // folder_lock: from before the seal is broken until it is put
};

// --- reopening ---

static bool
open_as(struct rocks *self, enum rocks_mode mode)
{
    bool is_open =
        rocks_database_open(self->path, mode, self->sync, self->keeps_log, &self->database) == OK;
    if (is_open)
        log_info("store_reopened", "path=%s for=%s", self->path,
                 mode == ROCKS_READ_ONLY ? "reading" : "writing");
    return is_open;
}

static bool
is_due(const struct rocks *self)
{
    return clock_now_ms() - self->opened_ms >= REOPEN_EVERY_MS;
}

static bool
open_for_writing(struct rocks *self)
{
    self->opened_ms = clock_now_ms();
    return open_as(self, ROCKS_REFUSE_DAMAGE);
}

// Closes and reopens the database, unless another thread did so after `opening`. `why` is the
// answer to the write that failed. If it cannot be opened for writing it is opened for reading, but
// not after UNKNOWN: what the log says about that write is true only after the database was opened
// for writing, which stores it anew.
static void
open_again(struct rocks *self, uint64_t opening, enum store_result why)
{
    pthread_rwlock_wrlock(&self->lock);
    if (self->openings == opening) {
        bool may_write = why == STORE_UNKNOWN || is_due(self);
        self->openings++;
        rocks_changes_close(&self->changes);
        rocks_database_close(&self->database);
        self->refusal = may_write && open_for_writing(self) ? STORE_OK : why;
        if (self->refusal != STORE_OK && why != STORE_UNKNOWN)
            open_as(self, ROCKS_READ_ONLY);
    }
    pthread_rwlock_unlock(&self->lock);
}

// Every call begins with this. True, with the lock held, if the database is open.
static bool
enter(struct rocks *self)
{
    pthread_rwlock_rdlock(&self->lock);
    if (self->database.handle)
        return true;
    uint64_t opening = self->openings;
    enum store_result why = self->refusal;
    bool must_wait = !is_due(self);
    pthread_rwlock_unlock(&self->lock);
    if (must_wait)
        return false;
    open_again(self, opening, why);
    pthread_rwlock_rdlock(&self->lock);
    if (self->database.handle)
        return true;
    pthread_rwlock_unlock(&self->lock);
    return false;
}

static void
leave(struct rocks *self)
{
    pthread_rwlock_unlock(&self->lock);
}

// --- calls ---

static enum store_result
rocks_get(store_t *base, const struct store_address *address, uint64_t deadline_ms,
          store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    (void)deadline_ms; // already checked; RocksDB cannot be interrupted
    struct rocks *self = container_of(base, struct rocks, base);
    if (!enter(self))
        return STORE_UNAVAILABLE;
    enum store_result result =
        records_get(&self->database, address, ret_version, ret_value, ret_size);
    leave(self);
    return result;
}

static enum store_result
rocks_scan(store_t *base, const struct store_scan *scan, uint64_t deadline_ms, store_visitor *visit,
           void *context)
{
    struct rocks *self = container_of(base, struct rocks, base);
    if (!enter(self))
        return STORE_UNAVAILABLE;
    enum store_result result = records_scan(&self->database, scan, deadline_ms, visit, context);
    rocks_memory_tell(&self->memory, &self->database);
    leave(self);
    return result;
}

// Whether only reopening helps. After a failed append the log takes no more, and if RocksDB resumes
// by itself that log makes it fail. After a failed sync only the log tells what is on the disk.
// What a compaction found corrupt stays corrupt.
static bool
is_curable(enum store_result result)
{
    return result == STORE_UNAVAILABLE || result == STORE_FULL || result == STORE_UNKNOWN;
}

static enum store_result
commit_open(struct rocks *self, const struct store_commit *commit)
{
    if (!enter(self))
        return STORE_UNAVAILABLE;
    uint64_t opening = self->openings;
    enum store_result result = records_check(&self->database, commit);
    bool is_write = result == STORE_OK, is_refused = self->refusal != STORE_OK;
    if (is_write)
        result = is_refused ? self->refusal : records_write(&self->database, commit);
    rocks_memory_tell(&self->memory, &self->database);
    bool must_mend = is_write && is_curable(result) && (!is_refused || is_due(self));
    leave(self);
    if (must_mend)
        open_again(self, opening, result);
    return result;
}

static enum store_result
rocks_commit(store_t *base, const struct store_commit *commit, uint64_t deadline_ms)
{
    struct rocks *self = container_of(base, struct rocks, base);
    uint32_t taken = guard_locks_take(&self->guards, commit);
    bool late = taken && deadline_ms && clock_left_ms(deadline_ms) == 0; // it waited too long
    enum store_result result = late ? STORE_UNAVAILABLE : commit_open(self, commit);
    guard_locks_release(&self->guards, taken);
    return result;
}

static enum store_result
rocks_ping(store_t *base, uint64_t deadline_ms)
{
    (void)deadline_ms;
    struct rocks *self = container_of(base, struct rocks, base);
    enum store_result result = commit_open(self, &(struct store_commit){0});
    return result == STORE_UNKNOWN ? STORE_UNAVAILABLE : result;
}

// The database must be open for writing: what is in memory is written to tables first.
static enum store_result
rocks_checkpoint(store_t *base, const char *folder)
{
    struct rocks *self = container_of(base, struct rocks, base);
    if (!enter(self))
        return STORE_UNAVAILABLE;
    enum store_result result = self->refusal;
    if (result == STORE_OK)
        result = records_checkpoint(&self->database, folder);
    leave(self);
    return result;
}

static enum store_result
rocks_position(store_t *base, uint64_t *ret_position)
{
    struct rocks *self = container_of(base, struct rocks, base);
    if (!enter(self))
        return STORE_UNAVAILABLE;
    *ret_position = rocks_changes_position(&self->database);
    leave(self);
    return STORE_OK;
}

static enum store_result
rocks_changes(store_t *base, uint64_t after, size_t bytes, store_change_visitor *visit,
              void *context)
{
    struct rocks *self = container_of(base, struct rocks, base);
    if (!enter(self))
        return STORE_UNAVAILABLE;
    pthread_mutex_lock(&self->reading);
    enum store_result result =
        rocks_changes_visit(&self->changes, &self->database, after, bytes, visit, context);
    pthread_mutex_unlock(&self->reading);
    leave(self);
    return result;
}

static void
rocks_release(store_t *base, uint64_t position, uint64_t kept, uint64_t most)
{
    struct rocks *self = container_of(base, struct rocks, base);
    if (!enter(self))
        return;
    pthread_mutex_lock(&self->reading);
    rocks_changes_release(&self->changes, &self->database, self->path, position, kept, most);
    pthread_mutex_unlock(&self->reading);
    leave(self);
}

// --- life ---

static void
rocks_destroy(store_t **base)
{
    if (!*base)
        return;
    struct rocks *self = container_of(*base, struct rocks, base);
    bool was_open = self->database.handle != NULL;
    rocks_changes_close(&self->changes);
    rocks_changes_finish(&self->changes);
    rocks_database_close(&self->database);
    if (was_open)
        seal_put(self->path);
    folder_lock_release(&self->owner);
    pthread_rwlock_destroy(&self->lock);
    guard_locks_finish(&self->guards);
    pthread_mutex_destroy(&self->reading);
    free(self->path);
    free(self);
    *base = NULL;
}

static const struct store_engine rocks_engine = {
    .name = "rocksdb",
    .get = rocks_get,
    .scan = rocks_scan,
    .commit = rocks_commit,
    .ping = rocks_ping,
    .checkpoint = rocks_checkpoint,
    .position = rocks_position,
    .changes = rocks_changes,
    .release = rocks_release,
    .destroy = rocks_destroy,
};

// Reopening must not wait for ever behind scans that follow one another.
static void
lock_init(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
}

static struct rocks *
rocks_create(const char *path, bool sync)
{
    struct rocks *self = memory_take_zeroed(sizeof *self);
    size_t size = strlen(path) + 1;
    self->base.engine = &rocks_engine;
    self->path = memcpy(memory_take(size), path, size);
    self->sync = sync;
    self->owner = -1;
    guard_locks_init(&self->guards);
    pthread_mutex_init(&self->reading, NULL);
    lock_init(&self->lock);
    return self;
}

fallible
rocks_open_in(const char *data, const char *path, bool sync, bool point_in_time, bool keeps_log,
              store_t **ret_store)
{
    struct rocks *self = rocks_create(path, sync);
    enum rocks_mode mode = point_in_time ? ROCKS_POINT_IN_TIME : ROCKS_REFUSE_DAMAGE;
    owned(store_destroy) store_t *base = &self->base;
    self->keeps_log = keeps_log;
    TRY(folder_lock_take(path, clock_deadline_ms(FOLDER_LOCK_WAIT_MS), &self->owner));
    TRY(seal_break(path, point_in_time));
    if (data)
        TRY(before_upgrade_keep(data, path, mode));
    TRY(rocks_database_open(path, mode, sync, keeps_log, &self->database));
    if (!keeps_log)
        rocks_changes_clear(path);
    *ret_store = base;
    base = NULL;
    return OK;
}

fallible
rocks_position_in(const char *path, uint64_t *ret_position)
{
    struct rocks_database database = {0};
    TRY(rocks_database_open(path, ROCKS_READ_ONLY, false, false, &database));
    *ret_position = rocks_changes_position(&database);
    rocks_database_close(&database);
    return OK;
}

fallible
rocks_open(const char *path, bool sync, bool point_in_time, store_t **ret_store)
{
    return rocks_open_in(NULL, path, sync, point_in_time, false, ret_store);
}

fallible
rocks_open_keeping(const char *path, bool sync, bool point_in_time, store_t **ret_store)
{
    return rocks_open_in(NULL, path, sync, point_in_time, true, ret_store);
}
