// asset_restore.h - an old version of an asset becomes the current one again.
#ifndef DIORAMA_ACTORS_ASSET_ASSET_RESTORE_H
#define DIORAMA_ACTORS_ASSET_ASSET_RESTORE_H

#include "actors/runtime/actor.h"

// The version that the request names (struct restoration) follows the current one, which the path
// names, as a new version. Fails with ERR_CONFLICT if another version is the current one or there
// are too many, with ERR_INVALID if it is no older version of this asset.
actor_handler asset_restore;

#endif
