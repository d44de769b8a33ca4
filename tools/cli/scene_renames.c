// scene_renames.c - see scene_renames.h.
#include "tools/cli/scene_renames.h"

#include <string.h>

#include "tools/cli/json_value.h"

// What the server decides, or what is of devices and people of another one.
static const char *const left_out[] = {"scene", "id",      "owner",   "locked",
                                       "user",  "devices", "distance"};

// Members whose value is a key, or a list of keys. Keys of objects are not what the server takes.
static const char *const keys[] = {"key", "assets", "parent", "assetId", "relatedId", "thumbnail"};

void
renames_finish(struct renames *self)
{
    table_finish(&self->table);
    arena_finish(&self->arena);
}

static bool
is_old(const void *value, const void *key)
{
    return text_equal(((const struct rename *)value)->old, key);
}

struct rename *
renames_find(const struct renames *self, const struct text *old)
{
    return table_find(&self->table, table_hash_text(old), is_old, old);
}

struct rename *
renames_add(struct renames *self, const struct text *old)
{
    struct rename *found = renames_find(self, old);
    if (found)
        return found;
    struct rename *row = arena_new(&self->arena, struct rename);
    row->old = text_copy(&self->arena, old);
    table_add(&self->table, table_hash_text(old), row);
    return row;
}

static bool
is_among(const struct text *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(name, names[i]))
            return true;
    return false;
}

// Keys that are not in the archive stay as they are.
static void
put_key(const struct renames *self, const struct json *key, struct buffer *out)
{
    const struct rename *row = key->type == JSON_TEXT ? renames_find(self, key->text) : NULL;
    if (row && row->fresh)
        json_put_text(out, text_bytes(row->fresh), text_size(row->fresh));
    else
        json_value_put(out, key);
}

static void
put_keys(const struct renames *self, const struct json *value, struct buffer *out)
{
    if (value->type != JSON_ARRAY) {
        put_key(self, value, out);
        return;
    }
    buffer_put_char(out, '[');
    for (uint32_t i = 0; i < value->count; i++) {
        if (i)
            buffer_put_char(out, ',');
        put_key(self, &value->items[i], out);
    }
    buffer_put_char(out, ']');
}

static const struct text *
parent_to_come(const struct renames *self, const struct json_member *member)
{
    if (!text_is(member->name, "parent") || member->value.type != JSON_TEXT)
        return NULL;
    const struct rename *row = renames_find(self, member->value.text);
    return row && !row->fresh ? member->value.text : NULL;
}

void
renames_put_record(const struct renames *self, const struct json *record, struct buffer *out,
                   const struct text **ret_parent)
{
    char before = '{';
    *ret_parent = NULL;
    for (uint32_t i = 0; record->type == JSON_OBJECT && i < record->count; i++) {
        const struct json_member *member = &record->members[i];
        const struct text *parent = parent_to_come(self, member);
        if (parent)
            *ret_parent = parent;
        if (parent || is_among(member->name, left_out, sizeof left_out / sizeof left_out[0]))
            continue;
        buffer_put_char(out, before);
        json_put_text(out, text_bytes(member->name), text_size(member->name));
        buffer_put_char(out, ':');
        if (is_among(member->name, keys, sizeof keys / sizeof keys[0]))
            put_keys(self, &member->value, out);
        else
            json_value_put(out, &member->value);
        before = ',';
    }
    if (before == '{')
        buffer_put_char(out, '{');
    buffer_put_char(out, '}');
}
