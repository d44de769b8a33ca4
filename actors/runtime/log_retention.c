// log_retention.c - see log_retention.h.
#include "actors/runtime/log_retention.h"

#include "store/reserve.h"

enum { RESERVES_KEPT = 2 }; // commits that are kept must not make records read-only

static const uint64_t waiting_bytes = 1 << 30; // of commits that wait for the folder of backup.log

bool
log_retention_release(const struct config *config, store_t *store, uint64_t shipped)
{
    uint64_t left, reserve = (uint64_t)config->store_reserve * RESERVES_KEPT;
    bool is_short = reserve_measure(config->data_dir, &left) && left < reserve;
    bool has_followers = config->replica_endpoint && *config->replica_endpoint;
    uint64_t kept = has_followers && !is_short ? (uint64_t)config->replica_keep : 0;
    uint64_t most = is_short ? 0 : waiting_bytes > kept ? waiting_bytes : kept;
    store_release(store, shipped, kept, most);
    return is_short;
}
