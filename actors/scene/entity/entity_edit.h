// entity_edit.h - what an edit makes of an entity, whatever its kind. Pure.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_EDIT_H
#define DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_EDIT_H

#include "actors/scene/entity/entity_kind.h"

// What a change makes of an entity: a loose record of the kind's schema. Where nothing is to be
// changed, `*ret_changed` stays NULL.
typedef enum error entity_editor(struct message *message, const struct entity_kind *kind,
                                 const struct entity *stored, struct record **ret_changed);

// All records of an update, one over the other.
entity_editor entity_edit_by_records;

// The result of an edit (`stored` NULL = of a new entity): composed and merged. It borrows from
// both.
fallible entity_edited(struct arena *arena, const struct entity_kind *kind,
                       const struct entity *stored, const struct record *edit, enum list_mode mode,
                       const char *pointer, struct record **ret_entity);
// A loose entity has these actions from now on.
void entity_set_actions(struct record *entity, const struct records *actions);
// Whether a loose entity may be stored: ERR_TOO_LARGE. `*ret_bytes` is the memory that it will take
// (NULL = not wanted).
fallible entity_check_size(const struct entity_kind *kind, const struct record *entity,
                           size_t *ret_bytes);

#endif
