// file_text.c - reads a file to its end; writes a new file beside the old one and renames it.
#include "tools/cli/file_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"

enum { READ_BYTES = 64 << 10, FILE_BYTES_MAX = 64 << 20 };

fallible
file_text_failed(const char *path)
{
    return fail(ERR_UNAVAILABLE, "", "%s: %s", path, strerror(errno));
}

static fallible
read_all(const char *path, FILE *file, struct buffer *out)
{
    size_t size;
    do {
        buffer_reserve(out, READ_BYTES);
        size = fread(out->data + out->size, 1, READ_BYTES, file);
        out->size += size;
        if (out->size > FILE_BYTES_MAX)
            return fail(ERR_TOO_LARGE, "", "%s: more than %d MiB", path, FILE_BYTES_MAX >> 20);
    } while (size > 0);
    return ferror(file) ? file_text_failed(path) : OK;
}

fallible
file_text_read(const char *path, struct buffer *out)
{
    if (strcmp(path, "-") == 0)
        return read_all("standard input", stdin, out);
    FILE *file = fopen(path, "re");
    if (!file)
        return file_text_failed(path);
    enum error error = read_all(path, file, out);
    fclose(file);
    return error;
}

// Writes and closes `file`; false with errno set if that fails.
static bool
write_all(int file, const struct buffer *text)
{
    size_t done = 0;
    while (done < text->size) {
        ssize_t written = write(file, text->data + done, text->size - done);
        if (written < 0 && errno != EINTR)
            break;
        done += written > 0 ? (size_t)written : 0;
    }
    bool is_written = done == text->size && fsync(file) == 0;
    int reason = errno;
    close(file);
    errno = reason;
    return is_written;
}

fallible
file_text_replace(const char *path, const struct buffer *text)
{
    owned(buffer_finish) struct buffer beside = {0};
    buffer_put_format(&beside, "%s.XXXXXX%c", path, '\0');
    int file = mkstemp(beside.data); // mode 0600
    if (file < 0)
        return file_text_failed(beside.data);
    if (write_all(file, text) && rename(beside.data, path) == 0)
        return OK;
    int reason = errno;
    unlink(beside.data);
    errno = reason;
    return file_text_failed(path);
}
