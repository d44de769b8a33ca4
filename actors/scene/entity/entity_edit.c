// entity_edit.c - composes and merges edits of entities. The edit itself stays as it came: a
// request may have to run again.

#include "actors/scene/entity/entity_edit.h"

#include "actors/scene/entity/animation.h"
#include "actors/scene/lock_ledger.h"
#include "proto/base/limits.h"

fallible
entity_edited(struct arena *arena, const struct entity_kind *kind, const struct entity *stored,
              const struct record *edit, enum list_mode mode, const char *pointer,
              struct record **ret_entity)
{
    struct record *copy = record_copy_flat(arena, kind->edit, edit);
    const struct records *actions = stored ? entity_actions(stored) : NULL;
    struct path path = {.name = pointer};
    if (kind->prepare)
        TRY(kind->prepare(copy, stored, &path));
    bool has_actions = record_has(copy, ENTITY_ACTIONS);
    if (has_actions)
        TRY(actions_merge(arena, kind, actions, entity_actions(entity_of(copy)), mode, &path,
                          &actions));
    copy->present &= ~FIELD_BIT(ENTITY_ACTIONS);
    const struct record *base = stored ? &stored->base : record_new(arena, kind->schema);
    TRY(record_merge_flat(arena, kind->schema, base, copy, mode, ret_entity));
    if (has_actions)
        entity_set_actions(*ret_entity, actions);
    return OK;
}

void
entity_set_actions(struct record *entity, const struct records *actions)
{
    MEMBER(const struct records *, entity, schema_field(entity->schema, ENTITY_ACTIONS)) = actions;
    record_mark(entity, ENTITY_ACTIONS);
    if (!actions || actions->count == 0)
        entity->present &= ~FIELD_BIT(ENTITY_ACTIONS);
}

fallible
entity_edit_by_records(struct message *message, const struct entity_kind *kind,
                       const struct entity *stored, struct record **ret_changed)
{
    const struct entity *merged = stored;
    TRY(message_check_edits(message));
    for (size_t i = 0; message->records && i < message->records->count; i++) {
        TRY(entity_edited(&message->arena, kind, merged, message->records->items[i],
                          params_list_mode(message->params), message_pointer(message, i, ""),
                          ret_changed));
        merged = entity_of(*ret_changed);
    }
    return OK;
}

fallible
entity_check_size(const struct entity_kind *kind, const struct record *entity, size_t *ret_bytes)
{
    size_t bytes = record_frozen_size(kind->schema, entity);
    if (ret_bytes)
        *ret_bytes = bytes + object_lock_bytes(entity);
    if (bytes > LIMIT_ENTITY_BYTES)
        return fail(ERR_TOO_LARGE, "", "the %s with its actions takes more than %d bytes",
                    kind->noun, LIMIT_ENTITY_BYTES);
    return OK;
}
