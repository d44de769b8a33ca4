// projects.h - projects and collections of assets.
#ifndef DIORAMA_ACTORS_ASSET_PROJECTS_H
#define DIORAMA_ACTORS_ASSET_PROJECTS_H

#include "actors/repository/resource.h"

extern const struct resource project_resource;
extern const struct resource collection_resource;

// A change of a project, or of a collection, is durable.
void project_committed(struct repository *repository, const frozen_t *before,
                       const frozen_t *after);
void collection_committed(struct repository *repository, const frozen_t *before,
                          const frozen_t *after);

#endif
