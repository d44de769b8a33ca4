// log_retention.h - how long the store keeps commits (store_changes): the one place that releases
// them, for the log of backups and for followers alike.
#ifndef DIORAMA_ACTORS_RUNTIME_LOG_RETENTION_H
#define DIORAMA_ACTORS_RUNTIME_LOG_RETENTION_H

#include "proto/config/config.h"
#include "store/store.h"

#define LOG_NOT_SHIPPED UINT64_MAX // where there is no backup.log, nobody else needs them

// Releases what nobody needs: up to `shipped`, the position that backup.log has, commits stay for
// followers only, as far as replica.keep goes; behind it up to 1 GiB of them stay. Where the disk
// of the data has less than twice store.reserve left, none stay, which it returns. With backup.log
// only the thread of that calls it, else only the one that serves followers.
bool log_retention_release(const struct config *config, store_t *store, uint64_t shipped);

#endif
