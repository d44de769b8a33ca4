// animation_edits.c - actions and keyframes of entities, as HTTP and datagrams change them: editors
// of what is stored, over the pure lists of animation.h.

#include "actors/scene/entity/animation_edits.h"

#include "actors/scene/entity/animation.h"
#include "proto/feed/event.h"

// --- HTTP ---

// A copy of the entity, loose but not deep, with other actions.
static fallible
with_actions(struct arena *arena, const struct entity_kind *kind, const struct entity *stored,
             const struct records *actions, struct record **ret_changed)
{
    *ret_changed = record_copy_flat(arena, kind->schema, &stored->base);
    entity_set_actions(*ret_changed, actions);
    return OK;
}

// The one record of the request.
static fallible
need_record(const struct message *message, const struct record **ret_record)
{
    if (!message->records || message->records->count == 0)
        return fail(ERR_MISSING, "", "a body is needed");
    *ret_record = message->records->items[0];
    return OK;
}

fallible
action_put(struct message *message, const struct entity_kind *kind, const struct entity *stored,
           struct record **ret_changed)
{
    const struct record *edit;
    const struct records *actions;
    TRY(need_record(message, &edit));
    TRY(actions_put(&message->arena, kind, entity_actions(stored), edit, &actions));
    return with_actions(&message->arena, kind, stored, actions, ret_changed);
}

fallible
action_update(struct message *message, const struct entity_kind *kind, const struct entity *stored,
              struct record **ret_changed)
{
    const struct params *params = message->params;
    const struct record *edit;
    const struct records *actions;
    TRY(need_record(message, &edit));
    TRY(actions_update(&message->arena, kind, entity_actions(stored), params->action, edit,
                       params_list_mode(params), &actions));
    return with_actions(&message->arena, kind, stored, actions, ret_changed);
}

fallible
action_drop(struct message *message, const struct entity_kind *kind, const struct entity *stored,
            struct record **ret_changed)
{
    const struct records *actions;
    TRY(actions_drop(&message->arena, entity_actions(stored), message->params->action, &actions));
    return with_actions(&message->arena, kind, stored, actions, ret_changed);
}

fallible
keyframe_put(struct message *message, const struct entity_kind *kind, const struct entity *stored,
             struct record **ret_changed)
{
    const struct record *edit;
    const struct records *actions;
    TRY(need_record(message, &edit));
    TRY(keyframes_put(&message->arena, kind, entity_actions(stored), message->params->action, edit,
                      &actions));
    return with_actions(&message->arena, kind, stored, actions, ret_changed);
}

fallible
keyframe_update(struct message *message, const struct entity_kind *kind,
                const struct entity *stored, struct record **ret_changed)
{
    const struct params *params = message->params;
    const struct record *edit;
    const struct records *actions;
    TRY(need_record(message, &edit));
    TRY(keyframes_update(&message->arena, kind, entity_actions(stored), params->action,
                         params->frame, edit, &actions));
    return with_actions(&message->arena, kind, stored, actions, ret_changed);
}

fallible
keyframe_drop(struct message *message, const struct entity_kind *kind, const struct entity *stored,
              struct record **ret_changed)
{
    const struct params *params = message->params;
    const struct records *actions;
    TRY(keyframes_drop(&message->arena, entity_actions(stored), params->action, params->frame,
                       &actions));
    return with_actions(&message->arena, kind, stored, actions, ret_changed);
}

// --- UDP ---

// Updates each keyframe that the edit of an action names.
static fallible
update_keyframes(struct arena *arena, const struct entity_kind *kind, const struct action *edit,
                 const struct records **actions)
{
    if (!edit->keyframes)
        return fail(ERR_MISSING, "/actions", "has no keyframes");
    return keyframes_update_all(arena, kind, *actions, edit->name, edit->keyframes, actions);
}

fallible
animation_edited(struct arena *arena, const struct entity_kind *kind, const struct entity *stored,
                 const struct record *edit, uint8_t event, struct record **ret_changed)
{
    bool is_of_keyframes =
        event == EVENT_OBJECT_KEYFRAME_UPDATED || event == EVENT_PROPERTY_KEYFRAME_UPDATED;
    const struct records *edits = entity_actions(entity_of(edit)),
                         *actions = entity_actions(stored);
    if (!edits)
        return fail(ERR_MISSING, "/actions", "is needed");
    for (uint32_t i = 0; i < edits->count; i++) {
        const struct action *action = action_of(edits->items[i]);
        if (is_of_keyframes)
            TRY(update_keyframes(arena, kind, action, &actions));
        else
            TRY(actions_update(arena, kind, actions, action->name, &action->base, LIST_OVERWRITE,
                               &actions));
    }
    return with_actions(arena, kind, stored, actions, ret_changed);
}
