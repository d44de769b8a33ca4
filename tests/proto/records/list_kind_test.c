// list_kind_test.c - the rows of kinds name members that are there, of types that can be compared.
#include "proto/records/list_kind.h"

#include <criterion/criterion.h>

#include "proto/records/device.h"
#include "proto/records/object.h"

Test(list_kind, rows_name_members_of_their_records)
{
    for (const struct list_kind *kind = list_kinds; kind->noun; kind++)
        for (enum list_order order = LIST_KEY; order < LIST_WORD; order++) {
            unsigned id = list_kind_member(kind, order);
            if (id == LIST_NO_MEMBER)
                continue;
            const struct field *field = schema_field(kind->schema, id);
            cr_assert_not_null(field, "%s %s", kind->noun, list_order_name(order));
            bool is_time = order == LIST_CREATED || order == LIST_CHANGED;
            cr_assert_eq(is_time             ? FIELD_INTEGER
                         : order == LIST_TAG ? FIELD_TEXTS
                                             : FIELD_TEXT,
                         field->type, "%s %s", kind->noun, list_order_name(order));
        }
}

Test(list_kind, is_that_of_the_record_and_of_its_edit)
{
    cr_assert_eq(list_kind_of(&object_schema), list_kind_of(&object_edit_schema));
    cr_assert_not_null(list_kind_of(&object_schema));
    cr_assert_null(list_kind_of(&device_schema));
}

Test(list_kind, values_of_times_compare_as_the_times_do)
{
    static const int64_t times[] = {INT64_MIN, -257, -256, -1, 0, 1, 255, 256, INT64_MAX};
    char earlier[8], later[8];
    for (size_t i = 1; i < sizeof times / sizeof times[0]; i++) {
        list_value_of_time(times[i - 1], earlier);
        list_value_of_time(times[i], later);
        cr_assert_lt(list_value_compare(earlier, 8, later, 8), 0, "%zu", i);
    }
}

Test(list_kind, values_compare_as_texts_do)
{
    cr_assert_lt(list_value_compare("a", 1, "ab", 2), 0);
    cr_assert_gt(list_value_compare("b", 1, "ab", 2), 0);
    cr_assert_eq(0, list_value_compare("", 0, "", 0));
    cr_assert_gt(list_value_compare("\xff", 1, "a", 1), 0);
}
