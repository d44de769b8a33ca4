// projection_test.c - which members a list shows.
#include "gateway/request/projection.h"

#include <criterion/criterion.h>

#include "proto/records/object.h"

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(projection, .fini = finish);

static enum error
apply(const char *fields, struct view *ret_view)
{
    struct params *params = (void *)record_new(&arena, &params_schema);
    record_set_text(&params->base, PARAMS_FIELDS, text_from(&arena, fields));
    *ret_view = object_view_listed;
    return projection_apply(params, ret_view);
}

Test(projection, shows_what_is_named_and_the_key)
{
    struct view view;
    cr_assert_eq(apply("name,changed_us,", &view), OK);
    cr_assert_eq(FIELD_BIT(OBJECT_KEY) | FIELD_BIT(OBJECT_NAME) | FIELD_BIT(OBJECT_CHANGED),
                 view.fields);
    cr_assert_eq(FIELD_BIT(OBJECT_CHANGED), view.revealed);
    cr_assert_eq(apply("name", &view), OK);
    cr_assert_eq(0, view.revealed);
}

Test(projection, shows_all_where_nothing_is_named)
{
    struct view view;
    cr_assert_eq(apply("", &view), OK);
    cr_assert_eq(object_view_listed.fields, view.fields);
}

Test(projection, refuses_what_is_hidden_or_not_there)
{
    struct view view;
    cr_assert_eq(apply("user", &view), ERR_INVALID);
    cr_assert_eq(apply("name,,type", &view), ERR_INVALID);
    cr_assert_eq(apply("nothing", &view), ERR_INVALID);
}
