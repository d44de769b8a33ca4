// list_area_test.c - the part of the map that a request names, and what lies in it.
#include "proto/message/list_area.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

static struct arena arena;
static struct list_area area;

static enum error
read(unsigned param, const char *value)
{
    struct params *params = (struct params *)(void *)record_new(&arena, &params_schema);
    record_set_text(&params->base, param, text_from(&arena, value));
    return list_area_read(params, &area);
}

static void
expect_refused(unsigned param, const char *pointer, const char *value)
{
    struct fault fault;
    cr_assert_eq(ERR_INVALID, read(param, value), "%s", value);
    fault_take(ERR_INVALID, &fault);
    cr_assert_str_eq(pointer, fault.pointer);
}

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(list_area, .fini = end);

Test(list_area, a_request_that_names_none_is_everywhere)
{
    const struct params *params =
        (const struct params *)(const void *)record_new(&arena, &params_schema);
    cr_assert_eq(OK, list_area_read(params, &area));
    cr_assert_eq(LIST_EVERYWHERE, area.form);
    cr_assert(list_area_has(&area, 12, 34));
}

Test(list_area, a_box_is_south_west_north_east)
{
    cr_assert_eq(OK, read(PARAMS_BOX, "-1.5,2e1,+3,40"));
    cr_assert_eq(LIST_BOX, area.form);
    cr_assert_eq(-1.5, area.box.south);
    cr_assert_eq(20, area.box.west);
    cr_assert_eq(3, area.box.north);
    cr_assert_eq(40, area.box.east);
    cr_assert(list_area_has(&area, 0, 30));
    cr_assert_not(list_area_has(&area, 0, 41));
}

static void
expect_bbox(const char *value)
{
    cr_assert_eq(OK, read(PARAMS_BBOX, value), "%s", value);
    cr_assert_eq(LIST_BOX, area.form);
    cr_assert_eq(-1.5, area.box.west);
    cr_assert_eq(20, area.box.south);
    cr_assert_eq(3, area.box.east);
    cr_assert_eq(40, area.box.north);
}

Test(list_area, a_box_of_maps_is_west_south_east_north_with_heights_or_without)
{
    expect_bbox("-1.5,2e1,+3,40");
    expect_bbox("-1.5,20,-1e9,3,40,1e9");
}

Test(list_area, a_box_of_maps_that_makes_no_sense_is_refused)
{
    static const char *const wrong[] = {"1,2,3",      "1,2,3,4,5", "1,2,3,4,5,6,7", "1,2,3,x",
                                        "1,2,3,4,",   "1,2,nan,4", "-181,0,0,1",    "0,-91,1,0",
                                        "0,1,1,0.5",  "0,0,1,91",  "0 ,1,2,3",      "0,0,0,1,1",
                                        "0,9,0,1,1,0"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_refused(PARAMS_BBOX, "/bbox", wrong[i]);
}

static enum error
read_both(unsigned a, unsigned b)
{
    struct params *params = (struct params *)(void *)record_new(&arena, &params_schema);
    record_set_text(&params->base, a, text_from(&arena, "1,2,3,4"));
    record_set_text(&params->base, b, text_from(&arena, "1,2,3,4"));
    return list_area_read(params, &area);
}

Test(list_area, of_two_boxes_none_counts)
{
    cr_assert_eq(ERR_INVALID, read_both(PARAMS_BOX, PARAMS_BBOX));
    cr_assert_eq(ERR_INVALID, read_both(PARAMS_BBOX, PARAMS_NEAR));
}

Test(list_area, a_circle_is_a_place_and_kilometres)
{
    cr_assert_eq(OK, read(PARAMS_NEAR, "50,6,11.2"));
    cr_assert_eq(LIST_CIRCLE, area.form);
    cr_assert(list_area_has(&area, 50.1, 6));
    cr_assert_not(list_area_has(&area, 50.2, 6));
}

Test(list_area, what_is_not_four_numbers_is_no_box)
{
    static const char *const wrong[] = {"1",        "1,2,3",   "1,2,3,",    "1,2,3,4,5",
                                        ",1,2,3",   "1;2;3;4", "1,2,3,inf", "1,2,3,0x10",
                                        "1,2,3,4 ", "1,,3,4",  "1,2,3,e",   "1,2,3,1e999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_refused(PARAMS_BOX, "/box", wrong[i]);
}

Test(list_area, what_is_off_the_map_is_no_area)
{
    expect_refused(PARAMS_BOX, "/box", "-91,0,0,0");
    expect_refused(PARAMS_BOX, "/box", "0,0,0,180.1");
    expect_refused(PARAMS_BOX, "/box", "1,0,0,0");
    expect_refused(PARAMS_NEAR, "/near", "0,181,1");
    expect_refused(PARAMS_NEAR, "/near", "0,0,-1");
}
