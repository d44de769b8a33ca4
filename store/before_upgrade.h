// before_upgrade.h - the data of an older version as they were, kept before this version changes
// them: a folder that the older version can serve. Nobody else has the store open.
#ifndef DIORAMA_STORE_BEFORE_UPGRADE_H
#define DIORAMA_STORE_BEFORE_UPGRADE_H

#include "store/rocks_database.h"

// Where the closed database in `store` (the folder store of `data`) was written by version 0.1:
// makes `<data>/before-0.2`, with the store and with links to the bytes of assets, all synced. An
// earlier one, of a start that was killed before it changed anything, is replaced. Does nothing
// where there is no database, or this version has written it. Fails with ERR_UNAVAILABLE and a
// detail that says what to do; then nothing has changed.
fallible before_upgrade_keep(const char *data, const char *store, enum rocks_mode mode);

#endif
