// audit_log.c - lines of the audit log, their chain, and the files that they are in. The writer's
// thread. Where the disk refuses, lines wait in memory; the writer takes no further events then.
#include "actors/audit/audit_log.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "actors/audit/audit_files.h"
#include "proto/base/clock.h"
#include "proto/base/directory.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/base/token.h"
#include "proto/codec/record_json.h"
#include "proto/message/metrics.h"
#include "proto/records/audit_line.h"

enum {
    FILES_OF_SIZE = 10,  // a file has that part of the log's size
    SYNC_MS = 500,       // the most that a written line waits for the disk
    LOOK_MS = 600000,    // between two looks for files that are too old
    PIECE_BYTES = 65536, // of a file, read at a time
    DAY_S = 24 * 3600,
};

struct audit_log {
    struct audit_log_settings settings;
    int file;
    uint64_t first;  // number of the first line of the file
    uint64_t number; // of the next line
    uint64_t size;   // of the file: what was written whole
    char before[AUDIT_HASH_SIZE];
    struct buffer lines; // not written yet
    uint64_t count;      // of them
    uint64_t sync_ms;    // when what was written must be on the disk; 0 = it is
    uint64_t look_ms;
    bool is_refused; // the disk refused the last write
    struct arena arena;
};

// --- lines ---

static const struct text *
time_text(struct arena *arena, uint64_t time_us)
{
    char when[32];
    struct tm utc;
    time_t seconds = (time_t)(time_us / 1000000);
    gmtime_r(&seconds, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc);
    return text_format(arena, "%s.%03uZ", when, (unsigned)(time_us / 1000 % 1000));
}

static void
set_if_any(struct arena *arena, struct record *record, unsigned id, const char *chars)
{
    if (chars && *chars)
        record_set_text(record, id, text_from(arena, chars));
}

// SCENE_PUT -> scene_put, as people write it in a query string.
static const struct text *
operation_text(struct arena *arena, const char *name)
{
    char words[64];
    size_t size = 0;
    for (; name[size] && size < sizeof words; size++)
        words[size] = (char)tolower((unsigned char)name[size]);
    return text_new(arena, words, size);
}

static struct record *
line_record(audit_log_t *self, const struct audit_event *event, uint64_t count,
            const char *last_request)
{
    struct arena *arena = &self->arena;
    struct record *record = record_new(arena, &audit_line_schema);
    record_set_integer(record, AUDIT_LINE_NUMBER, (int64_t)self->number);
    record_set_text(record, AUDIT_LINE_TIME, time_text(arena, event->time_us));
    record_set_text(record, AUDIT_LINE_USER, text_from(arena, event->user));
    record_set_text(record, AUDIT_LINE_ADDRESS, text_from(arena, event->address));
    record_set_text(record, AUDIT_LINE_OPERATION, operation_text(arena, event->operation));
    record_set_integer(record, AUDIT_LINE_OUTCOME, event->outcome);
    record_set_text(record, AUDIT_LINE_BEFORE, text_from(arena, self->before));
    set_if_any(arena, record, AUDIT_LINE_REQUEST, event->request);
    set_if_any(arena, record, AUDIT_LINE_KIND, event->noun);
    set_if_any(arena, record, AUDIT_LINE_KEY, event->key);
    set_if_any(arena, record, AUDIT_LINE_SCENE, event->scene);
    if (last_request) {
        record_set_integer(record, AUDIT_LINE_COUNT, (int64_t)count);
        set_if_any(arena, record, AUDIT_LINE_LAST_REQUEST, last_request);
    }
    return record;
}

void
audit_log_add(audit_log_t *self, const struct audit_event *event, uint64_t count,
              const char *last_request)
{
    size_t start = self->lines.size;
    record_to_json(line_record(self, event, count, last_request), &audit_line_view_full,
                   &self->lines);
    token_digest(self->lines.data + start, self->lines.size - start, NULL, self->before,
                 AUDIT_HASH_SIZE);
    buffer_put_char(&self->lines, '\n');
    arena_finish(&self->arena);
    self->number++;
    self->count++;
}

// An event of the log itself.
static void
add_own(audit_log_t *self, const char *operation, uint64_t count)
{
    struct audit_event event = {
        .time_us = clock_calendar_us(), .operation = operation, .outcome = 200};
    audit_log_add(self, &event, count, "");
}

// --- files ---

static fallible
file_failed(const char *path)
{
    return fail(ERR_UNAVAILABLE, "", "%.180s: %s", path, strerror(errno));
}

static fallible
file_open(audit_log_t *self)
{
    char path[AUDIT_PATH_SIZE];
    struct stat found;
    audit_files_path(self->settings.folder, self->first, path);
    int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return file_failed(path);
    if (fchmod(file, 0600) != 0 || fstat(file, &found) != 0 ||
        !directory_sync(self->settings.folder)) {
        enum error error = file_failed(path);
        close(file);
        return error;
    }
    if (self->file >= 0)
        close(self->file);
    self->file = file;
    self->size = (uint64_t)found.st_size;
    return OK;
}

static void
sync_file(audit_log_t *self)
{
    self->sync_ms = 0;
    if (fdatasync(self->file) != 0)
        log_error("audit_not_synced", "reason=%s", strerror(errno));
}

// Counts the whole lines of the file, and remembers the last one in `line`. Writes where the last
// whole line ends to *ret_end.
static fallible
read_lines(audit_log_t *self, struct buffer *line, uint64_t *ret_end)
{
    char *bytes = memory_take(PIECE_BYTES);
    struct buffer open = {0};
    uint64_t at = 0;
    ssize_t size;
    *ret_end = 0;
    while ((size = pread(self->file, bytes, PIECE_BYTES, (off_t)at)) > 0) {
        for (ssize_t start = 0; start < size;) {
            const char *end = memchr(bytes + start, '\n', (size_t)(size - start));
            size_t piece = (size_t)(end ? end - (bytes + start) : size - start);
            buffer_put(&open, bytes + start, piece);
            start += (ssize_t)piece + 1;
            if (!end)
                break;
            *ret_end = at + (uint64_t)start;
            self->number++;
            buffer_clear(line);
            buffer_put(line, open.data, open.size);
            buffer_clear(&open);
        }
        at += (uint64_t)size;
    }
    buffer_finish(&open);
    free(bytes);
    return size == 0 ? OK : fail(ERR_UNAVAILABLE, "", "audit: %s", strerror(errno));
}

// Continues the newest file: counts its lines, cuts a torn one, takes the hash of the last.
static fallible
continue_file(audit_log_t *self)
{
    owned(buffer_finish) struct buffer line = {0};
    uint64_t end;
    self->number = self->first;
    TRY(read_lines(self, &line, &end));
    if (line.size)
        token_digest(line.data, line.size, NULL, self->before, AUDIT_HASH_SIZE);
    uint64_t torn = self->size - end;
    if (torn == 0)
        return OK;
    if (ftruncate(self->file, (off_t)end) != 0)
        return fail(ERR_UNAVAILABLE, "", "audit: a torn line cannot be cut: %s", strerror(errno));
    self->size = end;
    log_warning("audit_cut", "bytes=%llu line=%llu", (unsigned long long)torn,
                (unsigned long long)self->number);
    add_own(self, "audit_cut", torn);
    return OK;
}

// The hash of the last line of the file before, if the newest has no line.
static fallible
take_before(audit_log_t *self, const struct audit_files *files)
{
    if (self->number != self->first || files->count < 2)
        return OK;
    uint64_t newest = self->first;
    self->first = files->firsts[files->count - 2];
    TRY(file_open(self));
    TRY(continue_file(self));
    self->first = newest;
    if (self->number < newest)
        self->number = newest;
    return file_open(self);
}

static fallible
open_newest(audit_log_t *self)
{
    struct audit_files files = {0};
    TRY(audit_files_read(self->settings.folder, &files));
    self->first = files.count ? files.firsts[files.count - 1] : 1;
    enum error error = file_open(self);
    if (error == OK)
        error = continue_file(self);
    if (error == OK)
        error = take_before(self, &files);
    audit_files_finish(&files);
    return error;
}

static fallible
folder_make(const char *folder)
{
    if (strlen(folder) > AUDIT_PATH_SIZE - 160)
        return fail(ERR_UNAVAILABLE, "", "audit: the path of the folder is too long");
    bool is_made = mkdir(folder, 0700) == 0;
    if (!is_made && errno != EEXIST)
        return file_failed(folder);
    if ((is_made && !directory_sync_above(folder)) || chmod(folder, 0700) != 0)
        return file_failed(folder);
    return OK;
}

fallible
audit_log_open(const struct audit_log_settings *settings, audit_log_t **ret_log)
{
    TRY(folder_make(settings->folder));
    audit_log_t *self = memory_take_zeroed(sizeof *self);
    self->settings = *settings;
    self->file = -1;
    memset(self->before, '0', AUDIT_HASH_SIZE - 1);
    enum error error = open_newest(self);
    if (error != OK) {
        audit_log_close(&self);
        return error;
    }
    *ret_log = self;
    return OK;
}

void
audit_log_close(audit_log_t **self)
{
    if (!*self)
        return;
    if ((*self)->file >= 0) {
        (void)audit_log_write(*self);
        sync_file(*self);
        close((*self)->file);
    }
    buffer_finish(&(*self)->lines);
    arena_finish(&(*self)->arena);
    free(*self);
    *self = NULL;
}

// A write that was cut is taken back, so that the file always ends with a whole line.
bool
audit_log_write(audit_log_t *self)
{
    struct buffer *lines = &self->lines;
    if (lines->size == 0)
        return true;
    if (write(self->file, lines->data, lines->size) != (ssize_t)lines->size) {
        if (!self->is_refused)
            log_error("audit_refused", "lines=%llu reason=%s", (unsigned long long)self->count,
                      strerror(errno));
        self->is_refused = true;
        error_ignore(ftruncate(self->file, (off_t)self->size) == 0 ? OK : ERR_UNAVAILABLE,
                     "the next start cuts a torn line");
        return false;
    }
    counter_add(COUNT_AUDIT_LINES, self->count);
    self->size += lines->size;
    self->is_refused = false;
    self->count = 0;
    buffer_clear(lines);
    if (!self->sync_ms)
        self->sync_ms = clock_deadline_ms(SYNC_MS);
    return true;
}

// --- what is kept ---

// Size and age of a file; false if it is gone.
static bool
measure(const char *path, uint64_t *ret_size, int64_t *ret_age_s)
{
    struct stat found;
    if (stat(path, &found) != 0)
        return false;
    *ret_size = (uint64_t)found.st_size;
    *ret_age_s = (int64_t)(clock_calendar_us() / 1000000) - (int64_t)found.st_mtime;
    return true;
}

// Removes files that are too old, and the oldest while all are too large together. Never the
// newest.
static void
remove_old(audit_log_t *self)
{
    struct audit_files files = {0};
    uint64_t kept = self->size, size;
    int64_t age_s, most_s = (int64_t)self->settings.days * DAY_S;
    if (audit_files_read(self->settings.folder, &files) != OK)
        return;
    for (size_t i = files.count; i-- > 0;) {
        char path[AUDIT_PATH_SIZE];
        audit_files_path(self->settings.folder, files.firsts[i], path);
        if (files.firsts[i] == self->first || !measure(path, &size, &age_s))
            continue;
        kept += size;
        if ((kept > self->settings.size || age_s > most_s) && unlink(path) == 0)
            log_info("audit_removed", "file=%s", path);
    }
    audit_files_finish(&files);
}

static void
next_file(audit_log_t *self)
{
    uint64_t first = self->first;
    sync_file(self);
    self->first = self->number;
    if (file_open(self) != OK) {
        self->first = first; // goes on in the old one
        log_error("audit_not_rotated", "reason=%s", fault_last()->detail);
    }
    self->look_ms = 0;
}

void
audit_log_keep(audit_log_t *self, uint64_t now_ms)
{
    if (self->sync_ms && now_ms >= self->sync_ms)
        sync_file(self);
    if (self->size >= self->settings.size / FILES_OF_SIZE && self->lines.size == 0)
        next_file(self);
    if (now_ms >= self->look_ms) {
        self->look_ms = now_ms + LOOK_MS;
        remove_old(self);
    }
}

// Whether the open file still has its name.
static bool
has_its_name(const audit_log_t *self)
{
    char path[AUDIT_PATH_SIZE];
    struct stat named, open;
    audit_files_path(self->settings.folder, self->first, path);
    return stat(path, &named) == 0 && fstat(self->file, &open) == 0 &&
           named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

// A file that was moved away is followed by one whose name says its first line.
void
audit_log_reopen(audit_log_t *self)
{
    sync_file(self);
    if (!has_its_name(self))
        self->first = self->number - self->count;
    if (file_open(self) != OK)
        log_error("audit_not_reopened", "reason=%s", fault_last()->detail);
    else
        log_info("audit_reopened", "line=%llu", (unsigned long long)self->number);
}
