// schema_test.c - tables of fields, and looking up their rows.
#include "proto/record/schema.h"

#include <criterion/criterion.h>

#include "proto/base/limits.h"
#include "proto/records/object.h"
#include "proto/records/params.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"
#include "tests/support/samples.h"

Test(schema, a_field_is_found_by_its_name_and_by_its_alias)
{
    cr_assert_eq(schema_find(&scene_schema, "assets", 6)->id, SCENE_ASSETS);
    cr_assert_eq(schema_find(&scene_schema, "asset_ids", 9)->id, SCENE_ASSETS);
    cr_assert_eq(schema_find(&scene_schema, "isPublic", 8)->id, SCENE_PUBLIC);
}

Test(schema, part_of_a_name_is_no_name)
{
    cr_assert_null(schema_find(&scene_schema, "asset", 5));
    cr_assert_null(schema_find(&scene_schema, "", 0));
    cr_assert_null(schema_find(&scene_schema, "key\"", 4));
}

Test(schema, a_field_is_found_by_its_id)
{
    cr_assert_str_eq(schema_field(&object_schema, OBJECT_TRANSFORM)->name, "transform");
    cr_assert_null(schema_field(&object_schema, OBJECT_SCALE));
    cr_assert_str_eq(schema_field(&object_edit_schema, OBJECT_SCALE)->name, "scale");
}

Test(schema, the_capacity_of_a_row_is_that_of_its_member)
{
    cr_assert_eq(schema_field(&object_schema, OBJECT_TRANSFORM)->capacity, 16);
    cr_assert_eq(schema_field(&object_edit_schema, OBJECT_QUATERNION_ROTATION)->capacity, 4);
    cr_assert_eq(schema_field(&scene_schema, SCENE_LATITUDE)->capacity, 1);
}

Test(schema, every_id_is_used_once_and_nested_rows_say_of_what)
{
    for (size_t s = 0; s < ALL_SCHEMAS; s++) {
        uint64_t seen = 0;
        for (uint32_t i = 0; i < all_schemas[s]->count; i++) {
            const struct field *field = &all_schemas[s]->fields[i];
            bool nests = field->type == FIELD_RECORD || field->type == FIELD_RECORDS;
            cr_assert_leq(field->id, 62, "%s.%s", all_schemas[s]->name, field->name);
            cr_assert_not(seen & FIELD_BIT(field->id), "%s.%s", all_schemas[s]->name, field->name);
            cr_assert_eq(nests, field->of != NULL, "%s.%s", all_schemas[s]->name, field->name);
            seen |= FIELD_BIT(field->id);
        }
    }
}

static bool
ends_within(const struct field *field, size_t size)
{
    return field->offset + field_size(field) <= size;
}

Test(schema, every_member_is_in_its_struct_or_in_its_rare_part)
{
    for (size_t s = 0; s < ALL_SCHEMAS; s++)
        for (uint32_t i = 0; i < all_schemas[s]->count; i++) {
            const struct schema *schema = all_schemas[s];
            const struct field *field = &schema->fields[i];
            cr_assert(field->rare == 0 || field->rare == schema->rare, "%s", field->name);
            cr_assert(ends_within(field, field->rare ? schema->rare_size : schema->size), "%s.%s",
                      schema->name, field->name);
        }
    cr_assert_eq(object_edit_schema.rare, object_schema.rare);
    cr_assert_eq(object_edit_schema.rare_size, object_schema.rare_size);
}

// An edit and its stored record share rows: first the rows that only a request has, then the rows
// of both; actions are last in the stored record.
static void
shares_rows(const struct schema *edit, const struct schema *stored, uint32_t only_in_edit)
{
    cr_assert_geq(edit->size, stored->size);
    cr_assert_eq(stored->fields, edit->fields + only_in_edit, "%s", stored->name);
    for (uint32_t i = only_in_edit; i < edit->count; i++)
        cr_assert_not(edit->fields[i].flags & FIELD_INPUT, "%s row %u", stored->name, i);
}

Test(schema, an_edit_shares_its_rows_with_what_is_stored)
{
    shares_rows(&object_edit_schema, &object_schema, 11);
    shares_rows(&property_edit_schema, &property_schema, 2);
    shares_rows(&object_keyframe_edit_schema, &object_keyframe_schema, 5);
    cr_assert_str_eq(object_schema.fields[object_schema.count - 1].name, "actions");
    cr_assert_eq(object_schema.fields[object_schema.count - 1].of, &object_action_schema);
    cr_assert_eq(schema_field(&object_edit_schema, OBJECT_ACTIONS)->of, &object_action_edit_schema);
}

Test(schema, a_body_has_only_the_envelope_rows_of_the_parameters)
{
    static const char *const names[] = {"num_records",    "start_record",   "operation",
                                        "transaction_id", "transaction_id", "transaction_id",
                                        "fence",          "fence"};
    cr_assert_eq(params_body_schema.count, 8);
    for (uint32_t i = 0; i < 8; i++)
        cr_assert_str_eq(params_body_schema.fields[i].name, names[i]);
}

// Two flags of one value do not compile here, and a flag that is missing here is a warning.
static bool
is_flag(enum field_flags bit)
{
    switch (bit) {
    case FIELD_KEY:
    case FIELD_FILTER:
    case FIELD_OPTIONAL:
    case FIELD_INPUT:
    case FIELD_PRIVATE:
    case FIELD_HIDDEN:
    case FIELD_SECRET:
    case FIELD_DERIVED:
    case FIELD_FIXED:
    case FIELD_SCALAR_ITEMS:
    case FIELD_TRANSIENT:
    case FIELD_ACCESS:
    case FIELD_WORDS:
    case FIELD_JSON:
    case FIELD_OWNER:
    case FIELD_MAP:
    case FIELD_EMPTY:
        return true;
    }
    return false;
}

Test(schema, each_flag_is_one_bit_and_they_leave_no_gap)
{
    for (unsigned bit = FIELD_KEY; bit <= FIELD_EMPTY; bit <<= 1)
        cr_assert(is_flag(bit), "no flag is %u", bit);
}

Test(schema, limits_are_those_of_the_row_or_the_general_ones)
{
    cr_assert_eq(field_limit(schema_field(&sample_schema, SAMPLE_NAME)), 8);
    cr_assert_eq(field_limit(schema_field(&sample_schema, SAMPLE_KEY)), LIMIT_TEXT_BYTES);
    cr_assert_eq(field_limit(schema_field(&scene_schema, SCENE_TAGS)), 64);
    cr_assert_eq(field_limit(schema_field(&object_schema, OBJECT_ROTATION_HANDLE)), 4);
}
