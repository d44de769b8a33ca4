// store_open.c - opens the store of a configuration: RocksDB, behind the reserve, behind the faults
// that a test asked for. The only file that knows which engines there are.
#include "store/store_open.h"

#include <errno.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/owned.h"
#include "store/fault.h"
#include "store/reserve.h"
#include "store/rocks.h"

// Makes the directories above the last part of `path`; what stands already is left alone.
static fallible
directories_create(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return fail(ERR_UNAVAILABLE, "",
                        "cannot create %s: %s; set data.dir to a place where this user may write",
                        path, strerror(errno));
        *slash = '/';
    }
    return OK;
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
    TRY(directories_create(path));
    owned(store_destroy) store_t *store = NULL;
    TRY(rocks_open(path, config->store_sync, config->store_recover, &store));
    if (config->store_reserve)
        reserve_wrap(&store, path, (uint64_t)config->store_reserve, reserve_measure, &store);
    if (config->store_fault && *config->store_fault)
        return fault_wrap(&store, config->store_fault, ret_store);
    *ret_store = store;
    store = NULL;
    return OK;
}
