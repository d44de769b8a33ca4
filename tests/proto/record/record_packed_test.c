// record_packed_test.c - packed records say what their originals say.
#include "proto/record/record_packed.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "tests/support/samples.h"

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(packed, .fini = finish);

static void
release(const packed_t *packed)
{
    const frozen_t *frozen = packed_frozen(packed);
    record_unref(&frozen);
}

static struct scene *
scene_with(const char *key, const char *name)
{
    struct scene *scene = (void *)record_new(&arena, &scene_schema);
    record_set_text(&scene->base, SCENE_KEY, text_from(&arena, key));
    record_set_text(&scene->base, SCENE_NAME, text_from(&arena, name));
    return scene;
}

Test(packed, an_opened_one_equals_its_original_and_outlives_it)
{
    struct random random = {5};
    for (unsigned i = 0; i < 5200; i++) {
        struct arena other = {0};
        struct opened room;
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        struct record *original = random_record(&random, &other, schema, 0);
        if (random_below(&random, 8) == 0)
            original->present |= RECORD_SCALAR;
        struct record *copy = record_copy(&arena, schema, original);
        const packed_t *packed = record_pack(schema, original);
        arena_finish(&other); // the sanitizer sees one that borrows
        memset(&room, 0xee, sizeof room);
        const struct record *opened = packed_open(packed, &room);
        cr_assert_eq(opened->schema, schema);
        cr_assert(record_equal(opened, copy), "%s %u", schema->name, i);
        cr_assert_eq(opened->present & RECORD_SCALAR, copy->present & RECORD_SCALAR);
        release(packed);
    }
}

Test(packed, absent_members_of_an_opened_one_are_zero)
{
    struct opened room;
    const packed_t *packed = record_pack(&scene_schema, &scene_with("plaza", "Plaza")->base);
    memset(&room, 0xee, sizeof room);
    const struct scene *scene = scene_of(packed_open(packed, &room));
    cr_assert_null(scene->region);
    cr_assert_null(scene->tags);
    cr_assert_eq(scene->latitude, 0);
    cr_assert_not(scene->is_public);
    release(packed);
}

Test(packed, the_rare_part_is_opened_where_it_has_a_member)
{
    struct opened room;
    struct object *object = (void *)record_new(&arena, &object_schema);
    record_set_text(&object->base, OBJECT_NAME, text_from(&arena, "cube"));
    const packed_t *plain = record_pack(&object_schema, &object->base);
    cr_assert_null(record_part(packed_open(plain, &room), object_schema.rare));
    const struct field *tags = schema_field(&object_schema, OBJECT_TAGS);
    MEMBER(const struct texts *, &object->base, tags) =
        texts_of_one(&arena, text_from(&arena, "red"));
    record_mark(&object->base, OBJECT_TAGS);
    const packed_t *tagged = record_pack(&object_schema, &object->base);
    const struct record *opened = packed_open(tagged, &room);
    cr_assert_eq(record_part(opened, object_schema.rare), room.bytes + object_schema.size);
    cr_assert(text_is(MEMBER_CONST(const struct texts *, opened, tags)->items[0], "red"));
    release(plain);
    release(tagged);
}

// 8 bytes of the block, 4 of the head, three numbers, and each text's 4 + size + 1 bytes.
Test(packed, the_size_of_a_scene_is_what_its_parts_take)
{
    struct scene *scene = scene_with("scene-00000001", "Scene 1");
    scene->latitude = 50.9;
    scene->longitude = 6.4;
    scene->is_public = scene->active = true;
    scene->base.present |= FIELD_BIT(SCENE_LATITUDE) | FIELD_BIT(SCENE_LONGITUDE) |
                           FIELD_BIT(SCENE_PUBLIC) | FIELD_BIT(SCENE_ACTIVE);
    record_set_integer(&scene->base, SCENE_ID, 1);
    const packed_t *packed = record_pack(&scene_schema, &scene->base);
    cr_assert_eq(record_size(packed_frozen(packed)), 8 + 4 + 3 * 8 + 19 + 12);
    release(packed);
}

Test(packed, its_key_is_known_without_opening)
{
    const packed_t *packed = record_pack(&scene_schema, &scene_with("plaza", "Plaza")->base);
    cr_assert(text_is(packed_key(packed), "plaza"));
    cr_assert(text_is(frozen_key(packed_frozen(packed)), "plaza"));
    release(packed);
}

Test(packed, one_without_a_key_has_none)
{
    struct scene *scene = (void *)record_new(&arena, &scene_schema);
    const packed_t *packed = record_pack(&scene_schema, &scene->base);
    cr_assert_null(packed_key(packed));
    release(packed);
}

Test(packed, an_opened_text_is_that_of_the_packed_one)
{
    struct opened room;
    const packed_t *packed = record_pack(&scene_schema, &scene_with("plaza", "Plaza")->base);
    const char *name = text_chars(scene_of(packed_open(packed, &room))->name);
    cr_assert_gt(name, (const char *)packed);
    cr_assert_lt(name, (const char *)packed + record_size(packed_frozen(packed)));
    release(packed);
}

Test(packed, a_frozen_one_is_opened_where_it_is)
{
    struct opened room;
    const frozen_t *frozen = record_freeze(&scene_schema, &scene_with("plaza", "Plaza")->base);
    cr_assert_not(frozen_is_packed(frozen));
    cr_assert_eq(frozen_open(frozen, &room), frozen_record(frozen));
    record_unref(&frozen);
}

Test(packed, a_frozen_one_that_is_packed_is_opened_in_the_room)
{
    struct opened room;
    const packed_t *packed = record_pack(&scene_schema, &scene_with("plaza", "Plaza")->base);
    const struct record *opened = frozen_open(packed_frozen(packed), &room);
    cr_assert_eq((const void *)opened, room.bytes);
    cr_assert(text_is(scene_of(opened)->name, "Plaza"));
    release(packed);
}

Test(packed, nothing_is_opened_as_nothing)
{
    struct opened room;
    cr_assert_null(frozen_open(NULL, &room));
}

Test(packed, an_unpacked_one_is_plain)
{
    const packed_t *packed = record_pack(&scene_schema, &scene_with("plaza", "Plaza")->base);
    const frozen_t *frozen = frozen_unpack(packed_frozen(packed));
    cr_assert_not(frozen_is_packed(frozen));
    cr_assert(text_is(scene_of(frozen_record(frozen))->name, "Plaza"));
    const frozen_t *again = frozen_unpack(frozen);
    cr_assert_eq(again, frozen);
    record_unref(&again);
    record_unref(&frozen);
    release(packed);
}

Test(packed, a_lent_one_says_the_same_without_its_original)
{
    struct opened room;
    const packed_t *packed = record_pack(&scene_schema, &scene_with("plaza", "Plaza")->base);
    size_t size = record_size(packed_frozen(packed));
    const packed_t *lent = packed_lend(packed, &arena);
    release(packed);
    cr_assert(frozen_is_packed(packed_frozen(lent)));
    cr_assert_eq(size, record_size(packed_frozen(lent)));
    cr_assert(text_is(scene_of(packed_open(lent, &room))->name, "Plaza"));
}

// The address sanitizer tells of what is freed, or read, in memory of the arena.
Test(packed, a_reference_to_a_lent_one_is_a_copy_that_outlives_it)
{
    struct opened room;
    struct arena lender = {0};
    const packed_t *packed = record_pack(&scene_schema, &scene_with("plaza", "Plaza")->base);
    const packed_t *lent = packed_lend(packed, &lender);
    const packed_t *own = packed_ref(lent);
    cr_assert_neq(lent, own);
    release(packed);
    release(lent); // counts nothing
    arena_finish(&lender);
    cr_assert(text_is(scene_of(packed_open(own, &room))->name, "Plaza"));
    const packed_t *again = packed_ref(own);
    cr_assert_eq(again, own);
    release(again);
    release(own);
}

// A device as most are: it says one address three times.
static const packed_t *
device_at(const char *address)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, "device-1234"));
    record_set_text(device, DEVICE_HOSTNAME, text_from(&arena, address));
    record_set_text(device, DEVICE_ADDRESS, text_from(&arena, address));
    record_set_text(device, DEVICE_PEER, text_from(&arena, address));
    record_set_integer(device, DEVICE_PORT, 20000);
    record_set_integer(device, DEVICE_SINCE, 1);
    return record_pack(&device_schema, device);
}

// 8 bytes of the block, 4 of the head, two numbers, key and address, two references.
Test(packed, a_text_that_an_earlier_member_has_takes_four_bytes)
{
    const packed_t *packed = device_at("127.0.0.1");
    cr_assert_eq(record_size(packed_frozen(packed)), 8 + 4 + 2 * 8 + 16 + 14 + 2 * 4);
    release(packed);
}

Test(packed, members_with_the_same_text_are_opened_as_that_text)
{
    struct opened room;
    const packed_t *packed = device_at("127.0.0.1");
    const struct device *device = device_open(packed_frozen(packed), &room);
    cr_assert(text_is(device->hostname, "127.0.0.1"));
    cr_assert_eq(device->address, device->hostname);
    cr_assert_eq(device->peer, device->hostname);
    release(packed);
}

Test(packed, a_rare_member_may_have_the_text_of_an_earlier_one)
{
    struct opened room;
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, "ros"));
    record_set_text(device, DEVICE_CONVENTION, text_from(&arena, "ros"));
    const packed_t *packed = record_pack(&device_schema, device);
    const struct device *opened = device_open(packed_frozen(packed), &room);
    cr_assert_eq(device_rare_of(opened)->convention, opened->key);
    cr_assert(text_is(opened->key, "ros"));
    release(packed);
}

Test(packed, an_empty_text_is_the_same_as_no_other)
{
    struct opened room;
    const packed_t *packed = device_at("");
    const struct device *device = device_open(packed_frozen(packed), &room);
    cr_assert_neq(device->address, device->hostname);
    cr_assert_eq(text_size(device->address), 0);
    release(packed);
}

Test(packed, what_it_has_is_known_without_opening)
{
    struct record *device = record_new(&arena, &device_schema);
    record_set_text(device, DEVICE_KEY, text_from(&arena, "phone"));
    record_set_text(device, DEVICE_CONVENTION, text_from(&arena, "ros"));
    const packed_t *packed = record_pack(&device_schema, device);
    const frozen_t *plain = record_freeze(&device_schema, device);
    for (unsigned id = 0; id <= DEVICE_SEAL_KEY; id++) {
        bool is_there = id == DEVICE_KEY || id == DEVICE_CONVENTION;
        cr_assert_eq(frozen_has(packed_frozen(packed), id), is_there, "%u", id);
        cr_assert_eq(frozen_has(plain, id), is_there, "%u", id);
    }
    release(packed);
    record_unref(&plain);
}
