// relationships.h - what assets are related to.
#ifndef DIORAMA_ACTORS_ASSET_RELATIONSHIPS_H
#define DIORAMA_ACTORS_ASSET_RELATIONSHIPS_H

#include "actors/repository/resource.h"
#include "proto/records/relationship.h"

extern const struct resource relationship_resource;

actor_handler relationship_put;
actor_handler relationship_list;
actor_handler relationship_delete;
actor_handler relationship_bulk;

#endif
