// shapes_test.c - the records that routes bring and show.
#include "gateway/docs/shapes.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "gateway/routes.h"
#include "proto/codec/record_openapi.h"
#include "proto/records/params.h"

static struct shapes *shapes;

static void
end(void)
{
    free(shapes);
}

TestSuite(shapes, .fini = end);

// How often a schema is among the shapes, as a request or as a view.
static unsigned
count(const struct schema *schema, bool is_request)
{
    unsigned found = 0;
    for (unsigned i = 0; i < shapes->count; i++)
        found += shapes->items[i].schema == schema && shapes->items[i].is_request == is_request;
    return found;
}

Test(shapes, table_without_rows_has_the_envelope_alone)
{
    shapes = shapes_collect(&(struct route_table){NULL, 0});
    cr_assert_eq(count(&params_body_schema, true), 1);
    cr_assert_eq(count(&udp_state_schema, false), 1);
}

Test(shapes, record_of_two_routes_is_collected_once)
{
    static const struct route rows[] = {
        {.method = HTTP_PUT, .operation = SCENE_PUT, .body = BODY_WRAPPED},
        {.method = HTTP_PUT, .operation = SCENE_PUT, .body = BODY_WRAPPED},
    };
    shapes = shapes_collect(&(struct route_table){rows, 2});
    cr_assert_eq(count(operation_rows[SCENE_PUT].request, true), 1);
    cr_assert_eq(count(operation_rows[SCENE_PUT].reply->of, false), 1);
}

Test(shapes, records_of_one_name_are_the_same)
{
    shapes = shapes_collect(&(struct route_table){routes, routes_count});
    for (unsigned i = 0; i < shapes->count; i++)
        for (unsigned j = 0; j < i; j++) {
            struct buffer a = {0}, b = {0};
            openapi_put_name(shapes->items[i].schema,
                             shapes->items[i].is_request ? NULL : &shapes->items[i].view, &a);
            openapi_put_name(shapes->items[j].schema,
                             shapes->items[j].is_request ? NULL : &shapes->items[j].view, &b);
            cr_assert(a.size != b.size || memcmp(a.data, b.data, a.size) != 0, "%.*s: %u and %u",
                      (int)a.size, a.data, i, j);
            buffer_finish(&a);
            buffer_finish(&b);
        }
}
