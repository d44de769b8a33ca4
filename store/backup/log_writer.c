// log_writer.c - see log_writer.h.
#include "store/backup/log_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/directory.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/backup/backup_folder.h"
#include "store/backup/log_folder.h"
#include "store/backup/log_reader.h"

enum { SEGMENT_BYTES = 16 << 20, MS_US = 1000 };

// Where the log stands: what is on the disk, or will be when what is staged is.
struct place {
    struct log_digest digest;
    uint64_t size; // of the file
    uint64_t last, last_first, last_id, covered_us;
};

struct log_writer {
    char dir[BACKUP_PATH_SIZE];
    char path[BACKUP_PATH_SIZE]; // of the segment
    struct log_segment segment;
    int file; // -1 = the segment could not be begun yet
    struct place synced, staged;
    struct buffer frames; // staged
    struct buffer body;   // of one frame
    bool has_blobs;       // staged: their folder must be synced
};

static void
put_frame(log_writer_t *self)
{
    size_t before = self->frames.size;
    log_put_frame(&self->frames, &self->body, &self->staged.digest);
    self->staged.size += self->frames.size - before;
    buffer_clear(&self->body);
}

static void
drop_staged(log_writer_t *self)
{
    buffer_rest(&self->frames, 1 << 20);
    self->staged = self->synced;
    self->has_blobs = false;
}

// --- the file ---

// Bytes behind what is synced are of a write that failed.
static fallible
write_staged(log_writer_t *self)
{
    if (ftruncate(self->file, (off_t)self->synced.size) != 0)
        return backup_file_failed("cut", self->path);
    for (size_t done = 0; done < self->frames.size;) {
        ssize_t size = pwrite(self->file, self->frames.data + done, self->frames.size - done,
                              (off_t)(self->synced.size + done));
        if (size < 0 && errno != EINTR)
            return backup_file_failed("write", self->path);
        done += size > 0 ? (size_t)size : 0;
    }
    return fdatasync(self->file) == 0 ? OK : backup_file_failed("sync", self->path);
}

static fallible
sync_blobs(log_writer_t *self)
{
    char blobs[BACKUP_PATH_SIZE];
    if (!self->has_blobs)
        return OK;
    TRY(log_blobs_path(self->dir, &self->segment, blobs));
    return directory_sync(blobs) && directory_sync(self->dir) ? OK
                                                              : backup_file_failed("sync", blobs);
}

// Blobs are on the disk before the frames that name them.
static fallible
flush(log_writer_t *self)
{
    enum error error = sync_blobs(self);
    if (error == OK)
        error = write_staged(self);
    if (error == OK)
        self->synced = self->staged;
    drop_staged(self);
    return error;
}

// Opens the file of a segment under a name that is free, and writes its header.
static fallible
begin_segment(log_writer_t *self, uint64_t time_us)
{
    do {
        char name[BACKUP_NAME_SIZE];
        backup_name(time_us, name);
        snprintf(self->segment.name, sizeof self->segment.name, "%s.log", name);
        TRY(backup_path(self->dir, self->segment.name, self->path));
        self->file = open(self->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        time_us += MS_US;
    } while (self->file < 0 && errno == EEXIST);
    if (self->file < 0)
        return backup_file_failed("make", self->path);
    log_put_header(&self->body, &self->segment);
    put_frame(self);
    enum error error = flush(self);
    if (error == OK && !directory_sync(self->dir))
        error = backup_file_failed("sync", self->dir);
    if (error == OK)
        return OK;
    close(self->file);
    self->file = -1;
    (void)unlink(self->path); // a segment without a header is no segment
    return error;
}

static log_writer_t *
writer_new(const char *dir)
{
    log_writer_t *self = memory_take_zeroed(sizeof *self);
    snprintf(self->dir, sizeof self->dir, "%s", dir);
    self->file = -1;
    return self;
}

static void
start_at(log_writer_t *self, uint64_t last, uint64_t time_us)
{
    self->synced = (struct place){.last = last,
                                  .last_first = self->synced.last_first,
                                  .last_id = self->synced.last_id,
                                  .covered_us = time_us};
    self->staged = self->synced;
}

fallible
log_writer_begin(const char *dir, const char *lineage, uint64_t after, uint64_t time_us,
                 log_writer_t **ret_writer)
{
    owned(log_writer_destroy) log_writer_t *self = writer_new(dir);
    self->segment.after = after;
    self->segment.started_us = time_us;
    snprintf(self->segment.lineage, sizeof self->segment.lineage, "%s", lineage);
    randombytes_buf(self->segment.chain, sizeof self->segment.chain);
    start_at(self, after, time_us);
    TRY(begin_segment(self, time_us));
    *ret_writer = self;
    self = NULL;
    return OK;
}

// --- going on ---

static fallible
open_segment(log_writer_t *self, const struct log_segment *segment)
{
    owned(log_reader_destroy) log_reader_t *reader = NULL;
    struct log_rest rest;
    TRY(log_reader_create(self->dir, segment->name, &reader));
    TRY(log_reader_rest(reader, &rest));
    self->segment = *segment;
    TRY(backup_path(self->dir, segment->name, self->path));
    self->file = open(self->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (self->file < 0)
        return backup_file_failed("open", self->path);
    self->synced =
        (struct place){.digest = log_reader_digest(reader),
                       .size = log_reader_size(reader),
                       .last = rest.last,
                       .last_first = rest.last_first,
                       .last_id = rest.last_id,
                       .covered_us = rest.covered_us ? rest.covered_us : segment->started_us};
    self->staged = self->synced;
    if (ftruncate(self->file, (off_t)self->synced.size) != 0)
        return backup_file_failed("cut", self->path);
    return OK;
}

// A kill may have come between the end of a segment and the next one: what is written behind the
// end is right too.
fallible
log_writer_resume(const char *dir, const char *lineage, log_writer_t **ret_writer)
{
    owned(log_segments_finish) struct log_segments segments = {0};
    owned(log_writer_destroy) log_writer_t *self = writer_new(dir);
    TRY(log_folder_read(dir, NULL, NULL, &segments));
    size_t newest = segments.count;
    while (newest > 0 && strcmp(segments.items[newest - 1].lineage, lineage) != 0)
        newest--;
    if (newest == 0)
        return OK;
    TRY(open_segment(self, &segments.items[newest - 1]));
    *ret_writer = self;
    self = NULL;
    return OK;
}

const unsigned char *
log_writer_chain(const log_writer_t *self)
{
    return self->segment.chain;
}

uint64_t
log_writer_last(const log_writer_t *self)
{
    return self->synced.last;
}

uint64_t
log_writer_last_first(const log_writer_t *self)
{
    return self->synced.last_first;
}

store_version_t
log_writer_last_id(const log_writer_t *self)
{
    return self->synced.last_id;
}

uint64_t
log_writer_covered_us(const log_writer_t *self)
{
    return self->synced.covered_us;
}

// --- frames ---

void
log_writer_put_change(log_writer_t *self, const struct store_change *change)
{
    log_put_change(&self->body, change);
    put_frame(self);
    self->staged.last = change->last;
    self->staged.last_first = change->first;
    self->staged.last_id = change->id;
}

void
log_writer_put_mark(log_writer_t *self, uint64_t last, uint64_t time_us)
{
    log_put_mark(&self->body, LOG_MARK, last, time_us);
    put_frame(self);
    self->staged.covered_us = time_us;
}

size_t
log_writer_staged(const log_writer_t *self)
{
    return self->frames.size;
}

// Copies the blob where it cannot be linked; *ret_is_whole false where its bytes are damaged.
static fallible
bring_blob(const char *from, const char *to, const struct blob_hash *hash,
           const struct backup_pace *pace, bool *ret_is_whole)
{
    struct file_digest digest;
    uint64_t size;
    bool is_linked;
    *ret_is_whole = true;
    TRY(backup_file_link(from, to, &is_linked));
    if (is_linked)
        return OK;
    enum error error = backup_file_copy(from, to, pace, &digest, &size);
    *ret_is_whole = error == OK && memcmp(digest.bytes, hash->bytes, sizeof digest.bytes) == 0;
    if (*ret_is_whole)
        return OK;
    struct fault fault = *fault_last();
    (void)unlink(to);
    return error == OK ? OK : fault_note_again(&fault);
}

fallible
log_writer_put_blob(log_writer_t *self, const char *data_dir, const struct blob_hash *hash,
                    const struct backup_pace *pace)
{
    char hex[BLOB_HEX_SIZE], name[sizeof "blobs/aa/" + BLOB_HEX_SIZE];
    char from[BACKUP_PATH_SIZE], blobs[BACKUP_PATH_SIZE], to[BACKUP_PATH_SIZE];
    struct stat status;
    bool is_whole = true;
    blob_hash_to_hex(hash, hex);
    snprintf(name, sizeof name, "blobs/%.2s/%s", hex, hex);
    TRY(backup_path(data_dir, name, from));
    TRY(log_blobs_path(self->dir, &self->segment, blobs));
    enum error error = backup_folder_make(blobs);
    if (error != OK && error != ERR_CONFLICT)
        return error;
    TRY(backup_path(blobs, hex, to));
    self->has_blobs = true;
    if (stat(to, &status) != 0) { // else it came in this segment before
        error = bring_blob(from, to, hash, pace, &is_whole);
        if (error != OK && error != ERR_NOT_FOUND)
            return error;
        if (error == ERR_NOT_FOUND || !is_whole || stat(to, &status) != 0) {
            log_error("backup_blob_damaged", "path=%s", from);
            return OK;
        }
    }
    log_put_blob(&self->body, hash, (uint64_t)status.st_size);
    put_frame(self);
    return OK;
}

// --- syncing ---

static fallible
roll(log_writer_t *self, uint64_t time_us)
{
    log_put_mark(&self->body, LOG_CLOSE, self->staged.last, self->staged.covered_us);
    put_frame(self);
    TRY(flush(self));
    close(self->file);
    self->file = -1;
    self->segment.number++;
    self->segment.after = self->synced.last;
    self->segment.started_us = time_us;
    self->segment.before = self->synced.digest;
    start_at(self, self->synced.last, self->synced.covered_us);
    return begin_segment(self, time_us);
}

fallible
log_writer_sync(log_writer_t *self, uint64_t time_us)
{
    if (self->frames.size)
        TRY(flush(self));
    return self->synced.size >= SEGMENT_BYTES ? roll(self, time_us) : OK;
}

void
log_writer_destroy(log_writer_t **self)
{
    if (!*self)
        return;
    if ((*self)->file >= 0)
        close((*self)->file);
    buffer_finish(&(*self)->frames);
    buffer_finish(&(*self)->body);
    free(*self);
    *self = NULL;
}
