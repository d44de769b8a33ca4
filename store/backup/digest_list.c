// digest_list.c - writes and reads lists of digests (digest_list.h). One thread.
#include "store/backup/digest_list.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/memory.h"
#include "proto/base/owned.h"

enum {
    HEX_CHARS = DIGEST_HEX_SIZE - 1,
    BLANKS = 2,
    LINE_SIZE = HEX_CHARS + BLANKS + BACKUP_PATH_SIZE + 1, // with the end of the line, and NUL
};

const char digest_list_name[] = "SHA256SUMS";

const struct backup_part backup_parts[] = {
    {"audit", .may_go = true},
    {"blobs", .is_shared = true, .is_by_hash = true, .may_go = true},
    {"pub", .may_go = true},
    {"store", .is_shared = true},
    {NULL},
};

struct digest_writer {
    FILE *file;
    char path[BACKUP_PATH_SIZE];
    crypto_hash_sha256_state root;
};

struct digest_reader {
    FILE *file;
    char line[LINE_SIZE];
    crypto_hash_sha256_state root;
};

void
file_digest_to_hex(const struct file_digest *digest, char ret_hex[DIGEST_HEX_SIZE])
{
    sodium_bin2hex(ret_hex, DIGEST_HEX_SIZE, digest->bytes, sizeof digest->bytes);
}

void
digest_line_put(const struct file_digest *digest, const char *path, struct buffer *out)
{
    char hex[DIGEST_HEX_SIZE];
    file_digest_to_hex(digest, hex);
    buffer_put_format(out, "%s  %s\n", hex, path);
}

// --- writing ---

fallible
digest_writer_create(const char *folder, digest_writer_t **ret_writer)
{
    owned(digest_writer_destroy) digest_writer_t *self = memory_take_zeroed(sizeof *self);
    TRY(backup_path(folder, digest_list_name, self->path));
    self->file = fopen(self->path, "wxe");
    if (!self->file)
        return backup_file_failed("make", self->path);
    crypto_hash_sha256_init(&self->root);
    *ret_writer = self;
    self = NULL;
    return OK;
}

fallible
digest_writer_add(digest_writer_t *self, const struct file_digest *digest, const char *path)
{
    owned(buffer_finish) struct buffer line = {0};
    digest_line_put(digest, path, &line);
    if (fwrite(line.data, 1, line.size, self->file) != line.size)
        return backup_file_failed("write", self->path);
    crypto_hash_sha256_update(&self->root, (const unsigned char *)line.data, line.size);
    return OK;
}

fallible
digest_writer_finish(digest_writer_t **self, struct file_digest *ret_root)
{
    owned(digest_writer_destroy) digest_writer_t *writer = *self;
    *self = NULL;
    if (fflush(writer->file) != 0 || fsync(fileno(writer->file)) != 0)
        return backup_file_failed("write", writer->path);
    crypto_hash_sha256_final(&writer->root, ret_root->bytes);
    return OK;
}

void
digest_writer_destroy(digest_writer_t **self)
{
    if (!*self)
        return;
    if ((*self)->file)
        fclose((*self)->file);
    free(*self);
    *self = NULL;
}

// --- reading ---

fallible
digest_reader_create(const char *folder, digest_reader_t **ret_reader)
{
    char path[BACKUP_PATH_SIZE];
    TRY(backup_path(folder, digest_list_name, path));
    int descriptor;
    TRY(backup_file_open(path, &descriptor));
    FILE *file = fdopen(descriptor, "r");
    if (!file) {
        close(descriptor);
        return backup_file_failed("open", path);
    }
    digest_reader_t *self = memory_take_zeroed(sizeof *self);
    self->file = file;
    crypto_hash_sha256_init(&self->root);
    *ret_reader = self;
    return OK;
}

// Whether the path stays in its part: it has no empty, `.` or `..` step.
static bool
leads_nowhere_else(const char *path)
{
    for (const char *step = path; step;) {
        size_t size = strcspn(step, "/");
        bool is_dots = size <= 2 && strncmp(step, "..", size) == 0; // and the empty one
        if (is_dots)
            return false;
        step = step[size] ? step + size + 1 : NULL;
    }
    return true;
}

const struct backup_part *
backup_part_of(const char *path)
{
    for (const struct backup_part *part = backup_parts; part->name; part++)
        if (strncmp(path, part->name, strlen(part->name)) == 0 && path[strlen(part->name)] == '/')
            return leads_nowhere_else(path) ? part : NULL;
    return NULL;
}

static bool
parse(const char *line, size_t size, struct digest_line *ret_line)
{
    size_t digest_size, path_at = HEX_CHARS + BLANKS;
    bool is_whole =
        size > path_at + 1 && line[size - 1] == '\n' && memcmp(line + HEX_CHARS, "  ", BLANKS) == 0;
    if (!is_whole || sodium_hex2bin(ret_line->digest.bytes, sizeof ret_line->digest.bytes, line,
                                    HEX_CHARS, NULL, &digest_size, NULL) != 0)
        return false;
    memcpy(ret_line->path, line + path_at, size - path_at - 1);
    ret_line->path[size - path_at - 1] = '\0';
    return digest_size == FILE_DIGEST_BYTES && backup_part_of(ret_line->path);
}

fallible
digest_reader_next(digest_reader_t *self, struct digest_line *ret_line, bool *ret_is_end)
{
    bool is_read = fgets(self->line, sizeof self->line, self->file) != NULL;
    if (!is_read && ferror(self->file))
        return backup_file_failed("read", digest_list_name);
    *ret_is_end = !is_read;
    if (!is_read)
        return OK;
    size_t size = strlen(self->line); // a line with NUL, or a longer one, has no end
    crypto_hash_sha256_update(&self->root, (const unsigned char *)self->line, size);
    if (!parse(self->line, size, ret_line))
        return fail(ERR_INVALID, "", "%s has a line that is no line of a backup: %.80s",
                    digest_list_name, self->line);
    return OK;
}

void
digest_reader_root(const digest_reader_t *self, struct file_digest *ret_root)
{
    crypto_hash_sha256_state root = self->root;
    crypto_hash_sha256_final(&root, ret_root->bytes);
}

void
digest_reader_destroy(digest_reader_t **self)
{
    if (!*self)
        return;
    fclose((*self)->file);
    free(*self);
    *self = NULL;
}
