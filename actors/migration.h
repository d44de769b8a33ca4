// migration.h - brings what an older version stored to the format of this one (store/format.h),
// before any actor starts. What it was is kept first (store/before_upgrade.h).
#ifndef DIORAMA_ACTORS_MIGRATION_H
#define DIORAMA_ACTORS_MIGRATION_H

#include "store/store.h"

// Does the steps that are not done yet; after a kill at any moment the next start goes on. Each
// step is a line of the log, and so is each 100,000th record. Nobody else uses the store. A record
// that is damaged is logged, and ends no step. Fails with ERR_CONFLICT where a newer version wrote
// the store, with ERR_INTERNAL where its format or an index is damaged, and as store_error.
fallible migration_run(store_t *store);

#endif
