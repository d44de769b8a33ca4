// archive_engine.c - see archive_engine.h.
#include "store/backup/archive_engine.h"

#include "proto/message/partition.h"
#include "store/fence.h"
#include "store/store_open.h"

fallible
archive_engine_open(const struct archive_engine *self, const char *data_dir, bool is_synced,
                    store_t **ret_store)
{
    const struct config config = {.data_dir = data_dir, .store_sync = is_synced};
    return self ? self->open(self->context, data_dir, ret_store) : store_open(&config, ret_store);
}

void
archive_engine_close(const struct archive_engine *self, store_t **store)
{
    if (self)
        self->close(self->context, store);
    else
        store_destroy(store);
}

struct look {
    enum family family;
    uint16_t part;
    bool is_empty;
};

static bool
look_at(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct look *self = context;
    (void)version;
    (void)value;
    self->is_empty = fence_is_own(self->family, self->part, key);
    return self->is_empty;
}

fallible
archive_engine_check_empty(store_t *store)
{
    static const struct bytes all = {NULL, 0};
    struct look look = {.is_empty = true};
    for (unsigned i = 0; i < FAMILY_COUNT * PARTITION_COUNT && look.is_empty; i++) {
        look.family = (enum family)(i / PARTITION_COUNT);
        look.part = (uint16_t)(i % PARTITION_COUNT);
        TRY(store_error(
            store_scan(store, look.family, look.part, all, all, false, 0, 0, look_at, &look)));
    }
    return look.is_empty ? OK : fail(ERR_CONFLICT, "", "the store is not empty; name an empty one");
}
