// checkpoint_copy.c - see checkpoint_copy.h. In `incoming`:
//
//   store/  files of the store, as they come
//   blob    bytes of an asset, as they come
//   PLACE   epoch and position (8 each): all is there, and the store is to be replaced
#include "actors/replica/checkpoint_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "actors/replica/replica_source.h"
#include "proto/base/clock.h"
#include "proto/base/directory.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/backup/backup_file.h"
#include "store/backup/sha256.h"
#include "store/key.h"

enum {
    CHUNK_WITHIN_MS = 20000,
    CHECKPOINT_WITHIN_MS = 120000,
    AGAIN_MS = 500,
    KEEP_MS = 1000,
    REFUSED_MS = 60000, // so long a leader may refuse: it has no room for another copy
    PLACE_SIZE = 16,
    BLOBS_MOST = 1 << 30, // bytes of the list of blobs: 26 million
};

// The name that RocksDB gives a store: this one is another than that of the leader.
static const char own_name[] = "IDENTITY";

struct copying {
    const struct config *config;
    bool (*must_end)(void);
    replica_source_t *source;
    struct replica_checkpoint checkpoint;
    size_t list_size; // of the list of blobs
    uint64_t keep_ms; // when the leader is to hear of the checkpoint next
    char incoming[BACKUP_PATH_SIZE], store[BACKUP_PATH_SIZE], place[BACKUP_PATH_SIZE];
    char path[BACKUP_PATH_SIZE], from[BACKUP_PATH_SIZE]; // of the file at hand
};

static bool
must_end(void *context)
{
    return ((struct copying *)context)->must_end();
}

static bool
is_there(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static fallible
write_all(int file, const char *path, struct bytes bytes)
{
    const unsigned char *at = bytes.data;
    while (bytes.size > 0) {
        ssize_t size = write(file, at, bytes.size);
        if (size < 0)
            return backup_file_failed("write", path);
        at += size;
        bytes.size -= (size_t)size;
    }
    return OK;
}

// A part of a file or of a blob, and the size of all of it.
typedef enum error part_reader(struct copying *self, const void *what, uint64_t at,
                               struct bytes *ret_part, uint64_t *ret_size);

static enum error
read_file_part(struct copying *self, const void *what, uint64_t at, struct bytes *ret_part,
               uint64_t *ret_size)
{
    return replica_source_file(self->source, self->checkpoint.id, what, at,
                               clock_deadline_ms(CHUNK_WITHIN_MS), ret_part, ret_size);
}

// While blobs are copied nothing is asked of the checkpoint, without which the leader might remove
// them: once a second its list is.
static fallible
keep_checkpoint(struct copying *self)
{
    struct bytes nothing;
    uint64_t size;
    if (clock_left_ms(self->keep_ms) > 0)
        return OK;
    self->keep_ms = clock_deadline_ms(KEEP_MS);
    enum error error =
        replica_source_file(self->source, self->checkpoint.id, REPLICA_BLOBS, self->list_size,
                            clock_deadline_ms(CHUNK_WITHIN_MS), &nothing, &size);
    if (error == ERR_NOT_FOUND)
        return fail(ERR_UNAVAILABLE, "", "the leader has dropped its checkpoint");
    return error;
}

static enum error
read_blob_part(struct copying *self, const void *what, uint64_t at, struct bytes *ret_part,
               uint64_t *ret_size)
{
    TRY(keep_checkpoint(self));
    return replica_source_blob(self->source, what, at, clock_deadline_ms(CHUNK_WITHIN_MS), ret_part,
                               ret_size);
}

static fallible
read_parts(struct copying *self, part_reader *read, const void *what, const char *path, int file)
{
    struct bytes part;
    uint64_t size = 1;
    for (uint64_t at = 0; at < size; at += part.size) {
        TRY(read(self, what, at, &part, &size));
        if (part.size == 0 && at < size)
            return fail(ERR_INVALID, "", "the leader sent less of %s than there is", path);
        TRY(write_all(file, path, part));
    }
    return fsync(file) == 0 ? OK : backup_file_failed("sync", path);
}

// Copies it to a new file, which is on the disk then; its name is not.
static fallible
fetch(struct copying *self, part_reader *read, const void *what, const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return backup_file_failed("create", path);
    enum error error = read_parts(self, read, what, path, file);
    close(file);
    return error;
}

// --- the store ---

static fallible
fetch_files(struct copying *self)
{
    TRY(backup_path(self->incoming, "store", self->from));
    TRY(backup_folder_make(self->from));
    for (size_t i = 0; i < self->checkpoint.file_count; i++) {
        const char *name = self->checkpoint.files[i].name;
        bool is_list = strcmp(name, REPLICA_BLOBS) == 0;
        if (!replica_name_is_plain(name))
            return fail(ERR_INVALID, "", "the leader names a file %s", name);
        if (strcmp(name, own_name) == 0)
            continue;
        TRY(backup_path(is_list ? self->incoming : self->from, name, self->path));
        TRY(fetch(self, read_file_part, name, self->path));
    }
    return OK;
}

// --- bytes of assets ---

// Where they stand below data.dir (store/README.md).
static fallible
find_blob_path(struct copying *self, const struct blob_hash *hash)
{
    enum { NAME_SIZE = BLOB_HEX_SIZE + 16 };
    char hex[BLOB_HEX_SIZE], name[NAME_SIZE];
    blob_hash_to_hex(hash, hex);
    snprintf(name, sizeof name, "blobs/%.2s/%s", hex, hex);
    TRY(backup_folders_make(self->config->data_dir, name));
    return backup_path(self->config->data_dir, name, self->path);
}

static bool
is_whole(const char *path, const struct replica_blob *blob)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           (uint64_t)status.st_size == blob->size;
}

static fallible
fetch_blob(struct copying *self, const struct replica_blob *blob)
{
    char *path = self->path, *coming = self->from;
    struct file_digest digest;
    uint64_t size;
    TRY(find_blob_path(self, &blob->hash));
    if (is_whole(path, blob)) // the server looks at its hash before it shows it
        return OK;
    TRY(backup_path(self->incoming, "blob", coming));
    enum error error = fetch(self, read_blob_part, &blob->hash, coming);
    if (error == ERR_NOT_FOUND) // it went with its asset meanwhile
        return OK;
    TRY(error);
    TRY(backup_file_digest(coming, &(struct backup_pace){0}, &digest, &size));
    if (memcmp(digest.bytes, blob->hash.bytes, sizeof digest.bytes) != 0)
        return fail(ERR_INVALID, "", "the leader sent other bytes than a blob has");
    if (rename(coming, path) != 0)
        return backup_file_failed("rename", path);
    *strrchr(path, '/') = '\0';
    return directory_sync(path) ? OK : backup_file_failed("sync", path);
}

static fallible
fetch_blobs(struct copying *self)
{
    owned(backup_release) char *list = NULL;
    size_t size;
    struct replica_blob blob;
    TRY(backup_path(self->incoming, REPLICA_BLOBS, self->path));
    TRY(backup_file_read(self->path, BLOBS_MOST, &list, &size));
    self->list_size = size;
    for (size_t i = 0; replica_blobs_read((struct bytes){list, size}, i, &blob); i++)
        TRY(fetch_blob(self, &blob));
    return OK;
}

// --- all of it ---

static fallible
note_place(struct copying *self)
{
    unsigned char bytes[PLACE_SIZE];
    key_put_u64(bytes, self->checkpoint.place.epoch);
    key_put_u64(bytes + PLACE_SIZE / 2, self->checkpoint.place.position);
    TRY(backup_path(self->incoming, "place", self->from));
    TRY(backup_file_write(self->from, bytes, sizeof bytes));
    TRY(backup_tree_sync(self->incoming));
    if (rename(self->from, self->place) != 0)
        return backup_file_failed("rename", self->place);
    return directory_sync(self->incoming) ? OK : backup_file_failed("sync", self->place);
}

static fallible
fetch_all(struct copying *self)
{
    TRY(replica_source_checkpoint(self->source, clock_deadline_ms(CHECKPOINT_WITHIN_MS),
                                  &self->checkpoint));
    log_info("checkpoint_copying", "leader=%s files=%zu", self->config->follow,
             self->checkpoint.file_count);
    TRY(fetch_files(self));
    TRY(fetch_blobs(self));
    error_ignore(
        replica_source_done(self->source, self->checkpoint.id, clock_deadline_ms(CHUNK_WITHIN_MS)),
        "it ends by itself after a while");
    return note_place(self);
}

// Again until it is there: a leader may start after its follower, or break off.
static fallible
fetch_at_last(struct copying *self)
{
    const struct timespec again = {.tv_nsec = AGAIN_MS * 1000000L};
    uint64_t give_up_ms = clock_deadline_ms(REFUSED_MS);
    bool is_told = false;
    log_info("checkpoint_asked", "leader=%s", self->config->follow);
    for (;;) {
        int lock;
        TRY(backup_folder_claim(self->incoming, &lock));
        enum error error = fetch_all(self);
        close(lock);
        replica_checkpoint_finish(&self->checkpoint);
        bool is_away = error == ERR_UNAVAILABLE || error == ERR_NOT_FOUND ||
                       (error == ERR_CONFLICT && clock_left_ms(give_up_ms) > 0);
        if (!is_away || self->must_end())
            return error;
        if (!is_told)
            log_warning("follow_stalled", "leader=%s detail=%s", self->config->follow,
                        fault_last()->detail);
        is_told = true;
        nanosleep(&again, NULL);
    }
}

static fallible
fetch_from_leader(struct copying *self)
{
    const struct replica_source_settings source = {.endpoint = self->config->follow,
                                                   .curve = self->config->follow_curve,
                                                   .leader_key = self->config->follow_key,
                                                   .must_end = must_end,
                                                   .context = self};
    TRY(replica_source_create(&source, &self->source));
    enum error error = fetch_at_last(self);
    replica_source_destroy(&self->source);
    return error;
}

// The new store takes the place of the old one. Where it did so before a kill, nothing is left to
// be done.
static fallible
replace(struct copying *self)
{
    TRY(backup_path(self->incoming, "store", self->from));
    if (!is_there(self->from))
        return OK;
    backup_tree_remove(self->store);
    if (rename(self->from, self->store) != 0)
        return backup_file_failed("rename", self->store);
    return directory_sync_above(self->store) ? OK : backup_file_failed("sync", self->store);
}

static fallible
read_place(const char *path, struct replica_place *ret_place)
{
    owned(backup_release) char *bytes = NULL;
    size_t size;
    TRY(backup_file_read(path, PLACE_SIZE, &bytes, &size));
    if (size != PLACE_SIZE)
        return fail(ERR_INTERNAL, "", "%s is damaged; remove its folder", path);
    ret_place->epoch = key_get_u64((const unsigned char *)bytes);
    ret_place->position = key_get_u64((const unsigned char *)bytes + PLACE_SIZE / 2);
    return OK;
}

static fallible
copy(struct copying *self, struct replica_place *ret_place)
{
    const char *data_dir = self->config->data_dir;
    TRY(backup_path(data_dir, "incoming", self->incoming));
    TRY(backup_path(data_dir, "store", self->store));
    TRY(backup_path(self->incoming, "PLACE", self->place));
    if (is_there(self->store) && !is_there(self->incoming))
        return OK;
    if (!is_there(self->place) && mkdir(data_dir, S_IRWXU) != 0 && errno != EEXIST)
        return backup_file_failed("create", data_dir);
    if (!is_there(self->place))
        TRY(fetch_from_leader(self));
    TRY(read_place(self->place, ret_place));
    return replace(self);
}

fallible
checkpoint_copy(const struct config *config, bool (*must_end_now)(void),
                struct replica_place *ret_place)
{
    struct copying *self = memory_take_zeroed(sizeof *self); // too large for a stack
    self->config = config;
    self->must_end = must_end_now;
    *ret_place = (struct replica_place){0};
    enum error error = copy(self, ret_place);
    free(self);
    return error;
}

void
checkpoint_copy_want(const char *data_dir)
{
    error_ignore(backup_folders_make(data_dir, "incoming/"),
                 "the next start finds the gap again, and wants it again");
}

void
checkpoint_copy_done(const char *data_dir)
{
    char incoming[BACKUP_PATH_SIZE];
    if (backup_path(data_dir, "incoming", incoming) == OK)
        backup_tree_remove(incoming);
}
