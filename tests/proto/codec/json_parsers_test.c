// json_parsers_test.c - parsers are there for all who borrow, and are used again
// (json_text_test.c: threads keep none).
#include "proto/codec/json_parsers.h"

#include <criterion/criterion.h>

Test(parsers, what_comes_back_is_the_next_to_go)
{
    struct json_parser *first = json_parsers_borrow(), *second = json_parsers_borrow();
    cr_assert(first && second && first != second);
    json_parsers_give_back(first);
    json_parsers_give_back(second);
    cr_assert_eq(json_parsers_borrow(), second);
    cr_assert_eq(json_parsers_borrow(), first);
    json_parsers_give_back(first);
    json_parsers_give_back(second);
}
