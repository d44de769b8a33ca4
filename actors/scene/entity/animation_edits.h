// animation_edits.h - how HTTP and UDP change the actions and keyframes of entities.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_ANIMATION_EDITS_H
#define DIORAMA_ACTORS_SCENE_ENTITY_ANIMATION_EDITS_H

#include "actors/scene/entity/entity_edit.h"

entity_editor action_put, action_update, action_drop;
entity_editor keyframe_put, keyframe_update, keyframe_drop;

// What a datagram of the msg_type `event` makes of an entity: updates of actions or of keyframes,
// all of which exist (ERR_NOT_FOUND).
fallible animation_edited(struct arena *arena, const struct entity_kind *kind,
                          const struct entity *stored, const struct record *edit, uint8_t event,
                          struct record **ret_changed);

#endif
