// reply_parts_test.c - what a transform is made of, in the axes and the layout of its answer.
#include "gateway/reply/reply_parts.h"

#include <criterion/criterion.h>
#include <math.h>

#include "proto/base/arena.h"
#include "proto/records/object.h"
#include "proto/spatial/transform.h"

static struct arena arena;
static const frozen_t *shown;

static void
end(void)
{
    record_unref(&shown);
    arena_finish(&arena);
}

TestSuite(reply_parts, .fini = end);

static const struct transform_input *
parts_of(const struct convention *convention, const double matrix[16])
{
    struct object *object = (void *)record_new(&arena, &object_schema);
    record_set_text(&object->base, OBJECT_NAME, text_from(&arena, "chair"));
    memcpy(object->transform, matrix, sizeof object->transform);
    record_mark(&object->base, OBJECT_TRANSFORM);
    const frozen_t *frozen = record_freeze(&object_schema, &object->base);
    shown = reply_parts_shown(convention, &arena, frozen);
    record_unref(&frozen);
    const struct record *record = frozen_record(shown);
    cr_assert_str_eq("chair", text_chars(object_of(record)->name));
    return record->schema == &object_placed_schema
               ? &((const struct object_edit *)(const void *)record)->input
               : NULL;
}

static void
expect(const double *expected, const double *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cr_assert_float_eq(expected[i], numbers[i], 1e-15, "%u: %g", i, numbers[i]);
}

// A quarter to the left about Y, twice as wide, at 4, 5, 6.
static const double matrix[] = {0, 0, 1, 4, 0, 1, 0, 5, -2, 0, 0, 6, 0, 0, 0, 1};

static void
expect_parts(const struct transform_input *parts)
{
    cr_assert_not_null(parts);
    expect((double[]){4, 5, 6}, parts->translation, 3);
    expect((double[]){0, M_PI / 2, 0}, parts->euler_rotation, 3);
    expect((double[]){sqrt(0.5), 0, sqrt(0.5), 0}, parts->quaternion_rotation, 4);
    expect((double[]){2, 1, 1}, parts->scale, 3);
}

Test(reply_parts, they_are_translation_rotation_twice_and_scale)
{
    expect_parts(parts_of(NULL, matrix));
}

Test(reply_parts, they_are_the_same_where_matrices_are_written_by_columns)
{
    const struct convention *columns = NULL;
    double transposed[16];
    memcpy(transposed, matrix, sizeof transposed);
    transform_transpose(transposed);
    cr_assert_eq(OK, convention_lay_out(text_from(&arena, "column"), &columns));
    expect_parts(parts_of(columns, transposed));
}

Test(reply_parts, what_cannot_be_taken_apart_stays_as_it_is)
{
    static const double sheared[] = {1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    cr_assert_null(parts_of(NULL, sheared));
}
