// audit_roll.c - one class of the audit log: the chain of its lines, and the files that they are
// in. The writer's thread. Where the disk refuses, lines wait in memory.
#include "actors/audit/audit_roll.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/directory.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/base/token.h"
#include "proto/codec/json_text.h"
#include "proto/message/metrics.h"

enum {
    FILES_OF_SIZE = 10, // a file has that part of the size
    SYNC_MS = 500,      // the most that a written line waits for the disk
    LOOK_MS = 600000,   // between two looks for files that are too old
    PIECE_BYTES = 4096, // of the end of a file, read at a time
    DAY_S = 24 * 3600,
};

struct audit_roll {
    struct audit_roll_settings settings;
    int file;
    uint64_t first; // number in the name of the file
    uint64_t next;  // above the numbers of all lines
    uint64_t size;  // of the file: what was written whole
    uint64_t cut;   // of a torn line
    char before[AUDIT_HASH_SIZE];
    struct buffer lines;    // not written yet
    uint64_t count;         // of them
    uint64_t first_waiting; // number of the first of them
    uint64_t sync_ms;       // when what was written must be on the disk; 0 = it is
    uint64_t look_ms;
    bool is_refused; // the disk refused the last write
};

static void
path_of(const audit_roll_t *self, uint64_t first, char ret_path[AUDIT_PATH_SIZE])
{
    audit_files_path(self->settings.folder, self->settings.class, first, ret_path);
}

static fallible
file_failed(const char *path)
{
    return fail(ERR_UNAVAILABLE, "", "%.180s: %s", path, strerror(errno));
}

static fallible
file_open(audit_roll_t *self)
{
    char path[AUDIT_PATH_SIZE];
    struct stat found;
    path_of(self, self->first, path);
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
sync_file(audit_roll_t *self)
{
    self->sync_ms = 0;
    if (fdatasync(self->file) != 0)
        log_error("audit_not_synced", "reason=%s", strerror(errno));
}

// --- the end of a file ---

static fallible
read_at(const audit_roll_t *self, char *bytes, uint64_t size, uint64_t at)
{
    if (pread(self->file, bytes, size, (off_t)at) == (ssize_t)size)
        return OK;
    return fail(ERR_UNAVAILABLE, "", "audit: the end of a file cannot be read: %s",
                strerror(errno));
}

// Where the last line that ends before `end` ends: behind its line feed; 0 if there is none.
static fallible
find_end(const audit_roll_t *self, uint64_t end, uint64_t *ret_end)
{
    char bytes[PIECE_BYTES];
    *ret_end = 0;
    while (end > 0) {
        uint64_t size = end < PIECE_BYTES ? end : PIECE_BYTES;
        TRY(read_at(self, bytes, size, end - size));
        const char *found = memrchr(bytes, '\n', size);
        end -= size;
        if (!found)
            continue;
        *ret_end = end + (uint64_t)(found - bytes) + 1;
        return OK;
    }
    return OK;
}

static uint64_t
number_of(const struct buffer *line)
{
    owned(arena_finish) struct arena arena = {0};
    const struct json *json, *number;
    if (json_parse(&arena, line->data, line->size, &json) != OK)
        return 0;
    number = json_find(json, "number");
    return number && number->type == JSON_INTEGER && number->integer > 0 ? (uint64_t)number->integer
                                                                         : 0;
}

// Reads the last line before `end` into `line`, and where it begins.
static fallible
read_line(const audit_roll_t *self, uint64_t end, struct buffer *line, uint64_t *ret_start)
{
    TRY(find_end(self, end - 1, ret_start));
    buffer_clear(line);
    buffer_reserve(line, end - *ret_start);
    line->size = end - 1 - *ret_start;
    return read_at(self, line->data, line->size, *ret_start);
}

// Takes hash and number of the last whole line, which ends at `end`. A line that has no number,
// because somebody changed it, counts from the one before: the chain goes on, and tells.
static fallible
take_last(audit_roll_t *self, uint64_t end)
{
    owned(buffer_finish) struct buffer line = {0};
    uint64_t number = 0, behind = 0;
    for (uint64_t at = end; at > 0 && !number; behind++) {
        uint64_t start;
        TRY(read_line(self, at, &line, &start));
        if (at == end)
            token_digest(line.data, line.size, NULL, self->before, AUDIT_HASH_SIZE);
        number = number_of(&line);
        at = start;
    }
    uint64_t next = (number ? number : self->first) + behind;
    self->next = next > self->next ? next : self->next;
    return OK;
}

// Continues a file: cuts a torn line, takes the last whole one.
static fallible
continue_file(audit_roll_t *self, bool *ret_has_line)
{
    uint64_t end;
    TRY(find_end(self, self->size, &end));
    *ret_has_line = end > 0;
    if (end > 0)
        TRY(take_last(self, end));
    if (end == self->size)
        return OK;
    if (ftruncate(self->file, (off_t)end) != 0)
        return fail(ERR_UNAVAILABLE, "", "audit: a torn line cannot be cut: %s", strerror(errno));
    self->cut += self->size - end;
    self->size = end;
    log_warning("audit_cut", "bytes=%llu line=%llu", (unsigned long long)self->cut,
                (unsigned long long)self->next);
    return OK;
}

// The newest file may have no line: the last one is in a file before it.
static fallible
continue_files(audit_roll_t *self, const struct audit_files *files)
{
    uint64_t newest = files->count ? files->firsts[files->count - 1] : 1;
    bool has_line = false;
    self->next = newest;
    for (size_t i = files->count; i-- > 0 && !has_line;) {
        self->first = files->firsts[i];
        TRY(file_open(self));
        TRY(continue_file(self, &has_line));
    }
    bool is_open = self->file >= 0 && self->first == newest;
    self->first = newest;
    return is_open ? OK : file_open(self);
}

fallible
audit_roll_open(const struct audit_roll_settings *settings, audit_roll_t **ret_roll)
{
    struct audit_files files = {0};
    TRY(audit_files_read(settings->folder, settings->class, &files));
    audit_roll_t *self = memory_take_zeroed(sizeof *self);
    self->settings = *settings;
    self->file = -1;
    memset(self->before, '0', AUDIT_HASH_SIZE - 1);
    enum error error = continue_files(self, &files);
    audit_files_finish(&files);
    if (error != OK) {
        audit_roll_close(&self);
        return error;
    }
    *ret_roll = self;
    return OK;
}

void
audit_roll_close(audit_roll_t **self)
{
    if (!*self)
        return;
    if ((*self)->file >= 0) {
        (void)audit_roll_write(*self);
        sync_file(*self);
        close((*self)->file);
    }
    buffer_finish(&(*self)->lines);
    free(*self);
    *self = NULL;
}

uint64_t
audit_roll_next(const audit_roll_t *self)
{
    return self->next;
}

uint64_t
audit_roll_cut(const audit_roll_t *self)
{
    return self->cut;
}

const char *
audit_roll_hash(const audit_roll_t *self)
{
    return self->before;
}

// --- lines ---

void
audit_roll_add(audit_roll_t *self, uint64_t number, const struct buffer *line)
{
    token_digest(line->data, line->size, NULL, self->before, AUDIT_HASH_SIZE);
    buffer_put(&self->lines, line->data, line->size);
    buffer_put_char(&self->lines, '\n');
    if (self->count++ == 0)
        self->first_waiting = number;
    self->next = number + 1;
}

// A write that was cut is taken back, so that the file always ends with a whole line.
bool
audit_roll_write(audit_roll_t *self)
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
remove_old(audit_roll_t *self)
{
    struct audit_files files = {0};
    uint64_t kept = self->size, size;
    int64_t age_s, most_s = (int64_t)self->settings.days * DAY_S;
    if (audit_files_read(self->settings.folder, self->settings.class, &files) != OK)
        return;
    for (size_t i = files.count; i-- > 0;) {
        char path[AUDIT_PATH_SIZE];
        path_of(self, files.firsts[i], path);
        if (files.firsts[i] == self->first || !measure(path, &size, &age_s))
            continue;
        kept += size;
        if ((kept > self->settings.size || age_s > most_s) && unlink(path) == 0)
            log_info("audit_removed", "file=%s", path);
    }
    audit_files_finish(&files);
}

static void
next_file(audit_roll_t *self, uint64_t next)
{
    uint64_t first = self->first;
    sync_file(self);
    self->first = next;
    if (file_open(self) != OK) {
        self->first = first; // goes on in the old one
        log_error("audit_not_rotated", "reason=%s", fault_last()->detail);
    }
    self->look_ms = 0;
}

void
audit_roll_keep(audit_roll_t *self, uint64_t next, uint64_t now_ms)
{
    if (self->sync_ms && now_ms >= self->sync_ms)
        sync_file(self);
    if (self->size >= self->settings.size / FILES_OF_SIZE && self->lines.size == 0)
        next_file(self, next);
    if (now_ms >= self->look_ms) {
        self->look_ms = now_ms + LOOK_MS;
        remove_old(self);
    }
}

// Whether the open file still has its name.
static bool
has_its_name(const audit_roll_t *self)
{
    char path[AUDIT_PATH_SIZE];
    struct stat named, open;
    path_of(self, self->first, path);
    return stat(path, &named) == 0 && fstat(self->file, &open) == 0 &&
           named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

// A file that was moved away is followed by one whose name says what its lines begin with.
void
audit_roll_reopen(audit_roll_t *self, uint64_t next)
{
    sync_file(self);
    if (!has_its_name(self))
        self->first = self->count ? self->first_waiting : next;
    if (file_open(self) != OK)
        log_error("audit_not_reopened", "reason=%s", fault_last()->detail);
    else
        log_info("audit_reopened", "class=%s line=%llu",
                 audit_class_rows[self->settings.class].name, (unsigned long long)self->first);
}
