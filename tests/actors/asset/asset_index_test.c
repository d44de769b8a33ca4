// asset_index_test.c - what assets, projects and collections are listed by in the store.
#include "actors/asset/asset_index.h"

#include <criterion/criterion.h>

#include "actors/asset/asset_actor.h"
#include "proto/base/owned.h"
#include "proto/records/asset.h"
#include "proto/records/project.h"

static const struct {
    const struct schema *schema;
    const struct list_rows *lists;
} listed[] = {{&project_schema, &project_lists},
              {&collection_schema, &collection_lists},
              {&asset_schema, &asset_lists}};

enum { LISTED = sizeof listed / sizeof listed[0] };

static const struct list_rows *
lists_of(const struct schema *schema)
{
    size_t i = 0;
    while (i < LISTED && listed[i].schema != schema)
        i++;
    return i < LISTED ? listed[i].lists : NULL;
}

// Also of a kind, or a member of list_kind.c, that somebody adds later.
Test(asset_index, each_kind_that_can_be_listed_has_a_row_for_each_of_its_orders)
{
    const struct index_family family = asset_actor_indexes();
    unsigned found = 0;
    for (size_t i = 0; i < family.count; i++) {
        enum list_order order;
        const struct index_kind *kind = &family.kinds[i];
        const struct list_rows *lists = lists_of(kind->schema);
        cr_assert_eq(lists != NULL, list_kind_of(kind->schema) != NULL, "%s", kind->schema->name);
        found += lists != NULL;
        if (lists)
            cr_assert(list_rows_are_whole(lists, kind, &order), "%s by %s", kind->schema->name,
                      list_order_name(order));
    }
    cr_assert_eq(LISTED, found);
}

static struct arena arena;

// How often `text` is among what a row of the kind is made of.
static unsigned
count(const struct index_row *rows, unsigned id, const struct record *record, const char *text)
{
    unsigned found = 0;
    while (rows->id != id)
        rows++;
    const struct texts *texts = rows->make(&arena, record);
    for (size_t i = 0; i < texts_count(texts); i++)
        found += text_is(texts->items[i], text);
    return found;
}

Test(asset_index, an_asset_is_found_by_the_words_of_its_name_and_type)
{
    struct record *asset = record_new(&arena, &asset_schema);
    record_set_text(asset, ASSET_NAME, text_from(&arena, "Red Caf\xc3\xa9, red"));
    record_set_text(asset, ASSET_ASSET_TYPE, text_from(&arena, "Mesh"));
    cr_assert_eq(1, count(asset_index, INDEX_ASSET_WORD, asset, "red"));
    cr_assert_eq(1, count(asset_index, INDEX_ASSET_WORD, asset, "cafe"));
    cr_assert_eq(1, count(asset_index, INDEX_ASSET_WORD, asset, "mesh"));
    cr_assert_eq(0, count(asset_index, INDEX_ASSET_WORD, asset, "Red"));
    arena_finish(&arena);
}

Test(asset_index, what_is_public_stands_under_a_mark_and_what_is_not_under_its_owner)
{
    struct asset *asset = (struct asset *)(void *)record_new(&arena, &asset_schema);
    cr_assert_eq(0, texts_count(list_rows_seen(&arena, NULL, false)));
    record_set_text(&asset->base, ASSET_USER, text_from(&arena, "ann"));
    cr_assert_eq(1, count(asset_index, INDEX_ASSET_SEEN, &asset->base, "ann"));
    asset->is_public = true;
    record_mark(&asset->base, ASSET_PUBLIC);
    cr_assert_eq(0, count(asset_index, INDEX_ASSET_SEEN, &asset->base, "ann"));
    cr_assert_eq(1, count(asset_index, INDEX_ASSET_SEEN, &asset->base, "*"));
    arena_finish(&arena);
}
