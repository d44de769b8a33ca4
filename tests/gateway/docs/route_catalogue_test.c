// route_catalogue_test.c - words and lists that follow from the columns of a row.
#include "gateway/docs/route_catalogue.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/records/params.h"

static const struct route rows[] = {
    {.method = HTTP_GET,
     .path = "/v1/scene/{scene}",
     .operation = SCENE_GET,
     .reply = {.form = REPLY_ENVELOPE, .array = "scenes"}},
    {.method = HTTP_PUT,
     .path = "/v1/scene/{scene}/align",
     .operation = ALIGN,
     .body = BODY_WRAPPED,
     .reply = {.form = REPLY_ENVELOPE, .array = "scenes"}},
    {.method = HTTP_POST, .path = "/v1/scene/{scene}/align", .operation = ALIGN},
    {.method = HTTP_GET,
     .path = "/livez",
     .operation = NO_OPERATION,
     .access = ACCESS_OPEN,
     .reply = {.form = REPLY_PROBE},
     .sentence = "Alive."},
    {.method = HTTP_GET, .path = "/v1/all", .operation = SCENE_GET, .called = "allGet"},
};
static const struct route_table table = {rows, sizeof rows / sizeof rows[0]};

static void
assert_id(size_t row, const char *expected)
{
    struct buffer out = {0};
    route_catalogue_put_id(&table, &rows[row], &out);
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
    buffer_finish(&out);
}

Test(route_catalogue, route_is_named_after_its_operation_or_by_its_row)
{
    assert_id(0, "sceneGet");
    assert_id(1, "align");
    assert_id(4, "allGet");
    cr_assert_null(route_catalogue_alias_of(&table, &rows[1]));
    cr_assert_null(route_catalogue_alias_of(&table, &rows[3]));
    cr_assert_null(route_catalogue_alias_of(&table, &rows[4]));
}

Test(route_catalogue, alias_is_named_after_method_and_path)
{
    assert_id(2, "postV1SceneSceneAlign");
    cr_assert_eq(route_catalogue_alias_of(&table, &rows[2]), &rows[1]);
}

Test(route_catalogue, probe_is_named_after_method_and_path)
{
    assert_id(3, "getLivez");
}

Test(route_catalogue, route_belongs_to_the_noun_that_comes_last)
{
    cr_assert_str_eq(route_catalogue_noun(&rows[0])->name, "scenes");
    cr_assert_str_eq(route_catalogue_noun(&rows[1])->name, "devices");
    cr_assert_str_eq(route_catalogue_noun(&rows[3])->name, "server");
}

Test(route_catalogue, sentence_is_that_of_the_row_or_of_its_operation)
{
    cr_assert_str_eq(route_catalogue_sentence(&rows[3]), "Alive.");
    cr_assert_str_eq(route_catalogue_sentence(&rows[0]), operation_rows[SCENE_GET].sentence);
}

Test(route_catalogue, columns_imply_failures)
{
    uint32_t get = route_catalogue_errors(&rows[0]), align = route_catalogue_errors(&rows[1]);
    uint32_t live = route_catalogue_errors(&rows[3]);
    cr_assert(get & ERROR_BIT(ERR_NOT_FOUND));
    cr_assert_not(get & ERROR_BIT(ERR_MISSING));
    cr_assert(align & ERROR_BIT(ERR_MISSING));
    cr_assert(align & ERROR_BIT(ERR_MEDIA_TYPE));
    cr_assert(align & ERROR_BIT(ERR_STORAGE_FULL));
    cr_assert_not(live & ERROR_BIT(ERR_UNAUTHENTICATED));
    cr_assert(live & ERROR_BIT(ERR_TOO_SLOW));
}

Test(route_catalogue, parameter_of_the_path_is_required)
{
    struct parameters parameters;
    route_catalogue_parameters(&rows[0], &parameters);
    cr_assert_geq(parameters.count, 1);
    cr_assert_str_eq(parameters.items[0].name, "scene");
    cr_assert(parameters.items[0].in_path && parameters.items[0].required);
}
