// log_restore.c - see log_restore.h.
#include "store/backup/log_restore.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/config/config.h"
#include "store/backup/backup_folder.h"
#include "store/backup/log_folder.h"
#include "store/backup/log_reader.h"
#include "store/store_open.h"

struct restoring {
    struct log_restore *ask;
    struct backup_check *check;
    struct arena arena;
    struct backup *backup;
    struct log_segments segments;
    const char *to; // the data.dir that is made
    store_t *store;
    uint64_t position;   // of the store
    uint64_t covered_us; // by marks that were read
    struct log_digest digest;
    bool is_cut; // a commit came that is later
};

static void
restoring_finish(struct restoring *self)
{
    store_destroy(&self->store);
    log_segments_finish(&self->segments);
    arena_finish(&self->arena);
}

static const char *
time_text(uint64_t time_us, char ret_text[BACKUP_NAME_SIZE])
{
    backup_name(time_us, ret_text);
    ret_text[13] = ret_text[16] = ':'; // 2026-11-24T19:04:11.512Z
    return ret_text;
}

// --- which backup ---

static bool
is_one_backup(const char *path)
{
    char about[BACKUP_PATH_SIZE];
    return backup_path(path, "backup.json", about) == OK && access(about, F_OK) == 0;
}

static bool
ended_before(const struct backup *backup, uint64_t time_us)
{
    return backup->reached_us > 0 && (uint64_t)backup->reached_us <= time_us;
}

static fallible
find_backup(struct restoring *self)
{
    struct log_restore *ask = self->ask;
    const struct texts *names;
    char text[BACKUP_NAME_SIZE];
    TRY(backup_folder_names(ask->backups, &self->arena, &names));
    for (uint32_t i = 0; i < names->count; i++) {
        TRY(backup_path(ask->backups, text_chars(names->items[i]), ask->backup));
        if (backup_read(ask->backup, &self->arena, &self->backup) == OK &&
            ended_before(self->backup, ask->time_us))
            return OK;
    }
    return fail(ERR_NOT_FOUND, "", "%s has no backup that ended before %s", ask->backups,
                ask->time_us == LOG_RESTORE_END ? "now" : time_text(ask->time_us, text));
}

static fallible
choose_backup(struct restoring *self)
{
    struct log_restore *ask = self->ask;
    char text[BACKUP_NAME_SIZE];
    if (!is_one_backup(ask->backups))
        return find_backup(self);
    TRY(backup_path(ask->backups, "", ask->backup));
    ask->backup[strlen(ask->backup) - 1] = '\0';
    TRY(backup_read(ask->backup, &self->arena, &self->backup));
    if (!ended_before(self->backup, ask->time_us))
        return fail(ERR_CONFLICT, "", "%s has what was written until later than %s", ask->backup,
                    time_text(ask->time_us, text));
    return OK;
}

// --- what the log has ---

static fallible
fail_gap(const char *what, uint64_t time_us)
{
    char text[BACKUP_NAME_SIZE];
    return fail(ERR_CONFLICT, "", "%s %s; nothing was restored", what, time_text(time_us, text));
}

static fallible
apply_change(struct restoring *self, const struct store_change *change)
{
    struct log_restore *ask = self->ask;
    if (change->last <= self->position)
        return OK; // the backup has it
    if (change->time_us > ask->time_us) {
        self->is_cut = true;
        return OK;
    }
    if (change->first != self->position + 1)
        return fail(ERR_INVALID, "", "the log lacks the commits between %llu and %llu",
                    (unsigned long long)self->position, (unsigned long long)change->first);
    const struct store_commit commit = {.id = change->id,
                                        .operations = change->operations,
                                        .operation_count = change->operation_count};
    TRY(store_error(store_commit(self->store, &commit, 0)));
    self->position = change->last;
    ask->commits++;
    ask->last_us = change->time_us;
    return OK;
}

static fallible
make_folder(const char *path)
{
    enum error error = backup_folder_make(path);
    return error == ERR_CONFLICT ? OK : error;
}

// One that is damaged is not missed where the backup has the same bytes.
static fallible
apply_blob(struct restoring *self, const struct log_segment *segment, const struct log_frame *frame)
{
    char from[BACKUP_PATH_SIZE], to[BACKUP_PATH_SIZE], folder[BACKUP_PATH_SIZE];
    char hex[BLOB_HEX_SIZE], name[sizeof "blobs/aa/" + BLOB_HEX_SIZE];
    struct file_digest digest;
    uint64_t size;
    blob_hash_to_hex(&frame->hash, hex);
    snprintf(name, sizeof name, "blobs/%.2s/%s", hex, hex);
    TRY(backup_path(self->to, name, to));
    if (access(to, F_OK) == 0)
        return OK;
    TRY(backup_path(self->to, "blobs", folder));
    TRY(make_folder(folder));
    snprintf(name, sizeof name, "blobs/%.2s", hex);
    TRY(backup_path(self->to, name, folder));
    TRY(make_folder(folder));
    TRY(log_blobs_path(self->ask->log, segment, folder));
    TRY(backup_path(folder, hex, from));
    enum error error = backup_file_copy(from, to, &self->check->pace, &digest, &size);
    bool is_whole = error == OK && memcmp(digest.bytes, frame->hash.bytes, sizeof digest) == 0;
    if (error == ERR_NOT_FOUND || (error == OK && !is_whole))
        return fail(ERR_INVALID, "", "%s is %s; nothing was restored", from,
                    error == OK ? "damaged" : "missing");
    TRY(error);
    self->check->bytes += size;
    self->ask->blobs++;
    return OK;
}

static fallible
apply_frame(struct restoring *self, const struct log_segment *segment,
            const struct log_frame *frame)
{
    switch (frame->kind) {
    case LOG_CHANGE:
        return apply_change(self, &frame->change);
    case LOG_BLOB:
        return apply_blob(self, segment, frame);
    case LOG_MARK:
    case LOG_CLOSE:
        self->covered_us = frame->time_us;
        return OK;
    case LOG_HEADER:
        break;
    }
    return OK;
}

// What is torn is not known to have been written: only the end of a log may be, and it reaches no
// further then.
static fallible
apply_segment(struct restoring *self, size_t index)
{
    const struct log_segment *segment = &self->segments.items[index];
    const struct backup_pace *pace = &self->check->pace;
    owned(log_reader_destroy) log_reader_t *reader = NULL;
    enum log_state state = LOG_READ;
    struct log_frame frame = {0};
    TRY(log_reader_create(self->ask->log, segment->name, &reader));
    while (state == LOG_READ && !self->is_cut) {
        TRY(pace->go_on ? pace->go_on(pace->context) : OK);
        TRY(log_reader_next(reader, &frame, &state));
        if (state == LOG_READ)
            TRY(apply_frame(self, segment, &frame));
    }
    self->check->files++;
    self->check->bytes += log_reader_size(reader);
    self->digest = log_reader_digest(reader);
    bool is_last = index + 1 == self->segments.count ||
                   memcmp(segment->chain, segment[1].chain, LOG_CHAIN_BYTES) != 0;
    if (!self->is_cut && !is_last && (state == LOG_TORN || frame.kind != LOG_CLOSE))
        return fail(ERR_INVALID, "", "%s/%s does not end as it was closed", self->ask->log,
                    segment->name);
    return OK;
}

// The first segment of the chain that the backup names; its count where there is none.
static size_t
find_chain(const struct restoring *self)
{
    size_t i = 0;
    char hex[LOG_CHAIN_HEX_SIZE];
    for (; i < self->segments.count; i++) {
        log_chain_to_hex(self->segments.items[i].chain, hex);
        if (text_is(self->backup->chain, hex))
            break;
    }
    return i;
}

// Whether the segment goes on where the one before ended.
static fallible
check_follows(const struct restoring *self, size_t index, bool is_first)
{
    const struct log_segment *segment = &self->segments.items[index];
    if (is_first)
        return segment->after <= self->position
                   ? OK
                   : fail_gap("the log lacks what was written before", segment->started_us);
    if (log_segment_follows(&self->segments, index) &&
        memcmp(&segment->before, &self->digest, sizeof self->digest) == 0)
        return OK;
    return fail_gap("a segment of the log is missing before", segment->started_us);
}

static fallible
apply_chain(struct restoring *self)
{
    size_t first = find_chain(self);
    if (first == self->segments.count)
        return fail(ERR_CONFLICT, "", "%s has nothing that goes on from %s; nothing was restored",
                    self->ask->log, self->ask->backup);
    const struct log_segment *items = self->segments.items;
    bool is_first = true;
    for (size_t i = first; i < self->segments.count && !self->is_cut &&
                           memcmp(items[i].chain, items[first].chain, LOG_CHAIN_BYTES) == 0;
         i++) {
        if (is_first && log_segment_is_before(&self->segments, i, self->position,
                                              (uint64_t)self->backup->created_us))
            continue;
        TRY(check_follows(self, i, is_first));
        TRY(apply_segment(self, i));
        is_first = false;
    }
    return OK;
}

// The store writes without waiting for the disk here; closing it syncs its files.
static fallible
apply_log(struct restoring *self)
{
    const struct config config = {.data_dir = self->to};
    uint64_t time_us = self->ask->time_us;
    TRY(log_folder_read(self->ask->log, NULL, NULL, &self->segments));
    TRY(store_open(&config, &self->store));
    TRY(store_error(store_position(self->store, &self->position)));
    TRY(apply_chain(self));
    if (!self->is_cut && time_us != LOG_RESTORE_END && time_us > self->covered_us)
        return fail_gap("the log reaches until", self->covered_us);
    store_destroy(&self->store);
    return OK;
}

static enum error
complete(void *context, const char *folder)
{
    struct restoring *self = context;
    self->to = folder;
    enum error error = apply_log(self);
    struct fault fault = *fault_last();
    store_destroy(&self->store);
    return error == OK ? OK : fault_note_again(&fault);
}

fallible
log_restore(struct log_restore *self, const char *to, struct backup_check *check)
{
    owned(restoring_finish) struct restoring restoring = {.ask = self, .check = check};
    self->commits = self->blobs = self->last_us = 0;
    TRY(choose_backup(&restoring));
    check->complete = complete;
    check->completed = &restoring;
    return backup_restore(self->backup, to, check);
}

// --- verifying ---

struct verifying {
    const char *log;
    struct backup_check *check;
    struct log_segments segments;
};

static void
verifying_finish(struct verifying *self)
{
    log_segments_finish(&self->segments);
}

static void
complain(struct backup_check *check, const char *path, const char *what)
{
    check->problems++;
    if (check->complain)
        check->complain(check->context, path, what);
}

static void
complain_file(void *context, const char *what)
{
    complain(context, "", what);
}

static fallible
verify_blob(struct verifying *self, const struct log_segment *segment,
            const struct log_frame *frame)
{
    char folder[BACKUP_PATH_SIZE], path[BACKUP_PATH_SIZE], hex[BLOB_HEX_SIZE];
    struct file_digest digest;
    uint64_t size;
    blob_hash_to_hex(&frame->hash, hex);
    TRY(log_blobs_path(self->log, segment, folder));
    TRY(backup_path(folder, hex, path));
    enum error error = backup_file_digest(path, &self->check->pace, &digest, &size);
    if (error == ERR_NOT_FOUND) {
        complain(self->check, path, "is missing");
        return OK;
    }
    TRY(error);
    if (memcmp(digest.bytes, frame->hash.bytes, sizeof digest.bytes) != 0)
        complain(self->check, path, "is damaged");
    self->check->files++;
    self->check->bytes += size;
    return OK;
}

// A hole is damage: no frame can be left out, but a writer may have lacked it.
static void
verify_change(struct verifying *self, const struct log_segment *segment,
              const struct store_change *change, uint64_t *position)
{
    if (change->first > *position + 1)
        complain(self->check, segment->name, "lacks commits");
    *position = change->last;
}

static fallible
verify_frame(struct verifying *self, const struct log_segment *segment,
             const struct log_frame *frame, uint64_t *position, uint64_t *ret_covered_us)
{
    if (frame->kind == LOG_CHANGE)
        verify_change(self, segment, &frame->change, position);
    if (frame->kind == LOG_MARK || frame->kind == LOG_CLOSE)
        *ret_covered_us = frame->time_us;
    return frame->kind == LOG_BLOB ? verify_blob(self, segment, frame) : OK;
}

// Damage is told, and ends the reading of the segment.
static fallible
verify_segment(struct verifying *self, const struct log_segment *segment,
               struct log_digest *ret_digest, uint64_t *ret_covered_us)
{
    owned(log_reader_destroy) log_reader_t *reader = NULL;
    struct log_frame frame;
    enum log_state state = LOG_READ;
    uint64_t position = segment->after;
    TRY(log_reader_create(self->log, segment->name, &reader));
    while (state == LOG_READ) {
        const struct backup_pace *pace = &self->check->pace;
        TRY(pace->go_on ? pace->go_on(pace->context) : OK);
        enum error error = log_reader_next(reader, &frame, &state);
        if (error == ERR_INVALID)
            complain(self->check, segment->name, fault_last()->detail);
        if (error != OK)
            return error == ERR_INVALID ? OK : error;
        if (state == LOG_READ)
            TRY(verify_frame(self, segment, &frame, &position, ret_covered_us));
    }
    self->check->files++;
    self->check->bytes += log_reader_size(reader);
    *ret_digest = log_reader_digest(reader);
    return OK;
}

static bool
is_same_chain(const struct log_segments *segments, size_t a, size_t b)
{
    return b < segments->count &&
           memcmp(segments->items[a].chain, segments->items[b].chain, LOG_CHAIN_BYTES) == 0;
}

fallible
log_verify(const char *log, void (*tell)(void *context, const char *line),
           struct backup_check *check)
{
    owned(verifying_finish) struct verifying self = {.log = log, .check = check};
    struct log_digest digest = {0};
    uint64_t from_us = 0, covered_us = 0;
    TRY(log_folder_read(log, complain_file, check, &self.segments));
    if (self.segments.count == 0)
        return fail(ERR_INVALID, "", "%s is no log: it has no segment", log);
    for (size_t i = 0; i < self.segments.count; i++) {
        const struct log_segment *segment = &self.segments.items[i];
        bool is_head = i == 0 || !is_same_chain(&self.segments, i, i - 1);
        if (is_head)
            from_us = covered_us = segment->started_us;
        else if (!log_segment_follows(&self.segments, i) ||
                 memcmp(&segment->before, &digest, sizeof digest) != 0)
            complain(check, segment->name, "does not go on where the segment before it ends");
        TRY(verify_segment(&self, segment, &digest, &covered_us));
        if (is_same_chain(&self.segments, i, i + 1))
            continue;
        char from[BACKUP_NAME_SIZE], to[BACKUP_NAME_SIZE], line[128];
        snprintf(line, sizeof line, "%s to %s", time_text(from_us, from),
                 time_text(covered_us, to));
        tell(check->context, line);
    }
    return OK;
}
