// before_upgrade.c - a checkpoint of RocksDB, and hard links to the files of blobs, which never
// change. It is made under another name and renamed when all of it is on the disk
// (before_upgrade.h).
#define _GNU_SOURCE // nftw
#include "store/before_upgrade.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/directory.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "store/rocks_records.h"

enum { FOLDERS_OPEN = 16, BLOB_LEVELS = 2, PATH_BYTES = 1024 };

static const char kept_name[] = "before-0.2";
static const char fresh_name[] = "before-0.2.new"; // while it is made
static const char older_name[] = "before-0.2.old"; // while it is replaced

static fallible
refuse(const char *path, const char *why)
{
    log_error("upgrade_refused", "path=%s reason=%s", path, why);
    return fail(ERR_UNAVAILABLE, "",
                "cannot keep the data of the older version at %s: %s; nothing was changed; make "
                "room or give this user permission, then start again",
                path, why);
}

static fallible
join(char *ret_path, const char *folder, const char *name)
{
    int size = snprintf(ret_path, PATH_BYTES, "%s/%s", folder, name);
    return size > 0 && size < PATH_BYTES ? OK : refuse(folder, "its path is too long");
}

static int
remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static fallible
remove_folder(const char *path)
{
    bool is_gone = nftw(path, remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0;
    return is_gone || errno == ENOENT ? OK : refuse(path, strerror(errno));
}

static fallible
make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 ? OK : refuse(path, strerror(errno));
}

static void
folder_close(DIR **folder)
{
    if (*folder)
        closedir(*folder);
}

static bool
is_a_place(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// A folder `to` like `from`, with links to its files; `levels` of folders. What is being written
// (blobs/tmp) comes along and is swept by whoever serves it.
static fallible
link_folder(const char *from, const char *to, int levels)
{
    owned(folder_close) DIR *folder = opendir(from);
    if (!folder && errno == ENOENT)
        return OK;
    if (!folder)
        return refuse(from, strerror(errno));
    TRY(make_folder(to));
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char source[PATH_BYTES], target[PATH_BYTES];
        struct stat status;
        if (is_a_place(entry->d_name))
            continue;
        TRY(join(source, from, entry->d_name));
        TRY(join(target, to, entry->d_name));
        if (lstat(source, &status) != 0)
            return refuse(source, strerror(errno));
        if (S_ISDIR(status.st_mode) && levels > 1)
            TRY(link_folder(source, target, levels - 1));
        else if (S_ISREG(status.st_mode) && link(source, target) != 0)
            return refuse(target, strerror(errno));
    }
    return directory_sync(to) ? OK : refuse(to, strerror(errno));
}

static fallible
copy_store(const char *store, enum rocks_mode mode, const char *to)
{
    struct rocks_database database = {0};
    TRY(rocks_database_open_older(store, mode, &database));
    enum store_result result = records_checkpoint(&database, to);
    rocks_database_close(&database);
    return result == STORE_OK
               ? OK
               : refuse(to, result == STORE_FULL ? "the disk is full" : "see the log");
}

// All of it, on the disk, under its first name.
static fallible
make(const char *data, const char *store, enum rocks_mode mode, const char *fresh)
{
    char path[PATH_BYTES], blobs[PATH_BYTES];
    TRY(remove_folder(fresh)); // of a start that was killed
    TRY(make_folder(fresh));
    TRY(join(path, fresh, "store"));
    TRY(copy_store(store, mode, path));
    if (!directory_sync(path))
        return refuse(path, strerror(errno));
    TRY(join(path, fresh, "blobs"));
    TRY(join(blobs, data, "blobs"));
    TRY(link_folder(blobs, path, BLOB_LEVELS));
    return directory_sync(fresh) ? OK : refuse(fresh, strerror(errno));
}

// Gives it its name. An earlier one stands aside until then, so that there is always one.
static fallible
put_in_place(const char *data, const char *fresh)
{
    char kept[PATH_BYTES], older[PATH_BYTES];
    TRY(join(kept, data, kept_name));
    TRY(join(older, data, older_name));
    TRY(remove_folder(older));
    if (rename(kept, older) != 0 && errno != ENOENT)
        return refuse(kept, strerror(errno));
    if (rename(fresh, kept) != 0 || !directory_sync(data))
        return refuse(kept, strerror(errno));
    TRY(remove_folder(older));
    log_info("upgrade_kept", "path=%s", kept);
    return OK;
}

fallible
before_upgrade_keep(const char *data, const char *store, enum rocks_mode mode)
{
    char fresh[PATH_BYTES];
    if (!rocks_database_is_older(store))
        return OK;
    TRY(join(fresh, data, fresh_name));
    log_info("upgrade_begins", "path=%s", store);
    TRY(make(data, store, mode, fresh));
    return put_in_place(data, fresh);
}
