// archive_export.c - see archive_export.h.
#include "store/backup/archive_export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/buffer.h"
#include "proto/base/directory.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/message/blob.h"
#include "proto/message/partition.h"
#include "store/backup/archive_blobs.h"
#include "store/backup/digest_list.h"
#include "store/backup/sha256.h"
#include "store/backup/tar_file.h"
#include "store/fence.h"

enum { COPY_BYTES = 1 << 20 };

const char archive_manifest_name[] = "manifest.json";
static const char partial[] = ".partial";
static const char restored[] = ".data";

struct exporting {
    const char *from;                    // a data.dir
    const struct archive_engine *engine; // NULL = RocksDB
    struct backup_check *check;
    store_t *store;
    blob_provider_t *provider; // of the bytes of assets; NULL: they are files
    const char *fresh;         // the archive
    tar_writer_t *tar;
    struct buffer sums;  // lines of SHA256SUMS
    struct buffer lines; // records that were not put yet
    unsigned chunks;     // of the family
    enum family family;  // that is scanned
    enum error error;    // in a visit
    struct archive_counts counts;
    uint16_t part; // that is scanned
};

static void
exporting_finish(struct exporting *self)
{
    blob_provider_destroy(&self->provider);
    archive_engine_close(self->engine, &self->store);
    tar_writer_destroy(&self->tar);
    buffer_finish(&self->sums);
    buffer_finish(&self->lines);
}

static enum error
go_on(const struct exporting *self)
{
    const struct backup_pace *pace = &self->check->pace;
    return pace->go_on ? pace->go_on(pace->context) : OK;
}

// --- entries ---

static fallible
put_bytes(struct exporting *self, const char *name, const void *data, size_t size)
{
    struct file_digest digest;
    TRY(go_on(self));
    TRY(tar_writer_begin(self->tar, name, size));
    TRY(tar_writer_put(self->tar, data, size));
    sha256_of(data, size, &digest);
    digest_line_put(&digest, name, &self->sums);
    self->counts.files++;
    self->counts.bytes += size;
    self->check->bytes += size;
    return OK;
}

static void
file_close(const int *file)
{
    if (*file >= 0)
        close(*file);
}

// A file that changes its size meanwhile belongs to somebody who should not be there.
static fallible
put_file(struct exporting *self, const char *path, const char *name)
{
    owned(backup_release) unsigned char *chunk = memory_take(COPY_BYTES);
    owned(file_close) int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status;
    struct file_digest digest;
    owned(sha256_finish) struct sha256 sha256 = {NULL};
    if (file < 0 || fstat(file, &status) != 0)
        return backup_file_failed("open", path);
    uint64_t left = (uint64_t)status.st_size;
    TRY(tar_writer_begin(self->tar, name, left));
    sha256_begin(&sha256);
    while (left > 0) {
        TRY(go_on(self));
        ssize_t size = read(file, chunk, left < COPY_BYTES ? left : COPY_BYTES);
        if (size < 0)
            return backup_file_failed("read", path);
        if (size == 0)
            return fail(ERR_UNAVAILABLE, "", "%s became shorter while it was read", path);
        TRY(tar_writer_put(self->tar, chunk, (size_t)size));
        sha256_add(&sha256, chunk, (size_t)size);
        left -= (uint64_t)size;
        self->check->bytes += (uint64_t)size;
    }
    sha256_end(&sha256, &digest);
    digest_line_put(&digest, name, &self->sums);
    self->counts.files++;
    self->counts.bytes += (uint64_t)status.st_size;
    return OK;
}

// --- records ---

static fallible
put_chunk(struct exporting *self)
{
    char name[64];
    if (self->lines.size == 0)
        return OK;
    snprintf(name, sizeof name, "records/%s/%06u.jsonl", store_family_names[self->family],
             self->chunks++);
    TRY(put_bytes(self, name, self->lines.data, self->lines.size));
    buffer_clear(&self->lines);
    return OK;
}

static void
put_base64(struct buffer *out, struct bytes bytes)
{
    size_t size = sodium_base64_ENCODED_LEN(bytes.size, sodium_base64_VARIANT_ORIGINAL);
    buffer_reserve(out, size);
    sodium_bin2base64(out->data + out->size, size, bytes.data, bytes.size,
                      sodium_base64_VARIANT_ORIGINAL);
    out->size += size - 1; // without the NUL
}

static bool
put_record(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    (void)version; // names a commit of this store
    struct exporting *self = context;
    if (fence_is_own(self->family, self->part, key))
        return true;
    buffer_put_format(&self->lines, "{\"part\":%u,\"key\":\"", (unsigned)self->part);
    put_base64(&self->lines, key);
    buffer_put_chars(&self->lines, "\",\"value\":\"");
    put_base64(&self->lines, value);
    buffer_put_chars(&self->lines, "\"}\n");
    self->counts.records++;
    if (self->lines.size >= ARCHIVE_CHUNK_BYTES)
        self->error = put_chunk(self);
    return self->error == OK;
}

static fallible
put_family(struct exporting *self, enum family family)
{
    static const struct bytes all = {NULL, 0};
    self->family = family;
    self->chunks = 0;
    for (self->part = 0; self->part < PARTITION_COUNT; self->part++) {
        enum store_result result =
            store_scan(self->store, family, self->part, all, all, false, 0, 0, put_record, self);
        TRY(self->error);
        TRY(store_error(result));
    }
    return put_chunk(self);
}

// --- files ---

static int
is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && entry->d_name[0] != '\0';
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

// Where a file of a part is: the bytes of assets may be in a folder of their own.
static fallible
path_of(const struct exporting *self, const struct backup_part *part, const char *name,
        char ret_path[BACKUP_PATH_SIZE])
{
    bool is_apart = part->is_by_hash && self->engine && *self->engine->blobs;
    return is_apart ? archive_blob_path(self->engine->blobs, name, ret_path)
                    : backup_path(self->from, name, ret_path);
}

static fallible put_folder(struct exporting *self, const struct backup_part *part,
                           const char *name);

// What was damaged on the server's disk is told, and not taken along.
static fallible
put_blob(struct exporting *self, const char *path, const char *name, const char *hex)
{
    struct blob_hash hash;
    struct file_digest digest;
    uint64_t size;
    if (!blob_hash_from_hex(hex, strlen(hex), &hash))
        return OK;
    TRY(backup_file_digest(path, &self->check->pace, &digest, &size));
    if (memcmp(digest.bytes, hash.bytes, sizeof digest.bytes) != 0) {
        self->check->problems++;
        if (self->check->complain)
            self->check->complain(self->check->context, self->provider ? name : path,
                                  "is damaged, and left out");
        return OK;
    }
    self->counts.blobs++;
    return put_file(self, path, name);
}

static fallible
put_entry(struct exporting *self, const struct backup_part *part, const char *folder,
          const char *entry)
{
    char name[BACKUP_PATH_SIZE], path[BACKUP_PATH_SIZE];
    struct stat status;
    TRY(backup_path(folder, entry, name));
    TRY(path_of(self, part, name, path));
    if (lstat(path, &status) != 0)
        return backup_file_failed("read", path);
    if (S_ISDIR(status.st_mode))
        return put_folder(self, part, name);
    if (!S_ISREG(status.st_mode))
        return OK;
    return part->is_by_hash ? put_blob(self, path, name, entry) : put_file(self, path, name);
}

static fallible
put_folder(struct exporting *self, const struct backup_part *part, const char *name)
{
    char path[BACKUP_PATH_SIZE];
    struct dirent **entries;
    TRY(path_of(self, part, name, path));
    int count = scandir(path, &entries, is_visible, by_name);
    if (count < 0)
        return errno == ENOENT ? OK : backup_file_failed("read", path);
    enum error error = OK;
    for (int i = 0; i < count; i++) {
        if (error == OK)
            error = put_entry(self, part, name, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return error;
}

// --- blobs of a provider ---

static fallible
put_object(void *context, const char *path, const char *hex)
{
    struct exporting *self = context;
    char name[BACKUP_PATH_SIZE];
    snprintf(name, sizeof name, "blobs/%.2s/%s", hex, hex);
    return put_blob(self, path, name, hex);
}

static fallible
put_objects(struct exporting *self)
{
    char path[BACKUP_PATH_SIZE];
    int size = snprintf(path, sizeof path, "%s.blob", self->fresh);
    if (size < 0 || size >= BACKUP_PATH_SIZE)
        return fail(ERR_INVALID, "", "%s is too long a path", self->fresh);
    return archive_blobs_visit(self->provider, path, put_object, self);
}

// --- the archive ---

// The store is put record by record, all else file by file.
static fallible
put_all(struct exporting *self)
{
    char manifest[32];
    int size = snprintf(manifest, sizeof manifest, "{\"form\":%d}\n", ARCHIVE_FORM_NOW);
    TRY(put_bytes(self, archive_manifest_name, manifest, (size_t)size));
    for (unsigned family = 0; family < FAMILY_COUNT; family++)
        TRY(put_family(self, (enum family)family));
    for (const struct backup_part *part = backup_parts; part->name; part++)
        if (part->is_by_hash && self->provider)
            TRY(put_objects(self));
        else if (strcmp(part->name, "store") != 0)
            TRY(put_folder(self, part, part->name));
    TRY(tar_writer_begin(self->tar, digest_list_name, self->sums.size));
    TRY(tar_writer_put(self->tar, self->sums.data, self->sums.size));
    return tar_writer_finish(&self->tar);
}

static fallible
export_data(const char *from, const struct archive_engine *engine, const char *fresh,
            struct backup_check *check, struct archive_counts *ret_counts)
{
    owned(exporting_finish) struct exporting self = {
        .from = from, .engine = engine, .check = check, .fresh = fresh};
    char store[BACKUP_PATH_SIZE];
    TRY(backup_path(from, engine ? "store" : "store/CURRENT", store));
    if (access(store, F_OK) != 0)
        return fail(ERR_INVALID, "", "%s is neither a data.dir nor a backup", from);
    TRY(archive_engine_open(engine, from, true, &self.store));
    TRY(archive_blobs_open(engine, self.store, &self.provider));
    TRY(tar_writer_create(fresh, &self.tar));
    TRY(put_all(&self));
    *ret_counts = self.counts;
    return OK;
}

// A backup is not opened in its place: that would change it.
static fallible
export_backup(const char *from, const char *file, const char *fresh, struct backup_check *check,
              struct archive_counts *ret_counts)
{
    char data[BACKUP_PATH_SIZE];
    int size = snprintf(data, sizeof data, "%s%s", file, restored);
    if (size < 0 || size >= BACKUP_PATH_SIZE)
        return fail(ERR_INVALID, "", "%s is too long a path", file);
    int lock;
    TRY(backup_folder_claim(data, &lock)); // removes what a kill left
    close(lock);
    enum error error = backup_restore(from, data, check);
    if (error == OK)
        error = export_data(data, NULL, fresh, check, ret_counts);
    struct fault fault = *fault_last();
    backup_tree_remove(data);
    return error == OK ? OK : fault_note_again(&fault);
}

// Replaces nothing. Where the file system has no such rename (some of networks), a kill between the
// two calls leaves a second name of the whole file.
static bool
rename_new(const char *fresh, const char *file)
{
    if (renameat2(AT_FDCWD, fresh, AT_FDCWD, file, RENAME_NOREPLACE) == 0)
        return true;
    bool is_unknown = errno == EINVAL || errno == ENOSYS;
    if (!is_unknown || link(fresh, file) != 0)
        return false;
    (void)unlink(fresh);
    return true;
}

static fallible
name_file(const char *fresh, const char *file)
{
    bool is_named = rename_new(fresh, file);
    if (!is_named && errno == EEXIST)
        return fail(ERR_CONFLICT, "", "%s is there already", file);
    if (!is_named)
        return backup_file_failed("name", file);
    char folder[BACKUP_PATH_SIZE];
    const char *slash = strrchr(file, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1,
             slash ? file : ".");
    if (directory_sync(folder))
        return OK;
    enum error error = backup_file_failed("sync", folder);
    (void)unlink(file);
    return error;
}

fallible
archive_export(const char *from, const struct archive_engine *engine, const char *file,
               struct backup_check *check, struct archive_counts *ret_counts)
{
    char fresh[BACKUP_PATH_SIZE], about[BACKUP_PATH_SIZE];
    int size = snprintf(fresh, sizeof fresh, "%s%s", file, partial);
    if (size < 0 || size >= BACKUP_PATH_SIZE)
        return fail(ERR_INVALID, "", "%s is too long a path", file);
    if (access(file, F_OK) == 0)
        return fail(ERR_CONFLICT, "", "%s is there already", file);
    TRY(backup_path(from, "backup.json", about));
    (void)unlink(fresh); // what a kill left
    enum error error = !engine && access(about, F_OK) == 0
                           ? export_backup(from, file, fresh, check, ret_counts)
                           : export_data(from, engine, fresh, check, ret_counts);
    if (error == OK)
        error = name_file(fresh, file);
    if (error == OK)
        return OK;
    struct fault fault = *fault_last();
    (void)unlink(fresh);
    return fault_note_again(&fault);
}
