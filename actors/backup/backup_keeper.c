// backup_keeper.c - when backups are made, and what is told of them (backup_keeper.h).
#include "actors/backup/backup_keeper.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/message/metrics.h"
#include "store/backup/backup_file.h"
#include "store/backup/backup_folder.h"
#include "store/backup/backup_make.h"
#include "store/backup/log_folder.h"
#include "store/reserve.h"

enum {
    SECOND_US = 1000000,
    MS_US = 1000,
    LOOK_MS = 30000,    // between two looks at the calendar, which may step
    LOG_LOOK_MS = 1000, // and at the log, which may have begun anew
    RETRY_US = 600 * SECOND_US,
    REST_AFTER_US = 300, // of work
    REST_MOST_US = 100 * MS_US,
};

struct backup_keeper {
    struct backup_keeper_settings settings;
    pthread_t thread;
    uint64_t rested_us;   // when the work went on after its last rest; of the thread alone
    pthread_mutex_t lock; // guards all below
    pthread_cond_t woken;
    bool must_end;
    bool is_wanted;                 // `latest` shall be made
    const frozen_t *latest;         // being made, or failed; NULL = neither
    uint64_t due_us;                // of the calendar; 0 = never
    uint64_t tried_us;              // the newest attempt
    char chain[LOG_CHAIN_HEX_SIZE]; // of the newest backup; "" = it is of none
};

// The chain of the log now; "" = there is none.
static void
chain_now(const backup_keeper_t *self, char ret_chain[LOG_CHAIN_HEX_SIZE])
{
    struct log_status status = {0};
    ret_chain[0] = '\0';
    if (self->settings.shipper)
        log_shipper_status(self->settings.shipper, &status);
    if (status.has_chain)
        log_chain_to_hex(status.chain, ret_chain);
}

// Whether the log goes on from no backup: there is nothing to restore it on. The lock is held.
static bool
lacks_base(const backup_keeper_t *self)
{
    char chain[LOG_CHAIN_HEX_SIZE];
    chain_now(self, chain);
    return *chain && strcmp(chain, self->chain) != 0 &&
           clock_calendar_us() - self->tried_us >= RETRY_US;
}

// Rests twice as long as it worked, so that who writes has the processor and the disk two thirds of
// the time. A MiB takes less than a millisecond: a thread that goes on for longer is not
// interrupted for some, whatever its priority, and who writes waits for it.
static void
rest(backup_keeper_t *self)
{
    uint64_t worked_us = clock_now_us() - self->rested_us;
    uint64_t rest_us = worked_us < REST_MOST_US / 2 ? worked_us * 2 : REST_MOST_US;
    if (worked_us < REST_AFTER_US)
        return;
    nanosleep(&(struct timespec){.tv_nsec = (long)rest_us * 1000}, NULL);
    self->rested_us = clock_now_us();
}

// Asked by the work before each MiB.
static enum error
go_on(void *context)
{
    backup_keeper_t *self = context;
    uint64_t left;
    rest(self);
    pthread_mutex_lock(&self->lock);
    bool must_end = self->must_end;
    pthread_mutex_unlock(&self->lock);
    if (must_end)
        return fail(ERR_UNAVAILABLE, "", "the server ends");
    if (reserve_measure(self->settings.dir, &left) && left < self->settings.reserve)
        return fail(ERR_STORAGE_FULL, "", "%s has less than %llu MB left", self->settings.dir,
                    (unsigned long long)(self->settings.reserve >> 20));
    return OK;
}

static struct backup_settings
work_settings(backup_keeper_t *self)
{
    const struct backup_keeper_settings *settings = &self->settings;
    return (struct backup_settings){
        .data_dir = settings->data_dir,
        .dir = settings->dir,
        .store = settings->store,
        .blobs = settings->blobs,
        .version = settings->version,
        .epoch = settings->epoch,
        .pace = {go_on, self},
    };
}

// Replaces what is told of the newest attempt. The lock is held.
static void
tell(backup_keeper_t *self, const struct backup *backup)
{
    record_unref(&self->latest);
    if (backup)
        self->latest = record_freeze(&backup_schema, &backup->base);
}

static uint64_t
next_due(const backup_keeper_t *self, uint64_t last_us, bool is_done)
{
    uint64_t every_us = self->settings.every_s * SECOND_US;
    bool is_retry = !is_done && every_us > RETRY_US;
    return every_us ? last_us + (is_retry ? RETRY_US : every_us) : 0;
}

static void
note_end(backup_keeper_t *self, struct backup *backup, struct arena *arena, enum error error)
{
    if (error == OK) {
        log_info("backup_done", "key=%s ms=%lld files=%lld bytes=%lld copied=%lld damaged=%lld",
                 text_chars(backup->key), (long long)backup->took_ms, (long long)backup->files,
                 (long long)backup->bytes, (long long)backup->copied, (long long)backup->damaged);
        counter_add(COUNT_BACKUPS, 1);
    } else {
        log_error("backup_failed", "key=%s detail=%s", text_chars(backup->key),
                  fault_last()->detail);
        counter_add(COUNT_BACKUPS_FAILED, 1);
        backup->state = text_from(arena, "failed");
        backup->reason = text_from(arena, fault_last()->detail);
        backup->base.present |= FIELD_BIT(BACKUP_REASON);
    }
    pthread_mutex_lock(&self->lock);
    tell(self, error == OK ? NULL : backup);
    self->is_wanted = false;
    if (error == OK)
        snprintf(self->chain, sizeof self->chain, "%s", text_chars(backup->chain));
    self->due_us = next_due(self, (uint64_t)backup->created_us, error == OK);
    pthread_mutex_unlock(&self->lock);
}

// What the backup says of the log that goes on from it; false where there is none.
static bool
need_of(const backup_keeper_t *self, const struct text *name, struct arena *arena,
        struct log_need *ret_need)
{
    char path[BACKUP_PATH_SIZE];
    struct backup *backup;
    size_t size = 0;
    if (backup_path(self->settings.dir, text_chars(name), path) != OK ||
        backup_read(path, arena, &backup) != OK)
        return false;
    ret_need->position = (uint64_t)backup->position;
    ret_need->created_us = (uint64_t)backup->created_us;
    return sodium_hex2bin(ret_need->chain, sizeof ret_need->chain, text_bytes(backup->chain),
                          text_size(backup->chain), NULL, &size, NULL) == 0 &&
           size == sizeof ret_need->chain;
}

// Removes of the log what no backup needs. The chain that is written now is asked for after the
// folder was read: one that begins meanwhile is not removed.
static fallible
prune_log(backup_keeper_t *self, struct arena *arena)
{
    owned(log_segments_finish) struct log_segments segments = {0};
    struct log_status status;
    const struct texts *names;
    log_shipper_status(self->settings.shipper, &status);
    if (!status.has_chain || status.reason[0])
        return OK;
    TRY(log_folder_read(status.dir, NULL, NULL, &segments));
    log_shipper_status(self->settings.shipper, &status);
    TRY(backup_folder_names(self->settings.dir, arena, &names));
    struct log_need *needs = arena_alloc(arena, (names->count + 1) * sizeof *needs);
    size_t count = 0;
    for (uint32_t i = 0; i < names->count; i++)
        count += need_of(self, names->items[i], arena, &needs[count]);
    return log_folder_prune(status.dir, &segments, needs, count, status.chain);
}

// Removes the oldest backups, and of the log what was for them.
static void
prune(backup_keeper_t *self, struct arena *arena)
{
    if (self->settings.keep)
        error_ignore(backup_folder_prune(self->settings.dir, self->settings.keep),
                     "the next backup tries it again");
    if (self->settings.shipper)
        error_ignore(prune_log(self, arena), "the next backup tries it again");
}

static void
make(backup_keeper_t *self, uint64_t time_us)
{
    struct arena arena = {0};
    char chain[LOG_CHAIN_HEX_SIZE];
    struct backup_settings settings = work_settings(self);
    chain_now(self, chain);
    settings.chain = chain;
    self->rested_us = clock_now_us();
    struct backup *backup = backup_begin(&settings, &arena, time_us);
    enum error error = backup_make(&settings, &arena, backup);
    note_end(self, backup, &arena, error);
    if (error == OK)
        prune(self, &arena);
    arena_finish(&arena);
}

// When the newest backup of the folder began, 0 = there is none; and the chain of its log.
static uint64_t
read_newest(const backup_keeper_t *self, char ret_chain[LOG_CHAIN_HEX_SIZE])
{
    struct arena arena = {0};
    char path[BACKUP_PATH_SIZE];
    const struct texts *names;
    struct backup *newest;
    uint64_t time_us = 0;
    if (backup_folder_names(self->settings.dir, &arena, &names) == OK && names->count &&
        backup_path(self->settings.dir, text_chars(names->items[0]), path) == OK &&
        backup_read(path, &arena, &newest) == OK) {
        time_us = (uint64_t)newest->created_us;
        snprintf(ret_chain, LOG_CHAIN_HEX_SIZE, "%s", text_chars(newest->chain));
    }
    arena_finish(&arena);
    return time_us;
}

// Begins an attempt; what is told of it stands at once. The lock is held.
static void
want(backup_keeper_t *self)
{
    struct arena arena = {0};
    const struct backup_settings settings = work_settings(self);
    self->tried_us = clock_calendar_us();
    tell(self, backup_begin(&settings, &arena, self->tried_us));
    self->is_wanted = true;
    arena_finish(&arena);
}

// How long to wait until the next look at the calendar.
static uint64_t
until_look(const backup_keeper_t *self)
{
    uint64_t now_us = clock_calendar_us();
    uint64_t left_ms = self->due_us > now_us ? (self->due_us - now_us) / MS_US + 1 : 0;
    uint64_t look_ms = self->settings.shipper ? LOG_LOOK_MS : LOOK_MS;
    return self->due_us && left_ms < look_ms ? left_ms : look_ms;
}

// The time of the attempt that shall be made; 0 = the thread shall end.
static uint64_t
await_work(backup_keeper_t *self)
{
    uint64_t time_us = 0;
    pthread_mutex_lock(&self->lock);
    while (!self->must_end && !self->is_wanted) {
        bool is_due = self->due_us && clock_calendar_us() >= self->due_us;
        if (self->settings.dir[0] && (is_due || lacks_base(self)))
            want(self);
        else
            condition_await(&self->woken, &self->lock, clock_deadline_ms(until_look(self)));
    }
    if (!self->must_end)
        time_us = (uint64_t)((const struct backup *)(const void *)frozen_record(self->latest))
                      ->created_us;
    pthread_mutex_unlock(&self->lock);
    return time_us;
}

static void *
keeper_run(void *argument)
{
    enum { NICE = 10 };
    backup_keeper_t *self = argument;
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); // Linux: of this thread alone
    backup_clear(self->settings.data_dir);
    if (self->settings.dir[0] && backup_folder_open(self->settings.dir) != OK)
        log_error("backup_folder_unusable", "detail=%s", fault_last()->detail);
    char chain[LOG_CHAIN_HEX_SIZE] = "";
    uint64_t last_us = self->settings.dir[0] ? read_newest(self, chain) : 0;
    pthread_mutex_lock(&self->lock);
    memcpy(self->chain, chain, sizeof self->chain);
    self->due_us = self->settings.dir[0] ? next_due(self, last_us, true) : 0;
    pthread_mutex_unlock(&self->lock);
    for (uint64_t time_us; (time_us = await_work(self));)
        make(self, time_us);
    return NULL;
}

fallible
backup_keeper_create(const struct backup_keeper_settings *settings, backup_keeper_t **ret_keeper)
{
    backup_keeper_t *self = memory_take_zeroed(sizeof *self);
    self->settings = *settings;
    if (settings->dir[0]) // now: who lists backups need not wait for the thread
        error_ignore(backup_folder_make(settings->dir), "the thread says why it is unusable");
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->woken, NULL);
    if (pthread_create(&self->thread, NULL, keeper_run, self) != 0) {
        pthread_cond_destroy(&self->woken);
        pthread_mutex_destroy(&self->lock);
        free(self);
        return fail(ERR_UNAVAILABLE, "", "the system has no thread for backups");
    }
    *ret_keeper = self;
    return OK;
}

void
backup_keeper_destroy(backup_keeper_t **self)
{
    backup_keeper_t *keeper = *self;
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->must_end = true;
    pthread_cond_signal(&keeper->woken);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    record_unref(&keeper->latest);
    pthread_cond_destroy(&keeper->woken);
    pthread_mutex_destroy(&keeper->lock);
    free(keeper);
    *self = NULL;
}

static fallible
check_dir(const backup_keeper_t *self)
{
    if (self->settings.store->is_shared)
        return fail(ERR_CONFLICT, "",
                    "this server makes no backups: its records are in a database; use that one's "
                    "tools (pg_dump, pgBackRest, barman), and copy the folder blobs of data.dir");
    return self->settings.dir[0]
               ? OK
               : fail(ERR_CONFLICT, "", "this server makes no backups: backup.dir is not set");
}

fallible
backup_keeper_begin(backup_keeper_t *self, const frozen_t **ret_backup)
{
    TRY(check_dir(self));
    pthread_mutex_lock(&self->lock);
    bool is_busy = self->is_wanted;
    if (!is_busy) {
        want(self);
        *ret_backup = record_ref(self->latest);
        pthread_cond_signal(&self->woken);
    }
    pthread_mutex_unlock(&self->lock);
    return is_busy ? fail(ERR_CONFLICT, "", "a backup is being made already") : OK;
}

// How far the log reaches that goes on from the backup.
static void
add_reach(struct backup *backup, const struct log_status *status)
{
    char chain[LOG_CHAIN_HEX_SIZE];
    log_chain_to_hex(status->chain, chain);
    if (!status->has_chain || !text_is(backup->chain, chain))
        return;
    backup->until_us = (int64_t)status->covered_us;
    backup->base.present |= FIELD_BIT(BACKUP_UNTIL);
}

// Why the log does not go on stands at the newest backup, also where it never began.
static void
add_complete(const backup_keeper_t *self, struct message *message, const struct text *name,
             const struct log_status *status, bool is_newest)
{
    char path[BACKUP_PATH_SIZE];
    struct backup *backup;
    if (backup_path(self->settings.dir, text_chars(name), path) != OK ||
        backup_read(path, &message->arena, &backup) != OK)
        return;
    add_reach(backup, status);
    if (is_newest && status->reason[0]) {
        backup->reason = text_from(&message->arena, status->reason);
        backup->base.present |= FIELD_BIT(BACKUP_REASON);
    }
    reply_add_loose(message, &backup_schema, &backup->base);
}

fallible
backup_keeper_list(backup_keeper_t *self, struct message *message, size_t most)
{
    const struct texts *names;
    TRY(check_dir(self));
    enum error error = backup_folder_names(self->settings.dir, &message->arena, &names);
    pthread_mutex_lock(&self->lock);
    if (self->latest && most > 0)
        reply_add(message, self->latest);
    pthread_mutex_unlock(&self->lock);
    if (error != OK)
        return message->reply.count ? OK : error; // why it failed says as much
    struct log_status status = {0};
    if (self->settings.shipper)
        log_shipper_status(self->settings.shipper, &status);
    for (uint32_t i = 0; i < names->count && message->reply.count < most; i++)
        add_complete(self, message, names->items[i], &status, i == 0);
    return OK;
}
