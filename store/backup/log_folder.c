// log_folder.c - see log_folder.h.
#include "store/backup/log_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/backup/log_reader.h"

// A blob comes before the commit that refers to it, but a backup may begin between the two: so
// much earlier than it a segment must have ended to be of no use.
enum { MARGIN_US = 60 * 1000000 };

static const char suffix[] = ".log";

fallible
log_folder_take(const char *dir, int *ret_lock)
{
    char path[BACKUP_PATH_SIZE];
    enum error error = backup_folder_make(dir);
    if (error != OK && error != ERR_CONFLICT)
        return error;
    TRY(backup_path(dir, "OWNER", path));
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0)
        return backup_file_failed("open", path);
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        return fail(ERR_CONFLICT, "", "another server writes into %s", dir);
    }
    *ret_lock = lock;
    return OK;
}

void
log_segments_finish(struct log_segments *self)
{
    free(self->items);
    *self = (struct log_segments){0};
}

static int
is_segment(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name), end = sizeof suffix - 1;
    return size > end && size < LOG_NAME_SIZE && strcmp(entry->d_name + size - end, suffix) == 0;
}

static int
compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int
by_chain_and_number(const void *a, const void *b)
{
    const struct log_segment *left = a, *right = b;
    int order = memcmp(left->chain, right->chain, LOG_CHAIN_BYTES);
    return order ? order : compare(left->number, right->number);
}

static int
by_start(const void *a, const void *b)
{
    const struct log_segment *left = *(const struct log_segment *const *)a;
    const struct log_segment *right = *(const struct log_segment *const *)b;
    return compare(left->started_us, right->started_us);
}

static bool
is_of(const struct log_segment *segment, const unsigned char chain[LOG_CHAIN_BYTES])
{
    return memcmp(segment->chain, chain, LOG_CHAIN_BYTES) == 0;
}

// Chains are sorted by their first segments, which may be gone: the oldest that is there counts.
static void
sort(struct log_segments *self)
{
    if (self->count == 0)
        return;
    qsort(self->items, self->count, sizeof *self->items, by_chain_and_number);
    const struct log_segment **heads = memory_take(self->count * sizeof *heads);
    size_t chains = 0, count = 0;
    for (size_t i = 0; i < self->count; i++)
        if (i == 0 || !is_of(&self->items[i], self->items[i - 1].chain))
            heads[chains++] = &self->items[i];
    qsort(heads, chains, sizeof *heads, by_start);
    struct log_segment *sorted = memory_take(self->count * sizeof *sorted);
    for (size_t i = 0; i < chains; i++)
        for (const struct log_segment *at = heads[i];
             at < self->items + self->count && is_of(at, heads[i]->chain); at++)
            sorted[count++] = *at;
    free(heads);
    free(self->items);
    self->items = sorted;
}

static fallible
read_segment(const char *dir, const char *name, struct log_segment *ret_segment)
{
    owned(log_reader_destroy) log_reader_t *reader = NULL;
    TRY(log_reader_create(dir, name, &reader));
    *ret_segment = *log_reader_segment(reader);
    return OK;
}

fallible
log_folder_read(const char *dir, void (*complain)(void *context, const char *what), void *context,
                struct log_segments *ret_segments)
{
    struct dirent **entries;
    int count = scandir(dir, &entries, is_segment, NULL);
    if (count < 0)
        return fail(ERR_UNAVAILABLE, "", "cannot read %s: %s", dir, strerror(errno));
    struct log_segments segments = {memory_take((size_t)(count + 1) * sizeof *segments.items), 0};
    for (int i = 0; i < count; i++) {
        enum error error = read_segment(dir, entries[i]->d_name, &segments.items[segments.count]);
        segments.count += error == OK;
        if (error != OK && error != ERR_NOT_FOUND && complain)
            complain(context, fault_last()->detail);
        free(entries[i]);
    }
    free(entries);
    sort(&segments);
    *ret_segments = segments;
    return OK;
}

bool
log_segment_follows(const struct log_segments *segments, size_t index)
{
    const struct log_segment *self = &segments->items[index];
    return index > 0 && is_of(&segments->items[index - 1], self->chain) &&
           segments->items[index - 1].number + 1 == self->number;
}

fallible
log_blobs_path(const char *dir, const struct log_segment *segment, char ret_path[BACKUP_PATH_SIZE])
{
    char name[LOG_NAME_SIZE + sizeof ".blobs"];
    snprintf(name, sizeof name, "%.*s.blobs", (int)(strlen(segment->name) - (sizeof suffix - 1)),
             segment->name);
    return backup_path(dir, name, ret_path);
}

bool
log_segment_is_before(const struct log_segments *segments, size_t index, uint64_t position,
                      uint64_t created_us)
{
    if (index + 1 == segments->count || !log_segment_follows(segments, index + 1))
        return false;
    const struct log_segment *next = &segments->items[index + 1];
    return next->after <= position && next->started_us + MARGIN_US <= created_us;
}

static bool
may_go(const struct log_segments *segments, size_t index, const struct log_need *needs,
       size_t count, const unsigned char active[LOG_CHAIN_BYTES])
{
    const struct log_segment *self = &segments->items[index];
    bool is_needed = false, is_before = true;
    for (size_t i = 0; i < count; i++)
        if (is_of(self, needs[i].chain)) {
            is_needed = true;
            is_before = is_before && log_segment_is_before(segments, index, needs[i].position,
                                                           needs[i].created_us);
        }
    return is_needed ? is_before : !is_of(self, active);
}

// The segment goes first: without it nothing asks for the blobs.
static void
remove_segment(const char *dir, const struct log_segment *segment)
{
    char path[BACKUP_PATH_SIZE];
    if (backup_path(dir, segment->name, path) != OK)
        return;
    if (unlink(path) != 0 && errno != ENOENT)
        log_warning("backup_log_left", "path=%s reason=%s", path, strerror(errno));
    else if (log_blobs_path(dir, segment, path) == OK)
        backup_tree_remove(path);
}

fallible
log_folder_prune(const char *dir, const struct log_segments *segments, const struct log_need *needs,
                 size_t count, const unsigned char active[LOG_CHAIN_BYTES])
{
    for (size_t i = 0; i < segments->count; i++)
        if (may_go(segments, i, needs, count, active))
            remove_segment(dir, &segments->items[i]);
    return OK;
}
