// log_shipper.c - see log_shipper.h.
#include "actors/backup/log_shipper.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actors/backup/blob_queue.h"
#include "actors/runtime/log_retention.h"
#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"
#include "store/backup/backup_folder.h"
#include "store/backup/log_folder.h"
#include "store/backup/log_writer.h"
#include "store/reserve.h"

enum {
    SECOND_US = 1000000,
    PASS_MS = 1000,           // between two passes
    RETRY_MS = 2000,          // after one that failed
    MARK_US = 10 * SECOND_US, // where nothing is committed
    END_MS = 2000,            // of the last pass
    STAGED_BYTES = 4 << 20,   // that one sync writes
    RESERVES_KEPT = 2,        // the log must not make records read-only
};

struct log_shipper {
    const struct config *config;
    const char *data_dir, *dir;
    uint64_t reserve;
    store_t *store;
    blobs_t *blobs;
    pthread_t thread;
    blob_queue_t *queue; // finished blobs
    // Of the thread alone.
    log_writer_t *writer; // NULL: the folder must be looked at
    int owner;            // log_folder_take; -1 = not ours yet
    bool has_begun;       // this start; until then blobs are held
    bool had_news;        // in the pass before: a mark tells that nothing followed
    bool must_begin;      // a chain: something was not kept for the one before
    pthread_mutex_t lock; // guards all below
    pthread_cond_t woken;
    uint64_t end_ms; // the thread shall end until then; 0 = it shall not
    struct log_status status;
};

static bool
must_end(log_shipper_t *self, uint64_t *ret_end_ms)
{
    pthread_mutex_lock(&self->lock);
    *ret_end_ms = self->end_ms;
    pthread_mutex_unlock(&self->lock);
    return *ret_end_ms != 0;
}

static enum error
go_on(void *context)
{
    log_shipper_t *self = context;
    uint64_t left, end_ms;
    if (must_end(self, &end_ms) && clock_left_ms(end_ms) == 0)
        return fail(ERR_UNAVAILABLE, "", "the server ends");
    if (reserve_measure(self->dir, &left) && left < self->reserve)
        return fail(ERR_STORAGE_FULL, "", "%s has less than %llu MB left", self->dir,
                    (unsigned long long)(self->reserve >> 20));
    return OK;
}

static void
tell(log_shipper_t *self, const char *reason)
{
    pthread_mutex_lock(&self->lock);
    struct log_status *status = &self->status;
    bool was_failing = status->reason[0] != '\0';
    snprintf(status->reason, sizeof status->reason, "%s", reason);
    if (self->writer) {
        status->has_chain = true;
        memcpy(status->chain, log_writer_chain(self->writer), sizeof status->chain);
        status->covered_us = log_writer_covered_us(self->writer);
    }
    pthread_mutex_unlock(&self->lock);
    if (was_failing != (*reason != '\0'))
        gauge_add(GAUGE_LOG_FAILING, was_failing ? -1 : 1);
    if (*reason && !was_failing)
        log_error("backup_log_stopped", "detail=%s", reason);
    if (!*reason && was_failing)
        log_info("backup_log_continued", "dir=%s", self->dir);
}

// --- chains ---

// The base of the chain is a backup that begins later: it has the blobs that are there now.
static fallible
begin_chain(log_shipper_t *self, const char *why)
{
    char lineage[BACKUP_LINEAGE_SIZE];
    uint64_t position;
    log_writer_destroy(&self->writer);
    backup_lineage(self->data_dir, lineage);
    TRY(store_error(store_position(self->store, &position)));
    TRY(log_writer_begin(self->dir, lineage, position, clock_calendar_us(), &self->writer));
    blob_queue_clear(self->queue);
    self->must_begin = false;
    if (*why) {
        log_error("backup_log_gap", "position=%llu why=%s", (unsigned long long)position, why);
        counter_add(COUNT_LOG_GAPS, 1);
    } else {
        log_info("backup_log_begun", "position=%llu dir=%s", (unsigned long long)position,
                 self->dir);
    }
    return OK;
}

struct peek {
    uint64_t first;
    store_version_t id;
};

static bool
peek_at(void *context, const struct store_change *change)
{
    *(struct peek *)context = (struct peek){change->first, change->id};
    return false;
}

// Whether the last commit of the log is one of the store: it is not where the store lost its end,
// or was replaced.
static bool
goes_on(log_shipper_t *self)
{
    uint64_t position, first = log_writer_last_first(self->writer);
    struct peek peek = {0};
    if (store_position(self->store, &position) != STORE_OK ||
        log_writer_last(self->writer) > position)
        return false;
    if (log_writer_last_id(self->writer) == 0 ||
        store_changes(self->store, first - 1, 1, peek_at, &peek) != STORE_OK)
        return true; // it is not kept any more; whether those behind it are is seen later
    return peek.first == first && peek.id == log_writer_last_id(self->writer);
}

static fallible
open_writer(log_shipper_t *self)
{
    char lineage[BACKUP_LINEAGE_SIZE];
    if (self->owner < 0)
        TRY(log_folder_take(self->dir, &self->owner));
    backup_lineage(self->data_dir, lineage);
    enum error error = log_writer_resume(self->dir, lineage, &self->writer);
    if (error == ERR_INVALID)
        return begin_chain(self, fault_last()->detail);
    TRY(error);
    if (!self->writer)
        return begin_chain(self, "");
    if (self->must_begin || !goes_on(self))
        return begin_chain(self, self->must_begin ? "there was no room to keep what waited for it"
                                                  : "the store does not go on where the log ends");
    return OK;
}

// Blobs that were finished before a kill, and had not come to the log.
static void
begin(log_shipper_t *self)
{
    if (!self->has_begun) {
        blob_queue_add_since(self->queue, self->data_dir, log_writer_covered_us(self->writer));
        blobs_release(self->blobs);
    }
    self->has_begun = true;
}

// --- one pass ---

struct shipping {
    log_shipper_t *shipper;
    uint64_t last; // that was put
    uint64_t commits;
    bool is_unnoted; // a commit came that has no time: it was written while there was no log
};

static bool
put_change(void *context, const struct store_change *change)
{
    struct shipping *self = context;
    if (change->first != self->last + 1 || !change->time_us) {
        self->is_unnoted = true;
        return false;
    }
    log_writer_put_change(self->shipper->writer, change);
    self->last = change->last;
    self->commits++;
    return log_writer_staged(self->shipper->writer) < STAGED_BYTES;
}

// All commits up to `position`; *ret_is_anew where the log had to begin anew instead.
static fallible
ship_commits(log_shipper_t *self, uint64_t position, bool *ret_is_anew)
{
    struct shipping shipping = {self, log_writer_last(self->writer), 0, false};
    while (shipping.last < position) {
        TRY(go_on(self));
        enum store_result result =
            store_changes(self->store, shipping.last, STAGED_BYTES, put_change, &shipping);
        *ret_is_anew = result == STORE_ABSENT || shipping.is_unnoted;
        if (*ret_is_anew)
            return begin_chain(self, "commits were not kept until the folder could be written");
        TRY(store_error(result));
        TRY(log_writer_sync(self->writer, clock_calendar_us()));
        counter_add(COUNT_LOG_COMMITS, shipping.commits);
        shipping.commits = 0;
    }
    return OK;
}

static fallible
put_blob(void *context, const struct blob_hash *hash)
{
    log_shipper_t *self = context;
    const struct backup_pace pace = {go_on, self};
    return log_writer_put_blob(self->writer, self->data_dir, hash, &pace);
}

// What a commit refers to was finished before it: the position is read before the queue.
static fallible
ship(log_shipper_t *self)
{
    uint64_t now_us = clock_calendar_us(), position;
    TRY(store_error(store_position(self->store, &position)));
    size_t blobs = blob_queue_size(self->queue);
    TRY(blob_queue_visit(self->queue, blobs, put_blob, self));
    bool is_news = blobs || position > log_writer_last(self->writer);
    bool is_due = now_us - log_writer_covered_us(self->writer) >= MARK_US; // also if it went back
    bool must_mark = self->had_news || is_due;
    self->had_news = is_news;
    if (!is_news && !must_mark)
        return OK;
    if (blobs)
        TRY(log_writer_sync(self->writer, now_us));
    bool is_anew = false;
    TRY(ship_commits(self, position, &is_anew));
    if (is_anew)
        return OK;
    log_writer_put_mark(self->writer, position, now_us);
    TRY(log_writer_sync(self->writer, now_us));
    blob_queue_drop(self->queue, blobs);
    return OK;
}

static fallible
pass(log_shipper_t *self)
{
    TRY(go_on(self));
    if (!self->writer)
        TRY(open_writer(self));
    begin(self);
    return ship(self);
}

// What waits for the folder must not fill the disk of the data.
static void
release(log_shipper_t *self)
{
    uint64_t shipped = self->writer ? log_writer_last(self->writer) : 0;
    bool is_short = log_retention_release(self->config, self->store, shipped);
    if (is_short && !self->writer) {
        self->must_begin = true;
        blob_queue_clear(self->queue);
    }
}

static void
run_pass(log_shipper_t *self)
{
    enum error error = pass(self);
    if (error != OK)
        log_writer_destroy(&self->writer); // what it says of the folder may not be true any more
    tell(self, error == OK ? "" : fault_last()->detail);
    release(self);
}

// --- life ---

static void *
shipper_run(void *argument)
{
    log_shipper_t *self = argument;
    uint64_t end_ms;
    for (bool is_last = false; !is_last;) {
        is_last = must_end(self, &end_ms);
        run_pass(self);
        pthread_mutex_lock(&self->lock);
        if (!self->end_ms)
            condition_await(&self->woken, &self->lock,
                            clock_deadline_ms(self->writer ? PASS_MS : RETRY_MS));
        pthread_mutex_unlock(&self->lock);
    }
    return NULL;
}

static void
shipper_free(log_shipper_t *self)
{
    blobs_listen(self->blobs, NULL, NULL);
    if (!self->has_begun)
        blobs_release(self->blobs);
    blob_queue_destroy(&self->queue);
    log_writer_destroy(&self->writer);
    if (self->owner >= 0)
        close(self->owner);
    pthread_cond_destroy(&self->woken);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

fallible
log_shipper_create(const struct config *config, store_t *store, blobs_t *blobs,
                   log_shipper_t **ret_shipper)
{
    if (!config->backup_log || !*config->backup_log)
        return OK;
    log_shipper_t *self = memory_take_zeroed(sizeof *self);
    self->config = config;
    self->data_dir = config->data_dir;
    self->dir = config->backup_log;
    self->reserve = (uint64_t)config->store_reserve * RESERVES_KEPT;
    self->store = store;
    self->blobs = blobs;
    self->owner = -1;
    self->status.dir = self->dir;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->woken, NULL);
    self->queue = blob_queue_create(blobs);
    blobs_hold(blobs);
    blobs_listen(blobs, blob_queue_note, self->queue);
    if (pthread_create(&self->thread, NULL, shipper_run, self) != 0) {
        shipper_free(self);
        return fail(ERR_UNAVAILABLE, "", "the system has no thread for the log of backups");
    }
    *ret_shipper = self;
    return OK;
}

void
log_shipper_destroy(log_shipper_t **self)
{
    log_shipper_t *shipper = *self;
    if (!shipper)
        return;
    pthread_mutex_lock(&shipper->lock);
    shipper->end_ms = clock_deadline_ms(END_MS);
    pthread_cond_signal(&shipper->woken);
    pthread_mutex_unlock(&shipper->lock);
    pthread_join(shipper->thread, NULL);
    shipper_free(shipper);
    *self = NULL;
}

void
log_shipper_status(log_shipper_t *self, struct log_status *ret_status)
{
    pthread_mutex_lock(&self->lock);
    *ret_status = self->status;
    pthread_mutex_unlock(&self->lock);
}
