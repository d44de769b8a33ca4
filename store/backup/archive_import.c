// archive_import.c - see archive_import.h.
#include "store/backup/archive_import.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/buffer.h"
#include "proto/base/directory.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/codec/json_text.h"
#include "proto/message/blob.h"
#include "proto/message/partition.h"
#include "store/backup/archive_blobs.h"
#include "store/backup/digest_list.h"
#include "store/backup/sha256.h"
#include "store/backup/tar_file.h"
#include "store/fence.h"
#include "store/format.h"

enum { COPY_BYTES = 1 << 20, COMMIT_RECORDS = 1000, COMMIT_BYTES = 1 << 20 };

static const char partial[] = ".partial";
static const char records_prefix[] = "records/";

struct importing {
    const char *file;
    char to[BACKUP_PATH_SIZE]; // the data.dir that is made
    struct backup_check *check;
    tar_reader_t *tar;
    const struct archive_engine *engine; // NULL = RocksDB in the data.dir
    store_t *store;
    blob_provider_t *provider;     // that gets the bytes of assets; NULL: they become files
    uint32_t format, steps;        // that the archive has; written last into another store
    crypto_hash_sha256_state sums; // of the lines that SHA256SUMS must have
    bool has_manifest, is_complete;
    struct arena arena; // of one entry of records
    struct store_operation operations[COMMIT_RECORDS];
    size_t count, bytes; // of the next commit
    struct archive_counts counts;
};

static void
importing_finish(struct importing *self)
{
    blob_provider_destroy(&self->provider);
    archive_engine_close(self->engine, &self->store);
    tar_reader_destroy(&self->tar);
    arena_finish(&self->arena);
}

static fallible
damaged(const struct importing *self, const char *name, const char *what)
{
    return fail(ERR_INVALID, "", "%s is damaged, or no archive: %.100s %s", self->file, name, what);
}

static enum error
go_on(const struct importing *self)
{
    const struct backup_pace *pace = &self->check->pace;
    return pace->go_on ? pace->go_on(pace->context) : OK;
}

static void
note_sum(struct importing *self, const struct file_digest *digest, const char *name)
{
    owned(buffer_finish) struct buffer line = {0};
    digest_line_put(digest, name, &line);
    crypto_hash_sha256_update(&self->sums, (const unsigned char *)line.data, line.size);
}

// The whole entry, which has at most ARCHIVE_CHUNK_MOST bytes.
static fallible
read_whole(struct importing *self, const char *name, uint64_t size, struct buffer *ret_data)
{
    struct file_digest digest;
    if (size > ARCHIVE_CHUNK_MOST)
        return damaged(self, name, "is too long");
    buffer_reserve(ret_data, size + 1);
    for (size_t got = 1; got > 0; ret_data->size += got) {
        TRY(go_on(self));
        TRY(tar_reader_read(self->tar, ret_data->data + ret_data->size, size - ret_data->size,
                            &got));
    }
    if (ret_data->size != size)
        return damaged(self, name, "ends early");
    sha256_of(ret_data->data, ret_data->size, &digest);
    note_sum(self, &digest, name);
    self->check->bytes += size;
    return OK;
}

// --- records ---

static fallible
commit(struct importing *self)
{
    const struct store_commit commit = {
        .id = store_version_new(), .operations = self->operations, .operation_count = self->count};
    if (self->count == 0)
        return OK;
    TRY(store_error(store_commit(self->store, &commit, 0)));
    self->counts.records += self->count;
    self->count = self->bytes = 0;
    return OK;
}

static bool
read_base64(struct arena *arena, const struct json *value, struct bytes *ret_bytes)
{
    if (!value || value->type != JSON_TEXT)
        return false;
    size_t most = text_size(value->text) / 4 * 3 + 1, size;
    unsigned char *bytes = arena_alloc(arena, most);
    if (sodium_base642bin(bytes, most, text_bytes(value->text), text_size(value->text), NULL, &size,
                          NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
        return false;
    *ret_bytes = (struct bytes){bytes, size};
    return true;
}

static bool
read_record(struct importing *self, enum family family, const char *line, size_t size,
            struct store_operation *ret_operation)
{
    const struct json *json;
    if (json_parse(&self->arena, line, size, &json) != OK)
        return false;
    const struct json *part = json_find(json, "part");
    struct bytes key, value;
    if (!part || part->type != JSON_INTEGER || part->integer < 0 ||
        part->integer >= PARTITION_COUNT ||
        !read_base64(&self->arena, json_find(json, "key"), &key) || key.size > STORE_KEY_BYTES ||
        !read_base64(&self->arena, json_find(json, "value"), &value))
        return false;
    *ret_operation = (struct store_operation){
        .address = {.family = family, .part = (uint16_t)part->integer, .key = key}, .value = value};
    return true;
}

// What says who writes is not taken along (older versions did); the format of another store is
// written when everything is there.
static bool
is_left_out(struct importing *self, const struct store_operation *record)
{
    const struct store_address *at = &record->address;
    return fence_is_own(at->family, at->part, at->key) ||
           (self->engine && format_of_record(record, &self->format, &self->steps));
}

static fallible
import_lines(struct importing *self, enum family family, const char *name,
             const struct buffer *lines)
{
    const char *end = lines->data + lines->size;
    for (const char *line = lines->data; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        struct store_operation operation;
        if (!stop || !read_record(self, family, line, (size_t)(stop - line), &operation))
            return damaged(self, name, "has a line that is no record");
        line = stop + 1;
        if (is_left_out(self, &operation))
            continue;
        size_t size = operation.address.key.size + operation.value.size;
        if (self->count == COMMIT_RECORDS || self->bytes + size > COMMIT_BYTES)
            TRY(commit(self));
        self->operations[self->count++] = operation;
        self->bytes += size;
    }
    return commit(self);
}

// records/<family>/…
static fallible
import_records(struct importing *self, const char *name, uint64_t size)
{
    owned(buffer_finish) struct buffer lines = {0};
    const char *family_name = name + strlen(records_prefix);
    enum family family = 0;
    for (; family < FAMILY_COUNT; family++) {
        size_t length = strlen(store_family_names[family]);
        if (strncmp(family_name, store_family_names[family], length) == 0 &&
            family_name[length] == '/')
            break;
    }
    if (family == FAMILY_COUNT)
        return damaged(self, name, "is of a newer version");
    TRY(read_whole(self, name, size, &lines));
    enum error error = import_lines(self, family, name, &lines);
    arena_finish(&self->arena);
    return error;
}

// --- files ---

static void
file_close(const int *file)
{
    if (*file >= 0)
        close(*file);
}

static fallible
write_all(int file, const char *path, const unsigned char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t written = write(file, data + done, size - done);
        if (written < 0 && errno != EINTR)
            return backup_file_failed("write", path);
        done += written > 0 ? (size_t)written : 0;
    }
    return OK;
}

// The folder of its own that gets the bytes of assets; NULL: the data.dir does.
static const char *
folder_apart(const struct importing *self)
{
    return self->engine && *self->engine->blobs ? self->engine->blobs : NULL;
}

// Where a file goes; the folders for it are made.
static fallible
path_for(const struct importing *self, const char *name, bool is_blob,
         char ret_path[BACKUP_PATH_SIZE])
{
    const char *apart = is_blob ? folder_apart(self) : NULL;
    TRY(apart ? archive_blob_path(apart, name, ret_path) : backup_path(self->to, name, ret_path));
    return apart ? backup_folders_make(apart, strchr(name, '/') + 1)
                 : backup_folders_make(self->to, name);
}

static fallible
import_file(struct importing *self, const char *name, const char *path,
            struct file_digest *ret_digest)
{
    owned(backup_release) unsigned char *chunk = memory_take(COPY_BYTES);
    owned(sha256_finish) struct sha256 sha256 = {NULL};
    owned(file_close) int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST)
        return damaged(self, name, "comes twice");
    if (file < 0)
        return backup_file_failed("make", path);
    sha256_begin(&sha256);
    for (size_t got = COPY_BYTES; got > 0;) {
        TRY(go_on(self));
        TRY(tar_reader_read(self->tar, chunk, COPY_BYTES, &got));
        sha256_add(&sha256, chunk, got);
        TRY(write_all(file, path, chunk, got));
        self->counts.bytes += got;
        self->check->bytes += got;
    }
    sha256_end(&sha256, ret_digest);
    self->counts.files++;
    return fsync(file) == 0 ? OK : backup_file_failed("sync", path);
}

static fallible
import_part(struct importing *self, const char *name)
{
    struct file_digest digest;
    struct blob_hash hash;
    char path[BACKUP_PATH_SIZE];
    const struct backup_part *part = backup_part_of(name);
    if (!part || strcmp(part->name, "store") == 0)
        return damaged(self, name, "does not belong there");
    TRY(path_for(self, name, part->is_by_hash, path));
    TRY(import_file(self, name, path, &digest));
    const char *last = strrchr(name, '/') + 1;
    if (part->is_by_hash && (!blob_hash_from_hex(last, strlen(last), &hash) ||
                             memcmp(hash.bytes, digest.bytes, sizeof hash.bytes) != 0))
        return damaged(self, name, "does not have its digest");
    self->counts.blobs += part->is_by_hash;
    if (part->is_by_hash && self->provider)
        TRY(archive_blob_move(self->provider, path, last));
    note_sum(self, &digest, name);
    return OK;
}

// --- the archive ---

static fallible
import_manifest(struct importing *self, const char *name, uint64_t size)
{
    owned(buffer_finish) struct buffer text = {0};
    const struct json *json;
    TRY(read_whole(self, name, size, &text));
    if (json_parse(&self->arena, text.data, text.size, &json) != OK)
        return damaged(self, name, "is no JSON");
    const struct json *form = json_find(json, "form");
    if (!form || form->type != JSON_INTEGER || form->integer < 1)
        return damaged(self, name, "has no form");
    if (form->integer > ARCHIVE_FORM_NOW)
        return fail(ERR_INVALID, "", "%s is of form %lld; this version reads forms up to %d",
                    self->file, (long long)form->integer, ARCHIVE_FORM_NOW);
    self->has_manifest = true;
    return OK;
}

// It must be what was noted of all files before it: none is missing, changed or too many.
static fallible
check_sums(struct importing *self, const char *name)
{
    owned(backup_release) unsigned char *chunk = memory_take(COPY_BYTES);
    unsigned char expected[FILE_DIGEST_BYTES], found[FILE_DIGEST_BYTES];
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    for (size_t got = COPY_BYTES; got > 0;) {
        TRY(tar_reader_read(self->tar, chunk, COPY_BYTES, &got));
        crypto_hash_sha256_update(&state, chunk, got);
    }
    crypto_hash_sha256_final(&state, found);
    crypto_hash_sha256_final(&self->sums, expected);
    if (memcmp(found, expected, sizeof found) != 0)
        return damaged(self, name, "is not of these files");
    self->is_complete = true;
    return OK;
}

static fallible
import_entry(struct importing *self, const char *name, uint64_t size)
{
    if (self->is_complete)
        return damaged(self, name, "comes behind the end");
    if (strcmp(name, archive_manifest_name) == 0 && !self->has_manifest)
        return import_manifest(self, name, size);
    if (!self->has_manifest)
        return damaged(self, name, "comes before the manifest");
    if (strcmp(name, digest_list_name) == 0)
        return check_sums(self, name);
    if (strncmp(name, records_prefix, strlen(records_prefix)) == 0)
        return import_records(self, name, size);
    return import_part(self, name);
}

// RocksDB does not wait for the disk here; closing it syncs its files.
static fallible
import_all(struct importing *self)
{
    const char *name;
    uint64_t size = 0;
    TRY(tar_reader_create(self->file, &self->tar));
    TRY(archive_engine_open(self->engine, self->to, false, &self->store));
    TRY(archive_blobs_open(self->engine, self->store, &self->provider));
    if (self->engine)
        TRY(format_write(self->store, FORMAT_UNFINISHED, 0));
    crypto_hash_sha256_init(&self->sums);
    for (;;) {
        TRY(tar_reader_next(self->tar, &name, &size));
        if (!name)
            break;
        TRY(import_entry(self, name, size));
    }
    return self->is_complete ? OK : damaged(self, digest_list_name, "is missing: it ends early");
}

static fallible
name_folder(const struct importing *self, const char *to)
{
    TRY(backup_tree_sync(self->to));
    if (rename(self->to, to) != 0 || !directory_sync_above(to))
        return backup_file_failed("name", to);
    return OK;
}

static fallible
complete(struct importing *self, const char *to)
{
    archive_engine_close(self->engine, &self->store);
    return name_folder(self, to);
}

// Whoever is killed between the two leaves a folder, and a store that each start refuses.
static fallible
complete_elsewhere(struct importing *self, const char *to)
{
    if (folder_apart(self))
        TRY(backup_tree_sync(folder_apart(self)));
    TRY(name_folder(self, to));
    TRY(self->engine->complete ? self->engine->complete(self->engine->context, self->store) : OK);
    return format_write(self->store, self->format, self->steps);
}

// It may be where another file system is mounted, so it is not made under another name first.
static fallible
prepare_apart(const char *folder)
{
    TRY(backup_target_check(folder));
    enum error error = backup_folder_make(folder);
    return error == ERR_CONFLICT ? OK : error;
}

fallible
archive_import(const char *file, const char *to, const struct archive_engine *engine,
               struct backup_check *check, struct archive_counts *ret_counts)
{
    owned(backup_release) struct importing *self = memory_take_zeroed(sizeof *self);
    int size = snprintf(self->to, sizeof self->to, "%s%s", to, partial);
    if (size < 0 || size >= BACKUP_PATH_SIZE)
        return fail(ERR_INVALID, "", "%s is too long a path", to);
    TRY(backup_target_check(to));
    owned(file_close) int lock = -1;
    TRY(backup_folder_claim(self->to, &lock));
    self->file = file;
    self->check = check;
    self->engine = engine;
    if (folder_apart(self))
        TRY(prepare_apart(folder_apart(self)));
    self->format = FORMAT_0_1; // of an archive that has no number
    enum error error = import_all(self);
    if (error == OK)
        error = engine ? complete_elsewhere(self, to) : complete(self, to);
    struct fault fault = *fault_last();
    importing_finish(self);
    *ret_counts = self->counts;
    if (error == OK)
        return OK;
    backup_tree_remove(self->to);
    if (folder_apart(self))
        backup_tree_remove(folder_apart(self));
    return fault_note_again(&fault);
}
