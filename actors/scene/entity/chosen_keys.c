// chosen_keys.c - see the header.
#include "actors/scene/entity/chosen_keys.h"

#include "actors/scene/entity/entity_lookup.h"
#include "proto/base/table.h"
#include "proto/message/partition.h"

bool
chosen_keys_are_there(const struct message *message, const struct entity_kind *kind)
{
    const struct records *records = message->records;
    for (size_t i = message->progress; i < records->count && kind->choose_key; i++)
        if (!key_is_generated(record_key(records->items[i])))
            return true;
    return false;
}

static bool
has_key(const void *value, const void *key)
{
    return text_equal(record_key(value), key);
}

// Whether a chosen key is there already, in the scene (NULL = it is new) or earlier in the request.
static fallible
check_free(struct shard *self, struct message *message, const struct entity_kind *kind,
           const struct scene_state *scene, struct table *asked, size_t index)
{
    struct record *entity = message->records->items[index];
    const struct text *key = record_key(entity);
    uint64_t hash = table_hash_text(key);
    if (key_is_generated(key))
        return OK;
    if ((scene && entity_latest_in_scene(self, kind, scene, key)) ||
        table_find(asked, hash, has_key, key))
        return fail(ERR_CONFLICT, message_pointer(message, index, "/key"),
                    "there is a %s %s already", kind->noun, text_chars(key));
    table_add(asked, hash, entity);
    return OK;
}

fallible
chosen_keys_check(struct shard *self, struct message *message, const struct entity_kind *kind,
                  const struct scene_state *scene)
{
    struct table asked = {0};
    enum error error = OK;
    for (size_t i = message->progress; i < message->records->count && error == OK; i++)
        error = check_free(self, message, kind, scene, &asked, i);
    table_finish(&asked);
    return error;
}
