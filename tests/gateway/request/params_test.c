// params_test.c - path, query string and body envelope into struct params.
#include "gateway/request/params.h"

#include <criterion/criterion.h>

#include "gateway/router.h"

static struct arena arena;
static struct params *params;

static void
init(void)
{
    params = (struct params *)(void *)record_new(&arena, &params_schema);
}

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(params, .init = init, .fini = finish);

static enum error
from_body(const char *text)
{
    const struct json *body;
    cr_assert_eq(json_parse(&arena, text, strlen(text), &body), OK);
    const struct record_reader reader = {.arena = &arena};
    return params_from_body(&reader, false, body, params);
}

static enum error
from_path(const char *path)
{
    struct route_match match = {0};
    cr_assert_eq(router_find(&arena, path, &match), OK);
    return params_from_path(&arena, &match, params);
}

Test(params, path_names_scene_object_and_asset)
{
    cr_assert_eq(from_path("/v1/scene/s%201/object/o1/asset/a1"), OK);
    cr_assert(text_is(params->scene, "s 1"));
    cr_assert(text_is(params->object, "o1"));
    cr_assert(text_is(params->asset, "a1"));
    cr_assert_not(record_has(&params->base, PARAMS_DEVICE));
}

Test(params, what_the_path_named_outlives_the_path)
{
    struct arena of_path = {0};
    struct route_match match = {0};
    cr_assert_eq(router_find(&of_path, "/v1/scene/home", &match), OK);
    const struct text *in_path = match.params[0].value;
    cr_assert_eq(params_from_path(&arena, &match, params), OK);
    cr_assert_neq(params->scene, in_path);
    arena_finish(&of_path);
    cr_assert(text_is(params->scene, "home"));
}

Test(params, bad_key_in_a_path_is_invalid_without_a_pointer)
{
    cr_assert_eq(from_path("/v1/scene/a%2Fb"), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "");
    cr_assert_str_eq(fault_last()->detail, "scene must not have a /");
}

Test(params, path_that_is_no_utf_8_is_malformed)
{
    cr_assert_eq(from_path("/v1/scene/%ff"), ERR_MALFORMED);
}

Test(params, query_string_is_decoded)
{
    cr_assert_eq(params_from_query(&arena, "x=1&device=d%20+1&start_record=7",
                                   params_view_query.fields, params),
                 OK);
    cr_assert(text_is(params->device, "d  1"));
    cr_assert_eq(params->start_record, 7);
}

Test(params, owner_is_another_name_of_device)
{
    cr_assert_eq(params_from_query(&arena, "owner=d1", params_view_query.fields, params), OK);
    cr_assert(text_is(params->device, "d1"));
}

Test(params, empty_value_is_absent)
{
    cr_assert_eq(params_from_query(&arena, "device=&num_records", params_view_query.fields, params),
                 OK);
    cr_assert_eq(params->base.present, 0);
}

Test(params, query_string_names_no_scene)
{
    cr_assert_eq(
        params_from_query(&arena, "scene=s1&object=o1&user=u1", params_view_query.fields, params),
        OK);
    cr_assert_eq(params->base.present, 0);
}

Test(params, query_string_has_what_its_route_takes)
{
    const uint64_t takes = FIELD_BIT(PARAMS_SCENES) | FIELD_BIT(PARAMS_RATE);
    cr_assert_eq(params_from_query(&arena, "scene=s1&rate=60&scene=s%2C2",
                                   takes | params_view_query.fields, params),
                 OK);
    cr_assert_eq(params->rate, 60);
    cr_assert_eq(params->scenes->count, 2);
    cr_assert(text_is(params->scenes->items[0], "s1"));
    cr_assert(text_is(params->scenes->items[1], "s,2"));
    cr_assert_not(record_has(&params->base, PARAMS_SCENE), "that is the path's");
}

Test(params, query_string_wants_integers)
{
    cr_assert_eq(params_from_query(&arena, "num_records=ten", params_view_query.fields, params),
                 ERR_MALFORMED);
    cr_assert_str_eq(fault_last()->detail, "num_records must be an integer");
}

Test(params, bad_encoding_in_a_query_string_is_malformed)
{
    cr_assert_eq(params_from_query(&arena, "device=%g1", params_view_query.fields, params),
                 ERR_MALFORMED);
}

Test(params, body_says_pages_and_modes)
{
    cr_assert_eq(from_body("{\"num_records\":3,\"start_record\":2,\"operation\":10,"
                           "\"msg_type\":\"ignored\",\"objects\":[]}"),
                 OK);
    cr_assert_eq(params->num_records, 3);
    cr_assert_eq(params->start_record, 2);
    cr_assert_eq(params_list_mode(params), LIST_APPEND);
}

Test(params, bare_record_says_nothing_of_who_asks)
{
    cr_assert_eq(from_body("{\"owner\":\"d1\",\"scene\":\"s1\",\"device\":\"d2\"}"), OK);
    cr_assert_eq(params->base.present, 0);
}

Test(params, one_transaction_has_one_id)
{
    cr_assert_eq(from_body("{\"transaction_id\":7}"), OK);
    cr_assert_eq(params_from_query(&arena, "transaction_id=t1", params_view_query.fields, params),
                 OK);
    cr_assert_eq(params->base.present, FIELD_BIT(PARAMS_TRANSACTION_ID));
}

Test(params, null_is_absent)
{
    cr_assert_eq(from_body("{\"num_records\":null,\"transaction_id\":null}"), OK);
    cr_assert_eq(params->base.present, 0);
}

Test(params, ranges_are_checked)
{
    cr_assert_eq(from_body("{\"num_records\":10001}"), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/num_records");
    cr_assert_eq(from_body("{\"start_record\":-1}"), ERR_INVALID);
    cr_assert_str_eq(fault_last()->pointer, "/start_record");
}

Test(params, wrong_type_is_malformed)
{
    cr_assert_eq(from_body("{\"operation\":\"append\"}"), ERR_MALFORMED);
    cr_assert_str_eq(fault_last()->pointer, "/operation");
}

static enum error
settle(unsigned page, unsigned most)
{
    const struct route route = {.page = page, .page_most = most};
    return params_settle(&arena, params, &route);
}

Test(params, no_number_of_records_means_a_page)
{
    cr_assert_eq(settle(10, 0), OK);
    cr_assert_eq(params->num_records, 10);
    cr_assert(record_has(&params->base, PARAMS_NUM_RECORDS));
}

Test(params, zero_records_means_a_page)
{
    cr_assert_eq(from_body("{\"num_records\":0}"), OK);
    cr_assert_eq(settle(10, 0), OK);
    cr_assert_eq(params->num_records, 10);
}

Test(params, zero_records_means_nothing_where_there_are_no_pages)
{
    cr_assert_eq(from_body("{\"num_records\":0}"), OK);
    cr_assert_eq(settle(0, 0), OK);
    cr_assert_not(record_has(&params->base, PARAMS_NUM_RECORDS));
}

Test(params, given_number_of_records_stays)
{
    cr_assert_eq(from_body("{\"num_records\":3}"), OK);
    cr_assert_eq(settle(10, 0), OK);
    cr_assert_eq(params->num_records, 3);
}

Test(params, more_records_than_the_route_gives_are_invalid)
{
    cr_assert_eq(from_body("{\"num_records\":1001}"), OK);
    cr_assert_eq(settle(10, 1000), ERR_INVALID);
    cr_assert_str_eq(fault_last()->detail, "num_records must be at most 1000");
}

Test(params, more_records_than_a_map_is_given_are_as_many_as_it_is_given)
{
    const struct route route = {.page = 10, .page_most = 1000, .takes_any_page = true};
    cr_assert_eq(from_body("{\"num_records\":1001}"), OK);
    cr_assert_eq(params_settle(&arena, params, &route), OK);
    cr_assert_eq(params->num_records, 1000);
}

static enum error
settle_bbox(enum operation operation, const char *bbox)
{
    const struct route route = {.operation = operation};
    record_set_text(&params->base, PARAMS_BBOX, text_from(&arena, bbox));
    return params_settle(&arena, params, &route);
}

Test(params, a_box_of_maps_is_a_box_of_scenes)
{
    cr_assert_eq(settle_bbox(SCENE_LIST, "1.5,2,3,4"), OK);
    cr_assert_str_eq(text_chars(params->box), "2,1.5,4,3");
}

Test(params, a_box_of_maps_is_none_of_objects)
{
    cr_assert_eq(settle_bbox(OBJECT_LIST, "1.5,2,3,4"), OK);
    cr_assert_not(record_has(&params->base, PARAMS_BOX));
    cr_assert_eq(settle_bbox(OBJECT_LIST, "1.5,2,3"), ERR_INVALID);
}

Test(params, a_route_may_say_the_form_of_poses)
{
    const struct route route = {.form = "feature"};
    cr_assert_eq(params_settle(&arena, params, &route), OK);
    cr_assert(params_want_geopose(params));
    cr_assert(params_may_lack_geopose(params));
}

Test(params, page_counts_in_records_of_a_page)
{
    cr_assert_eq(
        params_from_query(&arena, "page=3&num_records=20", params_view_query.fields, params), OK);
    cr_assert_eq(settle(10, 1000), OK);
    cr_assert_eq(params->start_record, 60);
}

Test(params, page_of_the_default_size)
{
    cr_assert_eq(params_from_query(&arena, "page=2", params_view_query.fields, params), OK);
    cr_assert_eq(settle(10, 1000), OK);
    cr_assert_eq(params->start_record, 20);
}

Test(params, start_record_wins_over_page)
{
    cr_assert_eq(
        params_from_query(&arena, "page=2&start_record=5", params_view_query.fields, params), OK);
    cr_assert_eq(settle(10, 1000), OK);
    cr_assert_eq(params->start_record, 5);
}

Test(params, last_page_that_can_be_named_begins_at_an_exact_number)
{
    cr_assert_eq(params_from_query(&arena, "page=900719925474&num_records=10000",
                                   params_view_query.fields, params),
                 OK);
    cr_assert_eq(settle(10, 0), OK);
    cr_assert_eq(params->start_record, 9007199254740000);
    cr_assert_eq(params_from_query(&arena, "page=900719925475", params_view_query.fields, params),
                 ERR_INVALID);
}

Test(params, limit_and_offset_are_other_names)
{
    cr_assert_eq(params_from_query(&arena, "limit=7&offset=2", params_view_query.fields, params),
                 OK);
    cr_assert_eq(params->num_records, 7);
    cr_assert_eq(params->start_record, 2);
}
