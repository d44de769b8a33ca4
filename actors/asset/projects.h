// projects.h - projects and collections of assets.
#ifndef DIORAMA_ACTORS_ASSET_PROJECTS_H
#define DIORAMA_ACTORS_ASSET_PROJECTS_H

#include "actors/repository/resource.h"

extern const struct resource project_resource;
extern const struct resource collection_resource;

#endif
