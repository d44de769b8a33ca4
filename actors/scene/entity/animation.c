// animation.c - what edits make of an entity's actions (animation.h). Pure. A list is never
// changed: the next one shares its items, and freezing the entity makes them one block again.

#include "actors/scene/entity/animation.h"

#include "actors/scene/entity/keyframes.h"
#include "proto/base/limits.h"

// --- one action ---

static size_t
find_action(const struct records *list, const struct text *name)
{
    size_t index = 0;
    while (index < list_count(list) && !text_equal(action_of(list->items[index])->name, name))
        index++;
    return index;
}

static fallible
need_action(const struct records *list, const struct text *name, size_t *ret_index)
{
    *ret_index = find_action(list, name);
    if (*ret_index == list_count(list))
        return fail(ERR_NOT_FOUND, "", "there is no action %s", text_chars(name));
    return OK;
}

static fallible
need_frame(const struct action *action, int64_t frame, size_t *ret_index)
{
    if (!keyframes_find(action->keyframes, frame, ret_index))
        return fail(ERR_NOT_FOUND, "", "action %s has no frame %lld", text_chars(action->name),
                    (long long)frame);
    return OK;
}

static fallible
need_name(const struct record *edit, const struct path *path)
{
    struct path name = {.up = path, .name = "name"};
    if (text_size(action_of(edit)->name) == 0)
        return path_fail(&name, ERR_MISSING, "is needed");
    return OK;
}

static struct record *
action_with(struct arena *arena, const struct record *action, const struct records *keyframes)
{
    struct action *copy = arena_copy(arena, action, sizeof *copy);
    copy->keyframes = keyframes;
    copy->base.present &= ~FIELD_BIT(ACTION_KEYFRAMES);
    if (list_count(keyframes))
        record_mark(&copy->base, ACTION_KEYFRAMES);
    return &copy->base;
}

// --- keyframes of a request ---

// The keyframe that an edit makes of `stored` (NULL = of nothing).
static fallible
settle_keyframe(struct arena *arena, const struct entity_kind *kind, const struct record *stored,
                const struct record *edit, const struct path *path, struct record **ret_keyframe)
{
    struct record *copy = record_copy_flat(arena, edit->schema, edit);
    if (kind->prepare_keyframe)
        TRY(kind->prepare_keyframe(copy, stored, path));
    *ret_keyframe = copy;
    return stored ? record_merge(arena, kind->keyframe, stored, copy, LIST_OVERWRITE, ret_keyframe)
                  : OK;
}

static fallible
new_keyframe(struct arena *arena, const struct entity_kind *kind, const struct record *edit,
             const struct path *path, struct record **ret_keyframe)
{
    struct path frame = {.up = path, .name = "frame"};
    if (!record_has(edit, KEYFRAME_FRAME))
        return path_fail(&frame, ERR_MISSING, "is needed");
    return settle_keyframe(arena, kind, NULL, edit, path, ret_keyframe);
}

static fallible
settle_keyframes(struct arena *arena, const struct entity_kind *kind, const struct records *edits,
                 const struct path *path, const struct records **ret_list)
{
    struct path place = {.up = path, .name = "keyframes"};
    struct records *list = records_new(arena, list_count(edits));
    for (; list->count < list_count(edits); list->count++) {
        struct path item = {.up = &place, .index = list->count};
        TRY(new_keyframe(arena, kind, edits->items[list->count], &item, &list->items[list->count]));
    }
    keyframes_sort(arena, list);
    *ret_list = list;
    return OK;
}

static fallible
new_action(struct arena *arena, const struct entity_kind *kind, const struct record *edit,
           const struct path *path, struct record **ret_action)
{
    const struct records *keyframes;
    TRY(need_name(edit, path));
    TRY(settle_keyframes(arena, kind, action_of(edit)->keyframes, path, &keyframes));
    *ret_action = action_with(arena, edit, keyframes);
    return OK;
}

// --- all actions of an entity ---

static const struct records *
put(struct arena *arena, const struct records *list, const struct record *action)
{
    size_t index = find_action(list, action_of(action)->name);
    return list_with(arena, list, index, index < list_count(list), action);
}

static fallible
check_count(const struct records *list, const struct path *path)
{
    if (list_count(list) > LIMIT_ACTIONS)
        return path_fail(path, ERR_INVALID, "would have more than %d items", LIMIT_ACTIONS);
    return OK;
}

static fallible
put_all(struct arena *arena, const struct entity_kind *kind, const struct records *stored,
        const struct records *edits, const struct path *path, const struct records **ret_actions)
{
    const struct records *list = stored;
    for (size_t i = 0; i < list_count(edits); i++) {
        struct path item = {.up = path, .index = i};
        struct record *action;
        TRY(new_action(arena, kind, edits->items[i], &item, &action));
        list = put(arena, list, action);
    }
    TRY(check_count(list, path));
    *ret_actions = list;
    return OK;
}

static const struct records *
without_all(struct arena *arena, const struct records *stored, const struct records *edits)
{
    const struct records *list = stored;
    for (size_t i = 0; i < list_count(edits); i++) {
        size_t index = find_action(list, action_of(edits->items[i])->name);
        if (index < list_count(list))
            list = list_without(arena, list, index);
    }
    return list;
}

fallible
actions_merge(struct arena *arena, const struct entity_kind *kind, const struct records *stored,
              const struct records *edits, enum list_mode mode, const struct path *path,
              const struct records **ret_actions)
{
    struct path place = {.up = path, .name = "actions"};
    if (mode != LIST_REMOVE)
        return put_all(arena, kind, mode == LIST_APPEND ? stored : NULL, edits, &place,
                       ret_actions);
    *ret_actions = without_all(arena, stored, edits);
    return OK;
}

// --- one of them ---

static const struct path whole_body = {.name = ""};

fallible
actions_put(struct arena *arena, const struct entity_kind *kind, const struct records *stored,
            const struct record *edit, const struct records **ret_actions)
{
    struct record *action;
    TRY(new_action(arena, kind, edit, &whole_body, &action));
    const struct records *list = put(arena, stored, action);
    TRY(check_count(list, &whole_body));
    *ret_actions = list;
    return OK;
}

static fallible
combined_keyframes(struct arena *arena, const struct entity_kind *kind,
                   const struct records *stored, const struct records *edits, enum list_mode mode,
                   const struct records **ret_list)
{
    const struct records *list;
    TRY(settle_keyframes(arena, kind, edits, &whole_body, &list));
    if (mode != LIST_OVERWRITE)
        list = keyframes_combine(arena, stored, list, mode);
    if (list->count > LIMIT_KEYFRAMES)
        return fail(ERR_INVALID, "/keyframes", "would have more than %d items", LIMIT_KEYFRAMES);
    *ret_list = list;
    return OK;
}

// How fast the action is played, and whether it begins again at its end.
static void
put_pace(struct action *action, const struct record *edit)
{
    if (record_has(edit, ACTION_FPS))
        action->fps = action_of(edit)->fps;
    if (record_has(edit, ACTION_LOOP))
        action->loop = action_of(edit)->loop;
    action->base.present |= edit->present & (FIELD_BIT(ACTION_FPS) | FIELD_BIT(ACTION_LOOP));
}

fallible
actions_update(struct arena *arena, const struct entity_kind *kind, const struct records *stored,
               const struct text *name, const struct record *edit, enum list_mode mode,
               const struct records **ret_actions)
{
    size_t index;
    TRY(need_action(stored, name, &index));
    const struct action *before = action_of(stored->items[index]);
    const struct records *keyframes = before->keyframes;
    if (record_has(edit, ACTION_KEYFRAMES))
        TRY(combined_keyframes(arena, kind, keyframes, action_of(edit)->keyframes, mode,
                               &keyframes));
    struct action *after = arena_copy(arena, before, sizeof *after);
    if (record_has(edit, ACTION_DESCRIPTION))
        record_set_text(&after->base, ACTION_DESCRIPTION, action_of(edit)->description);
    put_pace(after, edit);
    *ret_actions =
        list_with(arena, stored, index, true, action_with(arena, &after->base, keyframes));
    return OK;
}

fallible
actions_drop(struct arena *arena, const struct records *stored, const struct text *name,
             const struct records **ret_actions)
{
    size_t index;
    TRY(need_action(stored, name, &index));
    *ret_actions = list_without(arena, stored, index);
    return OK;
}

// The actions with other keyframes in the one at `index`.
static const struct records *
with_keyframes(struct arena *arena, const struct records *stored, size_t index,
               const struct records *keyframes)
{
    return list_with(arena, stored, index, true,
                     action_with(arena, stored->items[index], keyframes));
}

fallible
keyframes_put(struct arena *arena, const struct entity_kind *kind, const struct records *stored,
              const struct text *name, const struct record *edit,
              const struct records **ret_actions)
{
    size_t index, place;
    struct record *keyframe = NULL;
    TRY(need_action(stored, name, &index));
    TRY(new_keyframe(arena, kind, edit, &whole_body, &keyframe));
    const struct records *list = action_of(stored->items[index])->keyframes;
    bool is_there = keyframes_find(list, keyframe_of(keyframe)->frame, &place);
    if (!is_there && list_count(list) >= LIMIT_KEYFRAMES)
        return fail(ERR_INVALID, "", "the action has %d keyframes, the most", LIMIT_KEYFRAMES);
    *ret_actions =
        with_keyframes(arena, stored, index, list_with(arena, list, place, is_there, keyframe));
    return OK;
}

fallible
keyframes_update(struct arena *arena, const struct entity_kind *kind, const struct records *stored,
                 const struct text *name, int64_t frame, const struct record *edit,
                 const struct records **ret_actions)
{
    size_t index, place;
    TRY(need_action(stored, name, &index));
    TRY(need_frame(action_of(stored->items[index]), frame, &place));
    const struct records *list = action_of(stored->items[index])->keyframes;
    struct record *keyframe;
    TRY(settle_keyframe(arena, kind, list->items[place], edit, &whole_body, &keyframe));
    ((struct keyframe *)(void *)keyframe)->frame = frame; // the body's moves nothing
    *ret_actions =
        with_keyframes(arena, stored, index, list_with(arena, list, place, true, keyframe));
    return OK;
}

fallible
keyframes_update_all(struct arena *arena, const struct entity_kind *kind,
                     const struct records *stored, const struct text *name,
                     const struct records *edits, const struct records **ret_actions)
{
    size_t index, place;
    TRY(need_action(stored, name, &index));
    const struct action *before = action_of(stored->items[index]);
    struct records *list = records_new(arena, list_count(before->keyframes));
    for (; list->count < list_count(before->keyframes); list->count++)
        list->items[list->count] = before->keyframes->items[list->count];
    for (size_t i = 0; i < list_count(edits); i++) {
        const struct record *edit = edits->items[i];
        if (!record_has(edit, KEYFRAME_FRAME))
            return fail(ERR_MISSING, "/actions", "has a keyframe without its frame");
        TRY(need_frame(before, keyframe_of(edit)->frame, &place));
        TRY(settle_keyframe(arena, kind, list->items[place], edit, &whole_body,
                            &list->items[place]));
    }
    *ret_actions = with_keyframes(arena, stored, index, list);
    return OK;
}

fallible
keyframes_drop(struct arena *arena, const struct records *stored, const struct text *name,
               int64_t frame, const struct records **ret_actions)
{
    size_t index, place;
    TRY(need_action(stored, name, &index));
    TRY(need_frame(action_of(stored->items[index]), frame, &place));
    const struct records *list = action_of(stored->items[index])->keyframes;
    *ret_actions = with_keyframes(arena, stored, index, list_without(arena, list, place));
    return OK;
}
