// list_kind.c - the table of kinds (list_kind.h), and the values that they are sorted by.
#include "proto/records/list_kind.h"

#include "proto/records/asset.h"
#include "proto/records/asset_use.h"
#include "proto/records/object.h"
#include "proto/records/project.h"
#include "proto/records/scene.h"
#include "proto/records/user.h"

#define AT(id) ((id) + 1)

// clang-format off
const struct list_kind list_kinds[] = {
    {"scene",      &scene_schema,      {[LIST_NAME] = AT(SCENE_NAME),      [LIST_TYPE] = AT(SCENE_REGION),        [LIST_TAG] = AT(SCENE_TAGS),  [LIST_CREATED] = AT(SCENE_CREATED), [LIST_CHANGED] = AT(SCENE_CHANGED)}, scene_place_on_map},
    {"object",     &object_schema,     {[LIST_NAME] = AT(OBJECT_NAME),     [LIST_TYPE] = AT(OBJECT_TYPE),         [LIST_TAG] = AT(OBJECT_TAGS), [LIST_PARENT] = AT(OBJECT_PARENT), [LIST_CHANGED] = AT(OBJECT_CHANGED)}, NULL},
    {"asset",      &asset_schema,      {[LIST_NAME] = AT(ASSET_NAME),      [LIST_TYPE] = AT(ASSET_ASSET_TYPE),    [LIST_CREATED] = AT(ASSET_CREATED_US)}, NULL},
    {"project",    &project_schema,    {[LIST_NAME] = AT(PROJECT_NAME),    [LIST_TYPE] = AT(PROJECT_CATEGORY),    [LIST_TAG] = AT(PROJECT_TAGS)}, NULL},
    {"collection", &collection_schema, {[LIST_NAME] = AT(COLLECTION_NAME), [LIST_TYPE] = AT(COLLECTION_CATEGORY), [LIST_TAG] = AT(COLLECTION_TAGS)}, NULL},
    {"user",       &user_schema,       {[LIST_NAME] = AT(USER_USERNAME)}, NULL},
    {"use",        &asset_use_schema,  {0}, NULL},
    {0}};
// clang-format on

static const char *const names[LIST_ORDER_COUNT] = {
    [LIST_KEY] = "key",       [LIST_NAME] = "name",       [LIST_TYPE] = "type",
    [LIST_PARENT] = "parent", [LIST_CREATED] = "created", [LIST_CHANGED] = "changed",
    [LIST_TAG] = "tag",       [LIST_WORD] = "q",
};

const char *
list_order_name(enum list_order order)
{
    return names[order];
}

const struct list_kind *
list_kind_of(const struct schema *schema)
{
    for (const struct list_kind *kind = list_kinds; kind->noun; kind++)
        if (strcmp(kind->schema->name, schema->name) == 0)
            return kind;
    return NULL;
}

unsigned
list_kind_member(const struct list_kind *self, enum list_order order)
{
    if (order == LIST_KEY)
        return schema_key_field(self->schema)->id;
    return self->members[order] ? self->members[order] - 1u : LIST_NO_MEMBER;
}

void
list_value_of_time(int64_t time_us, char ret_value[8])
{
    uint64_t bits = (uint64_t)time_us ^ (UINT64_C(1) << 63); // negative ones come first
    for (int i = 0; i < 8; i++)
        ret_value[i] = (char)(bits >> (56 - 8 * i));
}

const struct field *
list_kind_field(const struct list_kind *self, enum list_order order)
{
    unsigned id = list_kind_member(self, order);
    return id == LIST_NO_MEMBER ? NULL : schema_field(self->schema, id);
}

size_t
list_value(const struct field *field, const struct record *record, char ret_value[LIST_VALUE_BYTES])
{
    if (!field || !record_has(record, field->id))
        return 0;
    if (field->type == FIELD_INTEGER) {
        list_value_of_time(MEMBER_CONST(int64_t, record, field), ret_value);
        return 8;
    }
    const struct text *text = MEMBER_CONST(const struct text *, record, field);
    size_t size = text_size(text) > LIST_VALUE_BYTES ? LIST_VALUE_BYTES : text_size(text);
    memcpy(ret_value, text_bytes(text), size);
    return size;
}

int
list_value_compare(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}
