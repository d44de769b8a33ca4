// blob_scan.c - see blob_scan.h.
#define _GNU_SOURCE
#include "store/blob_scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/buffer.h"
#include "proto/base/log.h"
#include "store/blob_remote.h"

static const char mark_name[] = "CACHE"; // of a file

struct found {
    struct blob_hash hash;
    uint64_t size;
    struct timespec changed;
};

bool
blob_scan_is_cache(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_cache = folder >= 0 && faccessat(folder, mark_name, F_OK, 0) == 0;
    if (folder >= 0)
        close(folder);
    return is_cache;
}

// --- what is here ---

static void
find_in(const struct folder *self, const char *name, struct buffer *found)
{
    struct stat status;
    struct found file = {0};
    int descriptor = openat(self->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (!blob_hash_from_hex(entry->d_name, strlen(entry->d_name), &file.hash) ||
            fstatat(descriptor, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!S_ISREG(status.st_mode)) {
            log_warning("blob_left", "path=%s/%s/%s reason=%s", self->path, name, entry->d_name,
                        "it is no file");
            continue;
        }
        file.size = (uint64_t)status.st_size;
        file.changed = status.st_mtim;
        buffer_put(found, &file, sizeof file);
    }
    if (directory)
        closedir(directory);
}

static void
find_all(const struct folder *self, struct buffer *found)
{
    char name[3];
    for (unsigned i = 0; i < BLOB_FOLDERS; i++) {
        snprintf(name, sizeof name, "%02x", i);
        find_in(self, name, found);
    }
}

// --- what the provider does not have ---

static bool
note_object(void *context, const char *object)
{
    struct blob_hash hash;
    if (blob_hash_from_hex(object, strlen(object), &hash))
        buffer_put(context, &hash, sizeof hash);
    return true;
}

// A damaged one is nothing to be kept; who asks for it is told.
static fallible
put_file(struct folder *self, const struct blob_hash *hash)
{
    char object[BLOB_HEX_SIZE];
    blob_hash_to_hex(hash, object);
    int file = folder_open(self, hash);
    if (file < 0)
        return folder_failed(self, "open");
    enum error error = OK;
    if (folder_file_has(file, hash))
        error = blob_provider_put(self->provider, object, file);
    else
        log_error("blob_damaged", "path=%s/%.2s/%s what=hash", self->path, object, object);
    close(file);
    return error;
}

static fallible
mark_cache(const struct folder *self)
{
    int file = openat(self->root, mark_name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return folder_failed(self, "mark");
    close(file);
    return folder_sync(self, ".");
}

// Hashes come in their order: names are sorted as they are.
static fallible
put_missing(struct folder *self, const struct buffer *found, struct buffer *objects)
{
    const struct found *files = (const void *)found->data;
    size_t count = found->size / sizeof *files, done = 0;
    if (count)
        TRY(blob_provider_list(self->provider, note_object, objects));
    for (size_t i = 0; i < count; i++) {
        if (objects->size &&
            bsearch(&files[i].hash, objects->data, objects->size / sizeof(struct blob_hash),
                    sizeof(struct blob_hash), blob_hash_compare))
            continue;
        if (self->must_end && self->must_end())
            return fail(ERR_UNAVAILABLE, "", "told to end while %s was put to the database",
                        self->path);
        TRY(put_file(self, &files[i].hash));
        done++;
    }
    log_info("blobs_put", "path=%s files=%zu", self->path, done);
    return mark_cache(self);
}

// --- all ---

static int
compare_times(const void *left, const void *right)
{
    const struct timespec a = ((const struct found *)left)->changed;
    const struct timespec b = ((const struct found *)right)->changed;
    if (a.tv_sec != b.tv_sec)
        return a.tv_sec < b.tv_sec ? -1 : 1;
    return (a.tv_nsec > b.tv_nsec) - (a.tv_nsec < b.tv_nsec);
}

static void
count(struct folder *self, const struct buffer *found)
{
    struct found *files = (void *)found->data;
    size_t number = found->size / sizeof *files;
    if (number)
        qsort(files, number, sizeof *files, compare_times);
    for (size_t i = 0; i < number; i++)
        blob_remote_note(self, &files[i].hash, files[i].size);
}

fallible
blob_scan_run(struct folder *self)
{
    struct buffer found = {0}, objects = {0};
    enum error error = OK;
    find_all(self, &found);
    if (!blob_scan_is_cache(self->path))
        error = put_missing(self, &found, &objects);
    pthread_mutex_lock(&self->lock); // of removals
    if (error == OK)
        count(self, &found);
    pthread_mutex_unlock(&self->lock);
    buffer_finish(&found);
    buffer_finish(&objects);
    return error;
}
