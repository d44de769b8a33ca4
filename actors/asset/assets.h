// assets.h - stored files, their versions and histories.
#ifndef DIORAMA_ACTORS_ASSET_ASSETS_H
#define DIORAMA_ACTORS_ASSET_ASSETS_H

#include "actors/repository/resource.h"

extern const struct resource asset_resource;

actor_handler asset_update; // a new version
actor_handler history_get;

// A change of an asset is durable (repository_kind.committed): the bytes of the record before may
// go.
void assets_committed(struct repository *self, const frozen_t *before, const frozen_t *after);

#endif
