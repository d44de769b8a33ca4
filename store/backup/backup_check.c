// backup_check.c - reads the files of a backup against their digests (backup_check.h).
#include "store/backup/backup_check.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/directory.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/message/blob.h"
#include "store/backup/backup_folder.h"
#include "store/backup/digest_list.h"

static const char partial[] = ".partial";

static void
complain(struct backup_check *self, const char *path, const char *what)
{
    self->problems++;
    if (self->complain)
        self->complain(self->context, path, what);
}

// The list itself, against the root, before anything is believed of it.
static fallible
check_list(const char *path, struct backup_check *check)
{
    struct arena arena = {0};
    struct backup *backup;
    struct file_digest root;
    char list[BACKUP_PATH_SIZE], hex[DIGEST_HEX_SIZE];
    uint64_t size;
    enum error error = backup_read(path, &arena, &backup);
    if (error == OK)
        error = backup_path(path, digest_list_name, list);
    if (error == OK && backup_file_digest(list, &check->pace, &root, &size) != OK)
        error = fail(ERR_INVALID, "", "%s has no list of its files", path);
    if (error == OK) {
        file_digest_to_hex(&root, hex);
        if (!text_is(backup->root, hex))
            complain(check, digest_list_name, "is not the list that the backup was made with");
    }
    arena_finish(&arena);
    return error;
}

// Bytes of an asset are named by their digest: a list may not say otherwise.
static bool
is_named_so(const struct digest_line *line)
{
    struct blob_hash hash;
    const char *name = strrchr(line->path, '/') + 1;
    return !backup_part_of(line->path)->is_by_hash ||
           (blob_hash_from_hex(name, strlen(name), &hash) &&
            memcmp(hash.bytes, line->digest.bytes, sizeof hash.bytes) == 0);
}

// Reads one file; where `to` is not NULL it is copied there.
static fallible
check_file(const char *path, const char *to, const struct digest_line *line,
           struct backup_check *check)
{
    char from[BACKUP_PATH_SIZE];
    struct file_digest digest;
    uint64_t size = 0;
    TRY(backup_path(path, line->path, from));
    enum error error = to ? backup_file_copy(from, to, &check->pace, &digest, &size)
                          : backup_file_digest(from, &check->pace, &digest, &size);
    if (error == ERR_NOT_FOUND)
        complain(check, line->path, "is missing");
    else if (error == ERR_CONFLICT)
        complain(check, line->path, "stands in the list twice");
    else if (error != OK)
        return error;
    else if (memcmp(&digest, &line->digest, sizeof digest) != 0)
        complain(check, line->path, "is damaged");
    else if (!is_named_so(line))
        complain(check, line->path, "does not have the digest that it is named by");
    check->files++;
    check->bytes += size;
    return OK;
}

// Each file of the list; they are copied below `to` unless that is NULL.
static fallible
check_files(const char *path, const char *to, struct backup_check *check)
{
    owned(digest_reader_destroy) digest_reader_t *reader = NULL;
    owned(backup_release) struct digest_line *line = memory_take(sizeof *line);
    owned(backup_release) char *copy = to ? memory_take(BACKUP_PATH_SIZE) : NULL;
    bool is_end = false;
    TRY(digest_reader_create(path, &reader));
    for (;;) {
        TRY(digest_reader_next(reader, line, &is_end));
        if (is_end)
            return OK;
        if (to) {
            TRY(backup_folders_make(to, line->path));
            TRY(backup_path(to, line->path, copy));
        }
        TRY(check_file(path, copy, line, check));
    }
}

fallible
backup_verify(const char *path, struct backup_check *check)
{
    TRY(check_list(path, check));
    return check_files(path, NULL, check);
}

static int
is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

fallible
backup_target_check(const char *to)
{
    struct dirent **entries = NULL;
    int count = scandir(to, &entries, is_entry, NULL);
    bool is_absent = count < 0 && errno == ENOENT;
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    if (count > 0)
        return fail(ERR_CONFLICT, "", "%s is not empty; name a folder that does not exist", to);
    if (count < 0 && !is_absent)
        return fail(ERR_CONFLICT, "", "%s is no folder that can be read", to);
    return OK;
}

static fallible
copy_all(const char *path, const char *to, const char *fresh, struct backup_check *check)
{
    TRY(check_files(path, fresh, check));
    if (check->problems)
        return fail(ERR_INVALID, "", "%s is damaged; nothing was restored", path);
    TRY(check->complete ? check->complete(check->completed, fresh) : OK);
    TRY(backup_tree_sync(fresh));
    if (rename(fresh, to) != 0 || !directory_sync_above(to))
        return fail(ERR_UNAVAILABLE, "", "cannot name %s: %s", to, strerror(errno));
    return OK;
}

fallible
backup_restore(const char *path, const char *to, struct backup_check *check)
{
    char fresh[BACKUP_PATH_SIZE];
    int size = snprintf(fresh, sizeof fresh, "%s%s", to, partial);
    if (size < 0 || size >= BACKUP_PATH_SIZE)
        return fail(ERR_INVALID, "", "%s is too long a path", to);
    TRY(backup_target_check(to));
    TRY(check_list(path, check));
    if (check->problems)
        return fail(ERR_INVALID, "", "%s is damaged; nothing was restored", path);
    int lock;
    TRY(backup_folder_claim(fresh, &lock));
    enum error error = copy_all(path, to, fresh, check);
    struct fault fault = *fault_last();
    if (error != OK)
        backup_tree_remove(fresh);
    close(lock);
    return error == OK ? OK : fault_note_again(&fault);
}
