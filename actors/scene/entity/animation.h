// animation.h - named animations of an entity, and their keyframes: what an edit makes of the lists
// that are stored. Pure. The lists that are returned borrow items from both sides, so they are good
// until the entity is frozen.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_ANIMATION_H
#define DIORAMA_ACTORS_SCENE_ENTITY_ANIMATION_H

#include "actors/scene/entity/entity_kind.h"
#include "proto/record/path.h"
#include "proto/records/action.h"

// The actions of an entity after an update: by `mode` the edit's list takes the place of the stored
// one, or its actions are put into it (one of the same name is replaced), or taken out by their
// names. Of two of one name, or two keyframes of one frame, the later one counts. Fails with
// ERR_MISSING (no name, no frame) and ERR_INVALID (more actions than allowed, what cannot be
// composed). `path` is that of the entity.
fallible actions_merge(struct arena *arena, const struct entity_kind *kind,
                       const struct records *stored, const struct records *edits,
                       enum list_mode mode, const struct path *path,
                       const struct records **ret_actions);

// With this action, which replaces one of the same name.
fallible actions_put(struct arena *arena, const struct entity_kind *kind,
                     const struct records *stored, const struct record *edit,
                     const struct records **ret_actions);
// The members present in `edit` overwrite those of the action `name`; its name stays. Keyframes
// combine by `mode`. Fails with ERR_NOT_FOUND.
fallible actions_update(struct arena *arena, const struct entity_kind *kind,
                        const struct records *stored, const struct text *name,
                        const struct record *edit, enum list_mode mode,
                        const struct records **ret_actions);
fallible actions_drop(struct arena *arena, const struct records *stored, const struct text *name,
                      const struct records **ret_actions);

// The same for one keyframe of the action `name`: by its frame.
fallible keyframes_put(struct arena *arena, const struct entity_kind *kind,
                       const struct records *stored, const struct text *name,
                       const struct record *edit, const struct records **ret_actions);
fallible keyframes_update(struct arena *arena, const struct entity_kind *kind,
                          const struct records *stored, const struct text *name, int64_t frame,
                          const struct record *edit, const struct records **ret_actions);
// The same for all keyframes that a datagram edits, by their frames; copies the list once.
fallible keyframes_update_all(struct arena *arena, const struct entity_kind *kind,
                              const struct records *stored, const struct text *name,
                              const struct records *edits, const struct records **ret_actions);
fallible keyframes_drop(struct arena *arena, const struct records *stored, const struct text *name,
                        int64_t frame, const struct records **ret_actions);

#endif
