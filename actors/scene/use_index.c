// use_index.c - the two rows, and what they cost (use_index.h).
#include "actors/scene/use_index.h"

#include <assert.h>
#include <stddef.h>

#include "actors/runtime/room.h"
#include "actors/scene/scene_family.h"
#include "proto/message/partition.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

// clang-format off
const struct index_row object_asset_index[] = {
    {.id = INDEX_OBJECT_ASSET, .form = INDEX_TEXTS, .member = OBJECT_ASSETS},
    {0}};

const struct index_row scene_asset_index[] = {
    {.id = INDEX_SCENE_ASSET, .form = INDEX_TEXTS, .member = SCENE_ASSETS},
    {0}};

static const struct {
    key_tag_t tag;
    const struct schema *schema;
    const struct index_row *rows;
    size_t assets; // where a record has them
} kinds[] = {
    {KEY_OBJECT, &object_schema, object_asset_index, offsetof(struct object, assets)},
    {KEY_SCENE,  &scene_schema,  scene_asset_index,  offsetof(struct scene, assets)},
};
// clang-format on

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static_assert((int)KINDS == (int)USE_ROWS, "each kind has one row");

struct index_family
use_index_family(void)
{
    struct index_family family = {.family = FAMILY_SCENE, .parts = PARTITION_COUNT, .count = KINDS};
    for (size_t i = 0; i < KINDS; i++)
        family.kinds[i] = (struct index_kind){kinds[i].tag, kinds[i].schema, kinds[i].rows};
    return family;
}

// By name: a record that is not stored yet may have the schema of an edit.
const struct texts *
use_index_assets(const struct record *record)
{
    for (size_t i = 0; record && i < KINDS; i++)
        if (strcmp(record->schema->name, kinds[i].schema->name) == 0)
            return *(const struct texts *const *)(const void *)((const char *)record +
                                                                kinds[i].assets);
    return NULL;
}

size_t
use_index_writes(const struct record *before, const struct record *after)
{
    const struct texts *old = use_index_assets(before), *fresh = use_index_assets(after);
    return texts_equal(old, fresh) ? 0 : texts_count(old) + texts_count(fresh);
}

size_t
use_index_bytes(const struct record *before, const struct record *after)
{
    return use_index_writes(before, after) * WRITE_COST;
}

void
use_index_stage(struct batch *batch, uint16_t part, const struct key *address,
                const struct record *before, const struct record *after)
{
    for (size_t i = 0; i < KINDS; i++)
        if (address->data[0] == kinds[i].tag && use_index_writes(before, after) > 0)
            index_records_stage(kinds[i].rows, batch, part, key_name(address), before, after);
}
