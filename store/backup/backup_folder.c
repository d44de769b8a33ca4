// backup_folder.c - names, order and life of backups (backup_folder.h).
#include "store/backup/backup_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/buffer.h"
#include "proto/base/directory.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/codec/record_json.h"

enum { SECOND_US = 1000000, MS_US = 1000, ABOUT_BYTES = 64 << 10 };

static const char partial[] = ".partial";
static const char about_name[] = "backup.json";

void
backup_name(uint64_t time_us, char ret_name[BACKUP_NAME_SIZE])
{
    time_t seconds = (time_t)(time_us / SECOND_US);
    struct tm day;
    char text[BACKUP_NAME_SIZE];
    gmtime_r(&seconds, &day);
    strftime(text, sizeof text, "%Y-%m-%dT%H-%M-%S", &day);
    snprintf(ret_name, BACKUP_NAME_SIZE, "%.19s.%03uZ", text,
             (unsigned)(time_us % SECOND_US / MS_US));
}

static bool
is_name(const char *name)
{
    static const char form[] = "dddd-dd-ddTdd-dd-dd.dddZ";
    for (size_t i = 0; i < sizeof form; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)name[i]) : name[i] != form[i])
            return false;
    return true;
}

static bool
is_partial(const char *name)
{
    size_t size = strlen(name), end = strlen(partial);
    return size > end && strcmp(name + size - end, partial) == 0;
}

static int
select_backups(const struct dirent *entry)
{
    return is_name(entry->d_name);
}

static int
select_partial(const struct dirent *entry)
{
    return is_partial(entry->d_name);
}

static int
newest_first(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*b)->d_name, (*a)->d_name);
}

// The entries that are selected, newest first; entries_free ends them.
static fallible
read_entries(const char *dir, int (*is_selected)(const struct dirent *),
             struct dirent ***ret_entries, size_t *ret_count)
{
    int count = scandir(dir, ret_entries, is_selected, newest_first);
    if (count < 0)
        return fail(ERR_UNAVAILABLE, "", "cannot read %s: %s", dir, strerror(errno));
    *ret_count = (size_t)count;
    return OK;
}

static void
entries_free(struct dirent **entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

static fallible
remove_partial(const char *dir)
{
    struct dirent **entries;
    size_t count;
    char path[BACKUP_PATH_SIZE];
    TRY(read_entries(dir, select_partial, &entries, &count));
    for (size_t i = 0; i < count; i++)
        if (backup_path(dir, entries[i]->d_name, path) == OK)
            backup_tree_remove(path);
    entries_free(entries, count);
    return OK;
}

fallible
backup_folder_open(const char *dir)
{
    enum error error = backup_folder_make(dir);
    if (error != OK && error != ERR_CONFLICT)
        return error;
    if (access(dir, W_OK | X_OK) != 0)
        return fail(ERR_UNAVAILABLE, "", "cannot write into %s: %s", dir, strerror(errno));
    return remove_partial(dir);
}

fallible
backup_folder_names(const char *dir, struct arena *arena, const struct texts **ret_names)
{
    struct dirent **entries;
    size_t count;
    TRY(read_entries(dir, select_backups, &entries, &count));
    struct texts *names = arena_alloc(arena, sizeof *names + count * sizeof *names->items);
    for (; names->count < count; names->count++)
        names->items[names->count] = text_from(arena, entries[names->count]->d_name);
    entries_free(entries, count);
    *ret_names = names;
    return OK;
}

static fallible
partial_path(const char *dir, const char *name, char ret_path[BACKUP_PATH_SIZE])
{
    char full[BACKUP_NAME_SIZE + sizeof partial];
    snprintf(full, sizeof full, "%s%s", name, partial);
    return backup_path(dir, full, ret_path);
}

// The calendar may have stepped back: the name is the next one that is free.
fallible
backup_folder_begin(const char *dir, uint64_t time_us, char ret_name[BACKUP_NAME_SIZE],
                    char ret_path[BACKUP_PATH_SIZE])
{
    char path[BACKUP_PATH_SIZE];
    do {
        backup_name(time_us, ret_name);
        TRY(backup_path(dir, ret_name, path));
        time_us += MS_US;
    } while (access(path, F_OK) == 0);
    TRY(partial_path(dir, ret_name, ret_path));
    return backup_folder_make(ret_path);
}

fallible
backup_folder_finish(const char *dir, const char *name)
{
    char from[BACKUP_PATH_SIZE], to[BACKUP_PATH_SIZE];
    TRY(partial_path(dir, name, from));
    TRY(backup_path(dir, name, to));
    TRY(backup_tree_sync(from));
    if (rename(from, to) != 0 || !directory_sync(dir))
        return fail(ERR_UNAVAILABLE, "", "cannot name %s: %s", to, strerror(errno));
    return OK;
}

// It loses its name first: a kill leaves no half of a backup under the name of a whole one.
static fallible
remove_backup(const char *dir, const char *name)
{
    char from[BACKUP_PATH_SIZE], to[BACKUP_PATH_SIZE];
    TRY(backup_path(dir, name, from));
    TRY(partial_path(dir, name, to));
    if (rename(from, to) != 0)
        return fail(ERR_UNAVAILABLE, "", "cannot remove %s: %s", from, strerror(errno));
    backup_tree_remove(to);
    return OK;
}

fallible
backup_folder_prune(const char *dir, size_t keep)
{
    struct arena arena = {0};
    const struct texts *names;
    enum error error = backup_folder_names(dir, &arena, &names);
    for (size_t i = keep; error == OK && i < names->count; i++) {
        if (remove_backup(dir, text_chars(names->items[i])) == OK)
            log_info("backup_removed", "key=%s", text_chars(names->items[i]));
        else
            log_warning("backup_left", "detail=%s", fault_last()->detail);
    }
    arena_finish(&arena);
    return error;
}

void
backup_lineage(const char *data_dir, char ret_lineage[BACKUP_LINEAGE_SIZE])
{
    enum { MOST = 256 };
    char path[BACKUP_PATH_SIZE];
    owned(backup_release) char *name = NULL;
    size_t size;
    ret_lineage[0] = '\0';
    if (backup_path(data_dir, "store/IDENTITY", path) == OK &&
        backup_file_read(path, MOST, &name, &size) == OK)
        snprintf(ret_lineage, BACKUP_LINEAGE_SIZE, "%.*s", (int)strcspn(name, "\n"), name);
}

fallible
backup_read(const char *path, struct arena *arena, struct backup **ret_backup)
{
    char name[BACKUP_PATH_SIZE];
    owned(backup_release) char *text = NULL;
    size_t size;
    const struct json *json;
    struct record *record;
    TRY(backup_path(path, about_name, name));
    if (backup_file_read(name, ABOUT_BYTES, &text, &size) != OK ||
        json_parse(arena, text, size, &json) != OK ||
        record_from_json(arena, &backup_schema, json, "", &record) != OK)
        return fail(ERR_INVALID, "", "%s is no backup: its %s is missing or damaged", path,
                    about_name);
    struct backup *backup = (struct backup *)(void *)record_copy(arena, &backup_schema, record);
    if (backup->format < 1 || backup->format > BACKUP_FORMAT_NOW)
        return fail(ERR_INVALID, "", "%s is of form %lld; this version reads forms up to %d", path,
                    (long long)backup->format, BACKUP_FORMAT_NOW);
    *ret_backup = backup;
    return OK;
}

fallible
backup_write(const char *path, const struct backup *backup)
{
    char name[BACKUP_PATH_SIZE];
    owned(buffer_finish) struct buffer text = {0};
    TRY(backup_path(path, about_name, name));
    record_to_json(&backup->base, NULL, &text);
    buffer_put_char(&text, '\n');
    return backup_file_write(name, text.data, text.size);
}
