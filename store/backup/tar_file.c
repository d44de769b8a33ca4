// tar_file.c - see tar_file.h. The form is that of POSIX (ustar): a block of 512 bytes says name
// and size of an entry, its bytes follow, filled up to whole blocks; two blocks of zeros end the
// file.
#include "store/backup/tar_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/memory.h"
#include "proto/base/owned.h"

enum {
    BLOCK = 512,
    BUFFER_BYTES = 1 << 20,
    NAME_SIZE = 100,   // of a name in a header
    PREFIX_SIZE = 155, // of what stands before it and a slash
    SUM_AT = 148,      // where the sum of all bytes stands, as if it were blanks
    SUM_SIZE = 8,
    PLAIN_FILE = '0',
    OLD_PLAIN_FILE = 0, // of tars before POSIX
};

struct header {
    char name[NAME_SIZE];
    char mode[8], user[8], group[8];
    char size[12], time[12];
    char sum[SUM_SIZE];
    char kind;
    char link[100];
    char magic[6], version[2];
    char user_name[32], group_name[32];
    char major[8], minor[8];
    char prefix[PREFIX_SIZE];
    char rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "one block");

struct tar_writer {
    FILE *file;
    char path[BACKUP_PATH_SIZE];
    uint64_t left; // of the entry
    size_t fill;   // bytes of zeros behind it
};

struct tar_reader {
    FILE *file;
    char path[BACKUP_PATH_SIZE];
    char name[PREFIX_SIZE + 1 + NAME_SIZE + 1];
    uint64_t left; // of the entry
    size_t fill;
};

static unsigned
sum_of(const struct header *header)
{
    const unsigned char *bytes = (const unsigned char *)header;
    unsigned sum = 0;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_SIZE ? (unsigned)' ' : bytes[i];
    return sum;
}

static size_t
fill_of(uint64_t size)
{
    return (size_t)((BLOCK - size % BLOCK) % BLOCK);
}

// --- writing ---

static fallible
put(tar_writer_t *self, const void *data, size_t size)
{
    return fwrite(data, 1, size, self->file) == size ? OK : backup_file_failed("write", self->path);
}

static fallible
put_zeros(tar_writer_t *self, size_t count)
{
    static const char zeros[2 * BLOCK];
    return put(self, zeros, count);
}

fallible
tar_writer_create(const char *path, tar_writer_t **ret_writer)
{
    owned(tar_writer_destroy) tar_writer_t *self = memory_take_zeroed(sizeof *self);
    snprintf(self->path, sizeof self->path, "%s", path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    self->file = file < 0 ? NULL : fdopen(file, "w");
    if (!self->file)
        return backup_file_failed("make", path);
    setvbuf(self->file, NULL, _IOFBF, BUFFER_BYTES);
    *ret_writer = self;
    self = NULL;
    return OK;
}

fallible
tar_writer_begin(tar_writer_t *self, const char *name, uint64_t size)
{
    struct header header = {.mode = "0000600",
                            .user = "0000000",
                            .group = "0000000",
                            .time = "00000000000",
                            .kind = PLAIN_FILE,
                            .magic = "ustar",
                            .version = {'0', '0'}};
    TRY(put_zeros(self, self->fill));
    size_t name_size = strlen(name);
    if (name_size > NAME_SIZE || size > TAR_ENTRY_MOST)
        return fail(ERR_INVALID, "", "%s is too long for a tar file", name);
    memcpy(header.name, name, name_size);
    snprintf(header.size, sizeof header.size, "%011llo", (unsigned long long)size);
    snprintf(header.sum, sizeof header.sum, "%06o", sum_of(&header));
    header.sum[SUM_SIZE - 1] = ' ';
    self->left = size;
    self->fill = fill_of(size);
    return put(self, &header, sizeof header);
}

fallible
tar_writer_put(tar_writer_t *self, const void *data, size_t size)
{
    if (size > self->left)
        return fail(ERR_INTERNAL, "", "more bytes than were announced");
    self->left -= size;
    return put(self, data, size);
}

fallible
tar_writer_finish(tar_writer_t **self)
{
    owned(tar_writer_destroy) tar_writer_t *writer = *self;
    *self = NULL;
    TRY(put_zeros(writer, writer->fill));
    TRY(put_zeros(writer, 2 * BLOCK));
    if (fflush(writer->file) != 0 || fsync(fileno(writer->file)) != 0)
        return backup_file_failed("sync", writer->path);
    return OK;
}

void
tar_writer_destroy(tar_writer_t **self)
{
    if (!*self)
        return;
    if ((*self)->file)
        fclose((*self)->file);
    free(*self);
    *self = NULL;
}

// --- reading ---

static fallible
damaged(const tar_reader_t *self, const char *what)
{
    return fail(ERR_INVALID, "", "%s is damaged, or no archive: %s", self->path, what);
}

static fallible
get(tar_reader_t *self, void *data, size_t size)
{
    if (fread(data, 1, size, self->file) == size)
        return OK;
    return ferror(self->file) ? backup_file_failed("read", self->path)
                              : damaged(self, "it ends early");
}

fallible
tar_reader_create(const char *path, tar_reader_t **ret_reader)
{
    owned(tar_reader_destroy) tar_reader_t *self = memory_take_zeroed(sizeof *self);
    snprintf(self->path, sizeof self->path, "%s", path);
    self->file = fopen(path, "re");
    if (!self->file)
        return backup_file_failed("open", path);
    setvbuf(self->file, NULL, _IOFBF, BUFFER_BYTES);
    *ret_reader = self;
    self = NULL;
    return OK;
}

// Octal digits, with blanks before them, and a blank or NUL behind.
static bool
read_octal(const char *digits, size_t size, uint64_t *ret_number)
{
    uint64_t number = 0;
    size_t i = 0;
    for (; i < size && digits[i] == ' '; i++)
        ;
    size_t first = i;
    for (; i < size && digits[i] >= '0' && digits[i] <= '7'; i++)
        number = number * 8 + (uint64_t)(digits[i] - '0');
    *ret_number = number;
    return i > first && i < size && (digits[i] == ' ' || digits[i] == '\0');
}

// What is left of the entry before, and the bytes that fill its last block.
static fallible
skip_entry(tar_reader_t *self)
{
    char block[BLOCK];
    while (self->left > 0) {
        size_t size = self->left < BLOCK ? (size_t)self->left : BLOCK;
        TRY(get(self, block, size));
        self->left -= size;
    }
    TRY(get(self, block, self->fill));
    self->fill = 0;
    return OK;
}

static bool
is_zero(const struct header *header)
{
    static const struct header zero;
    return memcmp(header, &zero, sizeof zero) == 0;
}

fallible
tar_reader_next(tar_reader_t *self, const char **ret_name, uint64_t *ret_size)
{
    struct header header;
    uint64_t sum;
    *ret_name = NULL;
    TRY(skip_entry(self));
    TRY(get(self, &header, sizeof header));
    if (is_zero(&header))
        return OK;
    if (!read_octal(header.sum, sizeof header.sum, &sum) || sum != sum_of(&header) ||
        !read_octal(header.size, sizeof header.size, &self->left) || !header.name[0])
        return damaged(self, "it has a header of another form");
    const char *slash = header.prefix[0] && strncmp(header.magic, "ustar", 5) == 0 ? "/" : "";
    snprintf(self->name, sizeof self->name, "%.*s%s%.*s", *slash ? PREFIX_SIZE : 0, header.prefix,
             slash, NAME_SIZE, header.name);
    if (header.kind != PLAIN_FILE && header.kind != OLD_PLAIN_FILE)
        return fail(ERR_INVALID, "", "%s: %s is no file", self->path, self->name);
    self->fill = fill_of(self->left);
    *ret_name = self->name;
    *ret_size = self->left;
    return OK;
}

fallible
tar_reader_read(tar_reader_t *self, void *data, size_t size, size_t *ret_got)
{
    size = size < self->left ? size : (size_t)self->left;
    TRY(get(self, data, size));
    self->left -= size;
    *ret_got = size;
    return OK;
}

void
tar_reader_destroy(tar_reader_t **self)
{
    if (!*self)
        return;
    if ((*self)->file)
        fclose((*self)->file);
    free(*self);
    *self = NULL;
}
