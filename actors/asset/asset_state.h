// asset_state.h - the state of the asset actor.
#ifndef DIORAMA_ACTORS_ASSET_ASSET_STATE_H
#define DIORAMA_ACTORS_ASSET_ASSET_STATE_H

#include "actors/asset/asset_actor.h"
#include "actors/asset/asset_family.h"
#include "actors/asset/scene_lookup.h"
#include "actors/repository/repository.h"

struct resource;

// The kinds of records that it keeps, by their place in the repository.
enum asset_kind { PROJECTS, COLLECTIONS, RELATIONSHIPS, ASSETS, HISTORIES, ASSET_KINDS };

struct asset_actor {
    struct repository repository;
    blobs_t *blobs;                        // the bytes of assets; borrowed
    struct scene_lookups lookups;          // what scene actors were asked
    const struct resource *const *related; // what relationships may lead to; NULL ends the list
};

static inline struct asset_actor *
asset_actor_of(struct repository *repository)
{
    return (struct asset_actor *)(void *)repository;
}

#endif
