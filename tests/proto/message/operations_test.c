// operations_test.c - what every row of the operation table must say.
#include "proto/message/operations.h"

#include <criterion/criterion.h>

Test(operations, every_reply_view_says_whose_records_it_shows)
{
    for (unsigned i = 0; i < OPERATION_COUNT; i++) {
        const struct view *view = operation_rows[i].reply;
        cr_assert(!view || (view->of && view->name),
                  "the view of %s needs .of and .name (proto/record/schema.h)",
                  operation_rows[i].name);
    }
}

Test(operations, views_of_one_schema_have_different_names)
{
    for (unsigned i = 0; i < OPERATION_COUNT; i++)
        for (unsigned j = 0; j < i; j++) {
            const struct view *a = operation_rows[i].reply, *b = operation_rows[j].reply;
            cr_assert(!a || !b || a == b || strcmp(a->of->name, b->of->name) != 0 ||
                          strcmp(a->name, b->name) != 0,
                      "%s and %s", operation_rows[i].name, operation_rows[j].name);
        }
}

Test(operations, every_row_has_a_sentence)
{
    for (unsigned i = 0; i < OPERATION_COUNT; i++) {
        const char *sentence = operation_rows[i].sentence;
        cr_assert(strlen(sentence) > 10 && sentence[strlen(sentence) - 1] == '.', "%s", sentence);
    }
}
