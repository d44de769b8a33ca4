// routes_test.c - what holds for all rows of the table of routes.
#include "gateway/routes.h"

#include <criterion/criterion.h>
#include <string.h>

static bool
same_path(size_t a, size_t b)
{
    return strcmp(routes[a].path, routes[b].path) == 0;
}

Test(routes, rows_of_one_path_stand_together)
{
    for (size_t i = 0; i < routes_count; i++)
        for (size_t j = i + 1; j < routes_count; j++)
            if (same_path(i, j))
                cr_assert(same_path(j - 1, i), "%s", routes[j].path);
}

Test(routes, a_path_has_one_row_a_method)
{
    for (size_t i = 0; i < routes_count; i++)
        for (size_t j = i + 1; j < routes_count; j++)
            cr_assert_not(same_path(i, j) && routes[i].method == routes[j].method, "%s",
                          routes[j].path);
}

Test(routes, bodies_belong_to_operations_that_take_records)
{
    for (size_t i = 0; i < routes_count; i++)
        if (routes[i].body != BODY_NONE) {
            cr_assert_lt(routes[i].operation, NO_OPERATION, "%s", routes[i].path);
            cr_assert_not_null(operation_rows[routes[i].operation].request, "%s", routes[i].path);
        }
}

Test(routes, no_row_asks_for_what_is_between_actors)
{
    for (size_t i = 0; i < routes_count; i++)
        if (routes[i].operation < NO_OPERATION)
            cr_assert_neq(operation_rows[routes[i].operation].access, ACCESS_INTERNAL, "%s",
                          routes[i].path);
}

Test(routes, pages_for_browsers_are_the_last_rows_and_no_other_is_left_out)
{
    for (size_t i = 0; i < routes_count; i++) {
        const struct reply_shape *reply = &routes[i].reply;
        bool is_page = reply->serve && strncmp(reply->media_type, "text/html", 9) == 0;
        cr_assert_eq(is_page, i >= routes_described_count, "%s", routes[i].path);
    }
}
