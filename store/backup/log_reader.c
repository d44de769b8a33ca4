// log_reader.c - see log_reader.h.
#include "store/backup/log_reader.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/memory.h"
#include "proto/base/owned.h"

struct log_reader {
    FILE *file;
    char path[BACKUP_PATH_SIZE];
    struct log_segment segment;
    struct log_digest digest;
    uint64_t size; // of all whole frames that were read
    uint64_t form; // 0: the header was not read yet
    struct buffer body;
    struct store_operation *operations;
    size_t capacity;
};

static fallible
damaged(const log_reader_t *self, const char *what)
{
    return fail(ERR_INVALID, "", "%s is damaged behind byte %llu: %s", self->path,
                (unsigned long long)self->size, what);
}

// Whether nothing but zeros is left: what a loss of power leaves of bytes that were not synced.
static bool
rest_is_empty(log_reader_t *self)
{
    int byte;
    do
        byte = getc(self->file);
    while (byte == 0);
    return byte == EOF;
}

// Reads one frame into the body; TORN where there is none that is whole.
static fallible
read_frame(log_reader_t *self, enum log_state *ret_state)
{
    unsigned char head[LOG_SIZE_BYTES];
    struct log_digest told, digest = self->digest;
    size_t got = fread(head, 1, sizeof head, self->file), size;
    *ret_state = got ? LOG_TORN : LOG_ENDED;
    if (got < sizeof head)
        return ferror(self->file) ? fail(ERR_UNAVAILABLE, "", "cannot read %s", self->path) : OK;
    if (!log_read_head(head, self->form < LOG_FORM_CHECKED, &size))
        return rest_is_empty(self) ? OK : damaged(self, "no frame has such a size");
    buffer_clear(&self->body);
    buffer_reserve(&self->body, size);
    self->body.size = fread(self->body.data, 1, size, self->file);
    if (self->body.size < size || fread(&told, 1, sizeof told, self->file) < sizeof told)
        return ferror(self->file) ? fail(ERR_UNAVAILABLE, "", "cannot read %s", self->path) : OK;
    log_digest_next(self->body.data, size, &digest);
    if (memcmp(&digest, &told, sizeof digest) != 0)
        return rest_is_empty(self) ? OK : damaged(self, "a frame does not have its digest");
    self->digest = digest;
    self->size += sizeof head + size + sizeof told;
    *ret_state = LOG_READ;
    return OK;
}

static fallible
read_header(log_reader_t *self)
{
    enum log_state state;
    uint64_t form = 0;
    TRY(read_frame(self, &state));
    if (state != LOG_READ)
        return fail(ERR_NOT_FOUND, "", "%s was not begun", self->path);
    if (!log_read_header((const unsigned char *)self->body.data, self->body.size, &self->segment,
                         &form))
        return fail(ERR_INVALID, "", "%s is no segment of a log", self->path);
    if (form < 1 || form > LOG_FORM_NOW)
        return fail(ERR_INVALID, "", "%s is of form %llu; this version reads forms up to %d",
                    self->path, (unsigned long long)form, LOG_FORM_NOW);
    self->form = form;
    return OK;
}

fallible
log_reader_create(const char *dir, const char *name, log_reader_t **ret_reader)
{
    owned(log_reader_destroy) log_reader_t *self = memory_take_zeroed(sizeof *self);
    TRY(backup_path(dir, name, self->path));
    int file;
    TRY(backup_file_open(self->path, &file));
    self->file = fdopen(file, "r");
    if (!self->file) {
        close(file);
        return backup_file_failed("open", self->path);
    }
    TRY(read_header(self));
    snprintf(self->segment.name, sizeof self->segment.name, "%s", name);
    *ret_reader = self;
    self = NULL;
    return OK;
}

const struct log_segment *
log_reader_segment(const log_reader_t *self)
{
    return &self->segment;
}

fallible
log_reader_next(log_reader_t *self, struct log_frame *ret_frame, enum log_state *ret_state)
{
    TRY(read_frame(self, ret_state));
    if (*ret_state == LOG_READ &&
        !log_read_body((const unsigned char *)self->body.data, self->body.size, &self->operations,
                       &self->capacity, ret_frame))
        return damaged(self, "a frame that no writer of this form wrote");
    return OK;
}

struct log_digest
log_reader_digest(const log_reader_t *self)
{
    return self->digest;
}

uint64_t
log_reader_size(const log_reader_t *self)
{
    return self->size;
}

void
log_reader_destroy(log_reader_t **self)
{
    if (!*self)
        return;
    if ((*self)->file)
        fclose((*self)->file);
    buffer_finish(&(*self)->body);
    free((*self)->operations);
    free(*self);
    *self = NULL;
}

static void
note_frame(struct log_rest *rest, const struct log_frame *frame)
{
    switch (frame->kind) {
    case LOG_CHANGE:
        rest->commits++;
        rest->last = frame->change.last;
        rest->last_first = frame->change.first;
        rest->last_id = frame->change.id;
        break;
    case LOG_BLOB:
        rest->blobs++;
        break;
    case LOG_MARK:
    case LOG_CLOSE:
        rest->covered_us = frame->time_us;
        rest->is_closed = frame->kind == LOG_CLOSE;
        break;
    case LOG_HEADER:
        break;
    }
}

fallible
log_reader_rest(log_reader_t *self, struct log_rest *ret_rest)
{
    struct log_rest rest = {.last = self->segment.after};
    for (;;) {
        struct log_frame frame;
        enum log_state state;
        TRY(log_reader_next(self, &frame, &state));
        if (state != LOG_READ) {
            rest.is_torn = state == LOG_TORN;
            *ret_rest = rest;
            return OK;
        }
        note_frame(&rest, &frame);
    }
}
