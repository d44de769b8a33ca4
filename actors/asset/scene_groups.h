// scene_groups.h - the groups of scenes of a project.
#ifndef DIORAMA_ACTORS_ASSET_SCENE_GROUPS_H
#define DIORAMA_ACTORS_ASSET_SCENE_GROUPS_H

#include "actors/runtime/actor.h"

actor_handler group_create;
actor_handler group_update;
actor_handler group_delete;
actor_handler group_add_scene;
actor_handler group_drop_scene;

#endif
