// record_json_form_test.c - the text of a record that has nothing, and the set of its rows.
#include "proto/codec/record_json_form.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/codec/json_text.h"
#include "proto/record/view.h"
#include "tests/support/samples.h"

static void
put_type(const struct field *field, const void *member, const struct view *view, struct buffer *out)
{
    (void)view;
    cr_assert_eq(0, memcmp(member, field_zeros, sizeof(double)));
    json_put_integer(out, field->type);
}

static const struct json_form *
form_of(const struct schema *schema, bool aliases, bool with_private)
{
    return json_form_of(schema, &(struct view){.aliases = aliases, .with_private = with_private},
                        put_type);
}

Test(json_form, its_text_has_each_member_of_the_table)
{
    const struct json_form *form = form_of(&sample_value_schema, false, false);
    uint32_t end = form->rows[sample_value_schema.count].begin;
    cr_assert_eq(strlen("\"value\":3,\"left_type\":0,"), end);
    cr_assert_eq(0, memcmp("\"value\":3,\"left_type\":0,", form->text, end));
    cr_assert_eq(strlen("\"value\":3,"), form->rows[1].begin);
    cr_assert_eq(strlen("\"left_type\":"), form->rows[1].label_size);
}

Test(json_form, a_member_with_an_alias_is_there_under_both_names)
{
    const struct json_form *form = form_of(&sample_schema, true, false);
    const struct json_row *name = &form->rows[SAMPLE_NAME];
    cr_assert_eq(0, memcmp("\"name\":0,\"title\":0,", form->text + name->begin,
                           strlen("\"name\":0,\"title\":0,")));
    cr_assert_eq(strlen("\"name\":0,"), name->alias - name->begin);
    cr_assert_eq(strlen("\"title\":"), name->alias_size);
    cr_assert_eq(0, form_of(&sample_schema, false, false)->rows[SAMPLE_NAME].alias_size);
}

Test(json_form, it_is_made_once_for_each_schema_and_variant)
{
    const struct json_form *form = form_of(&sample_schema, false, false);
    cr_assert_eq(form, form_of(&sample_schema, false, false));
    cr_assert_neq(form, form_of(&sample_schema, true, false));
    cr_assert_neq(form, form_of(&sample_schema, false, true));
    for (unsigned i = 0; i < ALL_SCHEMAS; i++)
        cr_assert_eq(all_schemas[i], form_of(all_schemas[i], false, false)->schema);
}

// More than begin at different places of the table.
Test(json_form, those_of_many_schemas_are_kept_apart)
{
    static struct schema schemas[300];
    for (unsigned again = 0; again < 2; again++)
        for (unsigned i = 0; i < 300; i++) {
            schemas[i] = sample_value_schema;
            const struct json_form *plain = form_of(&schemas[i], false, false);
            const struct json_form *aliased = form_of(&schemas[i], true, false);
            cr_assert_eq(&schemas[i], plain->schema);
            cr_assert_eq(&schemas[i], aliased->schema);
            cr_assert_neq(plain, aliased);
        }
}

Test(json_form, members_for_servers_are_written_where_private_ones_are)
{
    cr_assert_not(form_of(&sample_schema, false, false)->written & FIELD_BIT(SAMPLE_ADDRESS));
    cr_assert(form_of(&sample_schema, false, true)->written & FIELD_BIT(SAMPLE_ADDRESS));
    cr_assert_not(form_of(&sample_schema, false, true)->written & FIELD_BIT(SAMPLE_SECRET));
}

// The address has the largest id, and stands last.
Test(json_form, rows_are_those_of_the_table)
{
    const struct json_form *form = form_of(&sample_schema, false, false);
    uint64_t rows = json_form_rows(form, FIELD_BIT(SAMPLE_NAME) | FIELD_BIT(SAMPLE_ADDRESS));
    cr_assert_eq(UINT64_C(1) << SAMPLE_NAME | UINT64_C(1) << (sample_schema.count - 1), rows);
    cr_assert_eq(form->optional,
                 json_form_rows(form, FIELD_BIT(SAMPLE_STAMP) | FIELD_BIT(SAMPLE_ID_TEXT) |
                                          FIELD_BIT(SAMPLE_ID_NUMBER)));
    cr_assert_eq(form->lists,
                 json_form_rows(form, FIELD_BIT(SAMPLE_WORDS) | FIELD_BIT(SAMPLE_VALUES)));
}
