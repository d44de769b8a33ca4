// record_check_test.c - every rule that a value can break, with the place that it names.
#include "proto/record/record_check.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/records/device.h"
#include "proto/records/scene.h"
#include "tests/support/samples.h"

static struct arena arena;
static struct sample *self;

static void
begin(void)
{
    self = (struct sample *)(void *)record_new(&arena, &sample_schema);
}

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(record_check, .init = begin, .fini = finish);
TestSuite(path, .fini = finish);

// A text of `size` bytes.
static const struct text *
text_of(size_t size)
{
    char *chars = arena_alloc(&arena, size + 1);
    memset(chars, 'x', size);
    return text_new(&arena, chars, size);
}

static void
refused(enum error error, const char *pointer, const char *detail)
{
    cr_assert_eq(record_check(&self->base, "/samples/2"), error);
    cr_assert_str_eq(fault_last()->pointer, pointer);
    cr_assert_str_eq(fault_last()->detail, detail);
}

static void
accepted(void)
{
    cr_assert_eq(record_check(&self->base, "/samples/2"), OK, "%s: %s", fault_last()->pointer,
                 fault_last()->detail);
}

static void
set_number(double *member, unsigned id, double value)
{
    *member = value;
    record_mark(&self->base, id);
}

static struct records *
set_values(uint32_t count)
{
    struct records *list = records_new(&arena, count);
    for (; list->count < count; list->count++)
        list->items[list->count] = record_new(&arena, &sample_value_schema);
    self->values = list;
    record_mark(&self->base, SAMPLE_VALUES);
    return list;
}

Test(record_check, a_record_with_nothing_present_is_fine)
{
    accepted();
}

Test(record_check, what_is_not_present_is_not_looked_at)
{
    self->ratio = NAN;
    self->count = 100;
    accepted();
}

Test(record_check, a_text_ends_at_its_limit_in_bytes)
{
    record_set_text(&self->base, SAMPLE_NAME, text_of(8));
    accepted();
    record_set_text(&self->base, SAMPLE_NAME, text_of(9));
    refused(ERR_INVALID, "/samples/2/name", "must have at most 8 bytes");
}

Test(record_check, a_text_without_a_limit_ends_at_4096_bytes)
{
    record_set_text(&self->base, SAMPLE_FIXED, text_of(4096));
    accepted();
    record_set_text(&self->base, SAMPLE_FIXED, text_of(4097));
    refused(ERR_INVALID, "/samples/2/fixed", "must have at most 4096 bytes");
}

Test(record_check, bad_utf8_is_malformed)
{
    record_set_text(&self->base, SAMPLE_NAME, text_from(&arena, "12345\xc3\xa9"));
    accepted();
    record_set_text(&self->base, SAMPLE_NAME, text_from(&arena, "1234567\xc3"));
    refused(ERR_MALFORMED, "/samples/2/name", "must be UTF-8");
    record_set_text(&self->base, SAMPLE_FIXED, text_from(&arena, "12345678\xff"));
    record_set_text(&self->base, SAMPLE_NAME, NULL);
    refused(ERR_MALFORMED, "/samples/2/fixed", "must be UTF-8");
}

Test(record_check, a_key_obeys_the_rule_of_keys)
{
    static const char *const bad[] = {"", "a/b", "query", "cache", "a\nb"};
    record_set_text(&self->base, SAMPLE_KEY, text_of(128));
    accepted();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        record_set_text(&self->base, SAMPLE_KEY, text_from(&arena, bad[i]));
        cr_assert_eq(record_check(&self->base, ""), ERR_INVALID, "'%s'", bad[i]);
        cr_assert_str_eq(fault_last()->pointer, "/key");
    }
    record_set_text(&self->base, SAMPLE_KEY, text_of(129));
    cr_assert_eq(record_check(&self->base, ""), ERR_INVALID);
}

Test(record_check, an_integer_stays_within_its_bounds)
{
    record_set_integer(&self->base, SAMPLE_COUNT, 1);
    accepted();
    record_set_integer(&self->base, SAMPLE_COUNT, 9);
    accepted();
    record_set_integer(&self->base, SAMPLE_COUNT, 0);
    refused(ERR_INVALID, "/samples/2/count", "must be from 1 to 9");
    record_set_integer(&self->base, SAMPLE_COUNT, 10);
    refused(ERR_INVALID, "/samples/2/count", "must be from 1 to 9");
}

Test(record_check, an_integer_without_bounds_is_any)
{
    record_set_integer(&self->base, SAMPLE_STAMP, INT64_MIN);
    accepted();
    record_set_integer(&self->base, SAMPLE_STAMP, INT64_MAX);
    accepted();
}

Test(record_check, a_number_stays_within_its_bounds)
{
    set_number(&self->ratio, SAMPLE_RATIO, -1);
    accepted();
    set_number(&self->ratio, SAMPLE_RATIO, 1.0000000000000002);
    refused(ERR_INVALID, "/samples/2/ratio", "must be from -1 to 1");
}

Test(record_check, a_number_is_finite)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        set_number(&self->ratio, SAMPLE_RATIO, bad[i]);
        refused(ERR_INVALID, "/samples/2/ratio", "must be finite");
    }
}

Test(record_check, each_of_several_numbers_is_finite)
{
    set_number(&self->corner[0], SAMPLE_CORNER, 1e308);
    accepted();
    self->corner[1] = INFINITY;
    refused(ERR_INVALID, "/samples/2/corner/1", "must be finite");
}

Test(record_check, a_list_of_texts_ends_at_its_limit)
{
    struct texts *list = arena_alloc(&arena, sizeof(*list) + 4 * sizeof(list->items[0]));
    self->words = list;
    record_mark(&self->base, SAMPLE_WORDS);
    list->count = 3;
    accepted();
    list->count = 4;
    refused(ERR_INVALID, "/samples/2/words", "must have at most 3 items");
}

Test(record_check, each_text_of_a_list_is_checked)
{
    struct texts *list = arena_alloc(&arena, sizeof(*list) + 2 * sizeof(list->items[0]));
    self->words = list;
    record_mark(&self->base, SAMPLE_WORDS);
    list->count = 2;
    list->items[1] = text_of(LIMIT_TEXT_BYTES + 1);
    refused(ERR_INVALID, "/samples/2/words/1", "must have at most 4096 bytes");
    list->items[1] = text_from(&arena, "\xed\xa0\x80");
    refused(ERR_MALFORMED, "/samples/2/words/1", "must be UTF-8");
}

Test(record_check, a_list_of_records_ends_at_its_limit)
{
    set_values(4);
    accepted();
    set_values(5);
    refused(ERR_INVALID, "/samples/2/values", "must have at most 4 items");
}

Test(record_check, records_in_lists_are_checked)
{
    struct records *list = set_values(3);
    struct sample_value *last = (struct sample_value *)(void *)list->items[2];
    last->value = NAN;
    record_mark(&last->base, SAMPLE_VALUE);
    refused(ERR_INVALID, "/samples/2/values/2/value", "must be finite");
}

Test(record_check, nested_records_are_checked)
{
    struct record *nested = record_new(&arena, &sample_value_schema);
    record_set_text(nested, SAMPLE_LEFT_TYPE, text_from(&arena, "\x80"));
    self->value = nested;
    record_mark(&self->base, SAMPLE_NESTED);
    refused(ERR_MALFORMED, "/samples/2/nested/left_type", "must be UTF-8");
}

Test(record_check, a_device_deep_in_a_scene_is_named_by_its_place)
{
    struct scene *scene = (struct scene *)(void *)record_new(&arena, &scene_schema);
    struct records *devices = records_new(&arena, 2);
    for (; devices->count < 2; devices->count++)
        devices->items[devices->count] = record_new(&arena, &device_schema);
    scene->devices = devices;
    record_mark(&scene->base, SCENE_DEVICES);
    record_set_integer(devices->items[1], DEVICE_PORT, 65536);
    cr_assert_eq(record_check(&scene->base, "/scenes/0"), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/scenes/0/devices/1/port");
    cr_assert_str_eq(fault_last()->detail, "must be from 0 to 65535");
}

Test(record_check, random_records_pass)
{
    struct random random = {11};
    for (unsigned i = 0; i < 2200; i++) {
        const struct schema *schema = all_schemas[i % ALL_SCHEMAS];
        cr_assert_eq(record_check(random_record(&random, &arena, schema, 0), "/x"), OK, "%s %s",
                     fault_last()->pointer, fault_last()->detail);
    }
}

// --- paths ---------------------------------------------------------------------------------------

Test(path, names_are_escaped_as_rfc_6901_says)
{
    struct path root = {.name = "/objects/0"};
    struct path member = {.up = &root, .name = "a/b~c"};
    struct path item = {.up = &member, .index = 12};
    cr_assert_eq(path_fail(&item, ERR_INVALID, "must be %d", 5), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/objects/0/a~1b~0c/12");
    cr_assert_str_eq(fault_last()->detail, "must be 5");
}

Test(path, the_root_of_a_body_is_the_empty_pointer)
{
    struct path root = {.name = ""};
    cr_assert_eq(path_fail(&root, ERR_MALFORMED, "must be an object"), ERR_MALFORMED);
    cr_assert_str_eq(fault_last()->pointer, "");
}

Test(path, what_passes_the_room_of_a_fault_is_cut)
{
    struct path root = {.name = ""};
    struct path member = {.up = &root, .name = text_of(500)->data};
    cr_assert_eq(path_fail(&member, ERR_INVALID, "%s", text_of(500)->data), ERR_INVALID);
    cr_assert_eq(strlen(fault_last()->pointer), sizeof fault_last()->pointer - 1);
    cr_assert_eq(strncmp(fault_last()->pointer, "/xxx", 4), 0);
}
