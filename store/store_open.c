// store_open.c - opens the store of a configuration: RocksDB, behind the reserve, or PostgreSQL,
// and either behind the faults that a test asks for. Only this file knows which engines there are.
#include "store/store_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/directory.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "store/fault.h"
#include "store/postgres/postgres.h"
#include "store/reserve.h"
#include "store/rocks.h"

// Makes the folder `path`; an existing one is left alone. Its name is durable then, also where a
// process that was killed made it; what others made, and this user may not sync, is theirs.
static fallible
directory_create(const char *path, bool is_synced)
{
    bool is_made = mkdir(path, 0700) == 0;
    bool is_there = is_made || errno == EEXIST;
    bool is_durable = is_there && (!is_synced || directory_sync_above(path) || !is_made);
    if (!is_durable)
        return fail(ERR_UNAVAILABLE, "",
                    "cannot create %s: %s; set data.dir to a place where this user may write", path,
                    strerror(errno));
    return OK;
}

// Makes the folders that `path` names.
static fallible
directories_create(char *path, bool is_synced)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        TRY(directory_create(path, is_synced));
        *slash = '/';
    }
    return directory_create(path, is_synced);
}

// Records, hashes of passwords and files are nobody else's to read. What an older server or an
// operator left open to others is closed; a folder of another user is not ours to close.
static fallible
directory_claim(const char *path)
{
    struct stat status;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0 || fstat(directory, &status) != 0) {
        int reason = errno;
        if (directory >= 0)
            close(directory);
        return fail(ERR_UNAVAILABLE, "", "cannot open %s: %s", path, strerror(reason));
    }
    bool is_ours = status.st_uid == geteuid();
    bool is_open = (status.st_mode & 077) != 0;
    bool is_closed = is_ours && is_open && fchmod(directory, status.st_mode & 0700) == 0;
    close(directory);
    if (!is_ours)
        return fail(ERR_UNAVAILABLE, "",
                    "%s belongs to another user (%u); give it to this one (%u), or set another "
                    "data.dir",
                    path, (unsigned)status.st_uid, (unsigned)geteuid());
    if (is_open)
        log_warning(is_closed ? "data_closed" : "data_open", "path=%s mode=%o", path,
                    (unsigned)status.st_mode & 0777);
    return OK;
}

static fallible
open_rocks(const struct config *config, char *path, store_t **ret_store)
{
    TRY(directories_create(path, config->store_sync));
    TRY(directory_claim(config->data_dir));
    bool keeps_changes = (config->backup_log && *config->backup_log) ||
                         (config->replica_endpoint && *config->replica_endpoint);
    TRY(rocks_open_in(config->data_dir, path, config->store_sync, config->store_recover,
                      keeps_changes, ret_store));
    if (config->store_reserve)
        reserve_wrap_watched(ret_store, path, (uint64_t)config->store_reserve, reserve_measure,
                             ret_store);
    return OK;
}

// Records that are here stay here: a server that did not see them would remove the bytes of their
// assets.
static fallible
check_free_of_rocks(const char *path)
{
    char current[PATH_MAX];
    int size = snprintf(current, sizeof current, "%s/CURRENT", path);
    if (size < 0 || (size_t)size >= sizeof current || access(current, F_OK) != 0)
        return OK;
    return fail(ERR_CONFLICT, "",
                "%s has the records of a server without a database, and store.uri moves nothing: "
                "bring them in first (diorama export, diorama import), or name another data.dir",
                path);
}

// Blobs, keys and the audit log are in data.dir there too. The lock is where RocksDB has it, so
// that no two servers share the folder, whatever each has its records in.
static fallible
open_postgres(const struct config *config, char *path, store_t **ret_store)
{
    TRY(check_free_of_rocks(path));
    TRY(directories_create(path, config->store_sync));
    TRY(directory_claim(config->data_dir));
    return postgres_open(path, config->store_uri, config->store_allow_async, ret_store);
}

fallible
store_open(const struct config *config, store_t **ret_store)
{
    if (sodium_init() < 0)
        return fail(ERR_INTERNAL, "", "the system gives no random numbers");
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/store", config->data_dir);
    if (size < 0 || (size_t)size >= sizeof path)
        return fail(ERR_UNAVAILABLE, "", "data.dir is too long a path");
    bool is_remote = config->store_uri && *config->store_uri;
    owned(store_destroy) store_t *store = NULL;
    TRY((is_remote ? open_postgres : open_rocks)(config, path, &store));
    if (config->store_fault && *config->store_fault)
        return fault_wrap(&store, config->store_fault, ret_store);
    *ret_store = store;
    store = NULL;
    return OK;
}

fallible
store_position_in(const char *folder, uint64_t *ret_position)
{
    return rocks_position_in(folder, ret_position);
}
