// backup_make.c - takes the files of a data.dir into a backup (backup_make.h).
#include "store/backup/backup_make.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/backup/backup_folder.h"
#include "store/backup/digest_list.h"
#include "store/backup/known_tables.h"

enum { MS_US = 1000 };

static const char checkpoint_name[] = "backup.checkpoint";

struct maker {
    const struct backup_settings *settings;
    struct backup *backup;
    char from[BACKUP_PATH_SIZE];     // the part that is taken
    char to[BACKUP_PATH_SIZE];       // the folder of the backup
    char previous[BACKUP_PATH_SIZE]; // that of the newest one before; "" = none
    known_tables_t *known;           // tables that it has, by name
    digest_writer_t *list;
};

// One file on its way.
struct taking {
    const struct backup_part *part;
    char path[BACKUP_PATH_SIZE]; // from the folder of the backup
    char from[BACKUP_PATH_SIZE], to[BACKUP_PATH_SIZE];
    struct file_digest digest;
    bool is_known; // the digest
    uint64_t size;
};

static bool
digest_from_name(const char *name, struct file_digest *ret_digest)
{
    struct blob_hash hash;
    if (!blob_hash_from_hex(name, strlen(name), &hash))
        return false;
    _Static_assert(sizeof hash.bytes == sizeof ret_digest->bytes, "both are SHA-256");
    memcpy(ret_digest->bytes, hash.bytes, sizeof hash.bytes);
    return true;
}

// The same file of the backup before has the same bytes where its digest is known.
static fallible
link_previous(const struct maker *self, const struct taking *file, bool *ret_is_linked)
{
    char from[BACKUP_PATH_SIZE];
    *ret_is_linked = false;
    if (!self->previous[0] || !file->is_known)
        return OK;
    TRY(backup_path(self->previous, file->path, from));
    enum error error = backup_file_link(from, file->to, ret_is_linked);
    return error == ERR_NOT_FOUND ? OK : error;
}

// Damaged bytes of an asset are of no use to anybody, and must not prevent every backup.
static fallible
leave_out(struct maker *self, const struct taking *file)
{
    log_error("backup_blob_damaged", "path=%s", file->from);
    self->backup->damaged++;
    return unlink(file->to) == 0
               ? OK
               : fail(ERR_UNAVAILABLE, "", "cannot remove %s: %s", file->to, strerror(errno));
}

static fallible
copy(struct maker *self, struct taking *file, bool *ret_is_whole)
{
    struct file_digest digest;
    TRY(backup_file_copy(file->from, file->to, &self->settings->pace, &digest, &file->size));
    *ret_is_whole = !file->part->is_by_hash || memcmp(&digest, &file->digest, sizeof digest) == 0;
    file->digest = digest;
    file->is_known = true;
    if (!*ret_is_whole)
        return leave_out(self, file);
    self->backup->copied += (int64_t)file->size;
    return OK;
}

// Links the file or copies it, and digests it unless that is known.
static fallible
bring(struct maker *self, struct taking *file, bool *ret_is_whole)
{
    bool is_linked = false;
    *ret_is_whole = true;
    if (file->part->is_shared)
        TRY(backup_file_link(file->from, file->to, &is_linked));
    if (!is_linked)
        TRY(link_previous(self, file, &is_linked));
    if (!is_linked)
        return copy(self, file, ret_is_whole);
    if (!file->is_known)
        return backup_file_digest(file->to, &self->settings->pace, &file->digest, &file->size);
    return OK;
}

static fallible
take_file(struct maker *self, struct taking *file, const char *name, const struct stat *status)
{
    bool is_whole;
    if (file->part->is_by_hash && !digest_from_name(name, &file->digest))
        return OK;
    file->size = (uint64_t)status->st_size;
    file->is_known = file->part->is_by_hash ||
                     known_tables_find(self->known, file->path, file->size, &file->digest);
    TRY(self->settings->pace.go_on ? self->settings->pace.go_on(self->settings->pace.context) : OK);
    enum error error = bring(self, file, &is_whole);
    if (error == ERR_NOT_FOUND && file->part->may_go)
        return OK;
    if (error != OK || !is_whole)
        return error;
    self->backup->files++;
    self->backup->bytes += (int64_t)file->size;
    return digest_writer_add(self->list, &file->digest, file->path);
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int
is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static fallible take_folder(struct maker *self, const struct backup_part *part, const char *path);

static fallible
take_entry(struct maker *self, const struct backup_part *part, const char *folder, const char *name)
{
    struct stat status;
    owned(backup_release) struct taking *file = memory_take_zeroed(sizeof *file);
    file->part = part;
    TRY(backup_path(folder, name, file->path));
    TRY(backup_path(self->from, file->path + strlen(part->name) + 1, file->from));
    TRY(backup_path(self->to, file->path, file->to));
    if (lstat(file->from, &status) != 0)
        return part->may_go ? OK : fail(ERR_UNAVAILABLE, "", "%s is gone", file->from);
    if (S_ISDIR(status.st_mode))
        return take_folder(self, part, file->path);
    return S_ISREG(status.st_mode) ? take_file(self, file, name, &status) : OK;
}

// `path` begins with the name of the part, under which the folder is in the backup.
static fallible
take_folder(struct maker *self, const struct backup_part *part, const char *path)
{
    char folder[BACKUP_PATH_SIZE];
    struct dirent **entries = NULL;
    TRY(backup_path(self->from, path + strlen(part->name), folder));
    int count = scandir(folder, &entries, is_visible, by_name);
    if (count < 0)
        return errno == ENOENT
                   ? OK
                   : fail(ERR_UNAVAILABLE, "", "cannot read %s: %s", folder, strerror(errno));
    enum error error = backup_path(self->to, path, folder);
    if (error == OK)
        error = backup_folder_make(folder);
    for (int i = 0; i < count; i++) {
        if (error == OK)
            error = take_entry(self, part, path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return error;
}

static fallible
take_parts(struct maker *self, const char *checkpoint)
{
    for (const struct backup_part *part = backup_parts; part->name; part++) {
        bool is_store = strcmp(part->name, "store") == 0;
        if (is_store)
            TRY(backup_path(checkpoint, "", self->from));
        else
            TRY(backup_path(self->settings->data_dir, part->name, self->from));
        TRY(take_folder(self, part, part->name));
    }
    return OK;
}

// The newest backup, and which tables of it are those of this store.
static fallible
find_previous(struct maker *self, struct arena *arena)
{
    const struct texts *names;
    struct backup *newest;
    TRY(backup_folder_names(self->settings->dir, arena, &names));
    if (names->count == 0)
        return OK;
    TRY(backup_path(self->settings->dir, text_chars(names->items[0]), self->previous));
    if (backup_read(self->previous, arena, &newest) != OK)
        self->previous[0] = '\0'; // it is damaged: this one shares nothing with it
    else if (text_size(newest->lineage) && text_equal(newest->lineage, self->backup->lineage))
        return known_tables_read(self->previous, &self->known);
    return OK;
}

// What was committed before it began is in it for certain, and nothing that came after its end.
static fallible
take_checkpoint(struct maker *self, struct arena *arena, const char *checkpoint)
{
    const struct backup_settings *settings = self->settings;
    uint64_t position;
    TRY(store_error(store_position(settings->store, &position)));
    TRY(store_error(store_checkpoint(settings->store, checkpoint)));
    self->backup->position = (int64_t)position;
    self->backup->reached_us = (int64_t)clock_calendar_us();
    self->backup->base.present |= FIELD_BIT(BACKUP_POSITION) | FIELD_BIT(BACKUP_REACHED);
    if (settings->chain && *settings->chain) {
        self->backup->chain = text_from(arena, settings->chain);
        self->backup->base.present |= FIELD_BIT(BACKUP_CHAIN);
    }
    return OK;
}

static fallible
make(struct maker *self, struct arena *arena, const char *checkpoint)
{
    struct file_digest root;
    char hex[DIGEST_HEX_SIZE];
    TRY(find_previous(self, arena));
    TRY(take_checkpoint(self, arena, checkpoint));
    TRY(digest_writer_create(self->to, &self->list));
    TRY(take_parts(self, checkpoint));
    TRY(digest_writer_finish(&self->list, &root));
    file_digest_to_hex(&root, hex);
    self->backup->root = text_from(arena, hex);
    self->backup->state = text_from(arena, "done");
    self->backup->took_ms =
        (int64_t)(clock_calendar_us() / MS_US) - self->backup->created_us / MS_US;
    self->backup->base.present |= FIELD_BIT(BACKUP_FILES) | FIELD_BIT(BACKUP_BYTES) |
                                  FIELD_BIT(BACKUP_COPIED) | FIELD_BIT(BACKUP_DAMAGED) |
                                  FIELD_BIT(BACKUP_ROOT) | FIELD_BIT(BACKUP_TOOK);
    return backup_write(self->to, self->backup);
}

struct backup *
backup_begin(const struct backup_settings *settings, struct arena *arena, uint64_t time_us)
{
    struct backup *self = (struct backup *)(void *)record_new(arena, &backup_schema);
    char name[BACKUP_NAME_SIZE];
    backup_name(time_us, name);
    self->key = text_from(arena, name);
    self->state = text_from(arena, "running");
    self->created_us = (int64_t)time_us;
    self->format = BACKUP_FORMAT_NOW;
    self->version = text_from(arena, settings->version);
    self->epoch = (int64_t)settings->epoch;
    self->base.present = FIELD_BIT(BACKUP_KEY) | FIELD_BIT(BACKUP_STATE) |
                         FIELD_BIT(BACKUP_CREATED) | FIELD_BIT(BACKUP_FORMAT) |
                         FIELD_BIT(BACKUP_VERSION) | FIELD_BIT(BACKUP_EPOCH);
    return self;
}

static fallible
make_and_name(struct maker *self, struct arena *arena, const char *checkpoint)
{
    const struct backup_settings *settings = self->settings;
    char name[BACKUP_NAME_SIZE];
    char lineage[BACKUP_LINEAGE_SIZE];
    backup_lineage(settings->data_dir, lineage);
    self->backup->lineage = text_from(arena, lineage);
    self->backup->base.present |= FIELD_BIT(BACKUP_LINEAGE);
    TRY(backup_folder_open(settings->dir));
    TRY(backup_folder_begin(settings->dir, (uint64_t)self->backup->created_us, name, self->to));
    self->backup->key = text_from(arena, name);
    blobs_hold(settings->blobs);
    enum error error = make(self, arena, checkpoint);
    blobs_release(settings->blobs);
    if (error == OK)
        error = backup_folder_finish(settings->dir, name);
    if (error != OK)
        backup_tree_remove(self->to);
    return error;
}

fallible
backup_make(const struct backup_settings *settings, struct arena *arena, struct backup *backup)
{
    char checkpoint[BACKUP_PATH_SIZE];
    TRY(backup_path(settings->data_dir, checkpoint_name, checkpoint));
    backup_tree_remove(checkpoint);
    owned(backup_release) struct maker *self = memory_take_zeroed(sizeof *self);
    self->settings = settings;
    self->backup = backup;
    enum error error = make_and_name(self, arena, checkpoint);
    struct fault fault = *fault_last();
    digest_writer_destroy(&self->list);
    known_tables_destroy(&self->known);
    backup_tree_remove(checkpoint);
    return error == OK ? OK : fault_note_again(&fault);
}

void
backup_clear(const char *data_dir)
{
    char checkpoint[BACKUP_PATH_SIZE];
    if (backup_path(data_dir, checkpoint_name, checkpoint) == OK)
        backup_tree_remove(checkpoint);
}
