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

// A query string of tilesets has a text of this name.
Test(params, frame_of_a_path_is_a_number)
{
    cr_assert_eq(from_path("/v1/scene/s/object/o/action/walk/keyframe/-3"), OK);
    cr_assert_eq(params->frame, -3);
    cr_assert_eq(from_path("/v1/scene/s/object/o/action/walk/keyframe/x"), ERR_MALFORMED);
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

Test(params, a_route_may_say_that_poses_are_places)
{
    const struct route route = {.is_placed = true};
    cr_assert_eq(params_settle(&arena, params, &route), OK);
    cr_assert(params_want_geopose(params));
    cr_assert(params->placed);
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

static void
expect_name_refused(const char *query, const char *pointer, const struct route *route)
{
    struct fault fault;
    cr_assert_eq(ERR_MALFORMED, params_check_names(&arena, query, route), "%s", query);
    fault_take(ERR_MALFORMED, &fault);
    cr_assert_str_eq(pointer, fault.pointer);
}

Test(params, an_exact_route_takes_what_it_names_and_what_its_records_are_found_by)
{
    const struct route route = {.operation = SCENE_LIST,
                                .body = BODY_QUERY,
                                .page_most = 10,
                                .takes = FIELD_BIT(PARAMS_BBOX) | FIELD_BIT(PARAMS_FORM),
                                .is_exact = true};
    cr_assert_eq(OK, params_check_names(&arena, "bbox=1&limit=2&f=geopose&name=x&&", &route));
    expect_name_refused("bbox=1&colour=red", "/colour", &route);
    expect_name_refused("offset=1", "/offset", &route);
    expect_name_refused("alone", "/alone", &route);
    expect_name_refused("l%61titude=1", "/latitude", &route);
    expect_name_refused("=1", "/", &route);
    cr_assert_eq(ERR_MALFORMED, params_check_names(&arena, "%zz=1", &route));
}

Test(params, a_page_of_an_exact_route_has_a_record_at_least)
{
    const struct route route = {.page = 10, .page_most = 10, .is_exact = true};
    cr_assert_eq(OK, params_settle(&arena, params, &route));
    cr_assert_eq(10, params->num_records);
    record_set_integer(&params->base, PARAMS_NUM_RECORDS, 0);
    cr_assert_eq(ERR_INVALID, params_settle(&arena, params, &route));
}

Test(params, other_routes_take_every_name)
{
    const struct route route = {.operation = SCENE_LIST, .body = BODY_QUERY};
    cr_assert_eq(OK, params_check_names(&arena, "colour=red&%zz", &route));
}

static enum error
settle_feature(const char *id)
{
    const struct route route = {.operation = DEVICE_LIST};
    record_set_text(&params->base, PARAMS_FEATURE, text_from(&arena, id));
    return params_settle(&arena, params, &route);
}

Test(params, the_id_of_a_feature_is_a_device_and_its_scene)
{
    cr_assert_eq(OK, settle_feature("desk%401@hall%20a"));
    cr_assert(text_is(params->feature, "desk@1"));
    cr_assert(text_is(params->scene, "hall a"));
    cr_assert_not(record_has(&params->base, PARAMS_DEVICE));
}

Test(params, what_can_be_no_feature_is_not_there)
{
    cr_assert_eq(ERR_NOT_FOUND, settle_feature("desk"));
    cr_assert_eq(ERR_NOT_FOUND, settle_feature("@hall"));
    cr_assert_eq(ERR_NOT_FOUND, settle_feature("desk@"));
    cr_assert_eq(ERR_MALFORMED, settle_feature("desk%@hall"));
}
