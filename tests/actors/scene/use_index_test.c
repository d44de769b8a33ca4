// use_index_test.c - which index records a change of an object or a scene writes.
#include "actors/scene/use_index.h"

#include <criterion/criterion.h>

#include "actors/scene/scene_family.h"
#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"

enum { PART = 7, SCENE = 9 };

static struct arena arena;
static struct batch *batch;

static void
begin(void)
{
    batch = batch_create(FAMILY_SCENE);
}

static void
end(void)
{
    batch_destroy(&batch);
    arena_finish(&arena);
}

TestSuite(use_index, .init = begin, .fini = end);

static const struct texts *
texts(const char *one, const char *other)
{
    struct texts *made = arena_alloc(&arena, sizeof *made + 2 * sizeof made->items[0]);
    made->count = 0;
    if (one)
        made->items[made->count++] = text_from(&arena, one);
    if (other)
        made->items[made->count++] = text_from(&arena, other);
    return made;
}

static const struct record *
object(const char *one, const char *other)
{
    struct record *record = record_new(&arena, &object_schema);
    ((struct object *)(void *)record)->assets = texts(one, other);
    record_mark(record, OBJECT_ASSETS);
    return record;
}

static const struct record *
scene(const char *asset)
{
    struct record *record = record_new(&arena, &scene_schema);
    ((struct scene *)(void *)record)->assets = texts(asset, NULL);
    record_mark(record, SCENE_ASSETS);
    return record;
}

static void
expect_write(size_t index, bool is_delete, const char *key, size_t size)
{
    const struct write *write = &batch->writes[index];
    cr_assert_eq(write->is_delete, is_delete);
    cr_assert_eq(write->part, PART);
    cr_assert_eq(write->key_size, size);
    cr_assert_eq(memcmp(batch_key(batch, write).data, key, size), 0);
}

Test(use_index, an_object_that_names_another_asset_is_entered_under_that)
{
    const struct key address = key_in_scene(KEY_OBJECT, SCENE, text_from(&arena, "cube"));
    static const char gone[] = "N\1chair\0\0\0\0\0\0\0\0\11cube",
                      fresh[] = "N\1lamp\0\0\0\0\0\0\0\0\11cube";
    use_index_stage(batch, PART, &address, object("chair", "door"), object("door", "lamp"));
    cr_assert_eq(batch->count, 2);
    cr_assert_eq(batch->beside, 2);
    expect_write(0, true, gone, sizeof gone - 1);
    expect_write(1, false, fresh, sizeof fresh - 1);
}

Test(use_index, a_scene_is_entered_under_its_own_row)
{
    const struct key address = key_of_text(KEY_SCENE, text_from(&arena, "hall"));
    static const char fresh[] = "N\2lamp\0hall";
    use_index_stage(batch, PART, &address, NULL, scene("lamp"));
    cr_assert_eq(batch->count, 1);
    expect_write(0, false, fresh, sizeof fresh - 1);
}

Test(use_index, what_stays_or_names_nothing_writes_nothing)
{
    const struct key address = key_in_scene(KEY_OBJECT, SCENE, text_from(&arena, "cube"));
    const struct record *property = record_new(&arena, &property_schema);
    use_index_stage(batch, PART, &address, object("chair", "door"), object("chair", "door"));
    use_index_stage(batch, PART, &address, object(NULL, NULL), NULL);
    use_index_stage(batch, PART, &address, NULL, property);
    cr_assert_eq(batch->count, 0);
    cr_assert_eq(use_index_writes(object("chair", NULL), object("chair", NULL)), 0);
    cr_assert_eq(use_index_writes(object("chair", NULL), object("chair", "door")), 3);
    cr_assert_eq(use_index_writes(NULL, object("chair", "door")), 2);
}

Test(use_index, an_asset_that_is_named_twice_is_entered_once)
{
    const struct key address = key_in_scene(KEY_OBJECT, SCENE, text_from(&arena, "cube"));
    use_index_stage(batch, PART, &address, NULL, object("chair", "chair"));
    cr_assert_eq(batch->count, 1);
    use_index_stage(batch, PART, &address, object("chair", "chair"), object("chair", NULL));
    cr_assert_eq(batch->count, 1);
}
