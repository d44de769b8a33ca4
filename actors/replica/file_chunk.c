// file_chunk.c - see file_chunk.h.
#include "actors/replica/file_chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actors/replica/replica_wire.h"
#include "proto/base/owned.h"
#include "store/backup/backup_file.h"

static void
descriptor_close(const int *file)
{
    if (*file >= 0)
        close(*file);
}

static bool
read_fully(int file, char *data, size_t size, uint64_t offset)
{
    for (size_t done = 0; done < size;) {
        ssize_t more = pread(file, data + done, size - done, (off_t)(offset + done));
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return false;
        done += (size_t)more;
    }
    return true;
}

fallible
file_chunk_read(const char *path, uint64_t offset, struct buffer *bytes, uint64_t *ret_size)
{
    struct stat status;
    owned(descriptor_close) int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    buffer_clear(bytes);
    if (file < 0 || fstat(file, &status) != 0)
        return backup_file_failed("read", path);
    *ret_size = (uint64_t)status.st_size;
    uint64_t left = offset < *ret_size ? *ret_size - offset : 0;
    size_t size = left < REPLICA_CHUNK_BYTES ? (size_t)left : REPLICA_CHUNK_BYTES;
    buffer_reserve(bytes, size);
    if (!read_fully(file, bytes->data, size, offset))
        return backup_file_failed("read", path);
    bytes->size = size;
    return OK;
}
