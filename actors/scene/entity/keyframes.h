// keyframes.h - the keyframes of one action: lists in the order of their frames, each frame once.
// Pure; nothing here looks at each pair of them.
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_KEYFRAMES_H
#define DIORAMA_ACTORS_SCENE_ENTITY_KEYFRAMES_H

#include "proto/base/error.h"
#include "proto/records/action.h"

// Whether the frame is there; its place, or the one where it would stand.
bool keyframes_find(const struct records *list, int64_t frame, size_t *ret_index);

// Puts a list into order, in place; of keyframes of one frame the last one stays.
void keyframes_sort(struct arena *arena, struct records *list);

// Two lists in one: `more` replaces what has its frames (append), or takes it out (remove).
const struct records *keyframes_combine(struct arena *arena, const struct records *list,
                                        const struct records *more, enum list_mode mode);

// --- lists of any records, copied with one item more, another one, or one less ---

static inline size_t
list_count(const struct records *list)
{
    return list ? list->count : 0;
}

// `item` at `index`: in the place of what is there, or in front of it.
const struct records *list_with(struct arena *arena, const struct records *list, size_t index,
                                bool replaces, const struct record *item);
const struct records *list_without(struct arena *arena, const struct records *list, size_t index);

#endif
