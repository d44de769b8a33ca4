// convention_test.c - axes of clients and axes of scenes. The vectors are those of
// proto/spatial/README.md; they were written down from the documentation of each engine before
// there was a line of code.
#include "proto/spatial/convention.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "proto/base/text.h"
#include "proto/records/device.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/spatial/euler.h"
#include "proto/spatial/transform.h"
#include "tests/support/samples.h"

#define ROUNDED 1e-12

// What a scene's X, Y and -Z, a point, a turn and factors are in each convention.
// clang-format off
static const struct vector {
    const char *name;
    double right[3], up[3], forward[3]; // of one metre
    double point[3];      // 1, 2, 3
    double quaternion[4]; // 0.8, 0.1, 0.2, 0.3
    double to_the_left[3]; // Euler angles of a turn by 0.5 to the left about the vertical axis
    double scale[3];      // 2, 3, 4
} vectors[] = {
    {"gltf",   {1, 0, 0},   {0, 1, 0},   {0, 0, -1},  {1, 2, 3},        {0.8, 0.1, 0.2, 0.3},    {0, 0.5, 0},  {2, 3, 4}},
    {"unity",  {1, 0, 0},   {0, 1, 0},   {0, 0, 1},   {1, 2, -3},       {0.8, -0.1, -0.2, 0.3},  {0, -0.5, 0}, {2, 3, 4}},
    {"unreal", {0, 100, 0}, {0, 0, 100}, {100, 0, 0}, {-300, 100, 200}, {0.8, 0.3, -0.1, -0.2},  {0, 0, -0.5}, {4, 2, 3}},
    {"ros",    {0, -1, 0},  {0, 0, 1},   {1, 0, 0},   {-3, -1, 2},      {0.8, -0.3, -0.1, 0.2},  {0, 0, 0.5},  {4, 2, 3}},
    {"enu",    {1, 0, 0},   {0, 0, 1},   {0, 1, 0},   {1, -3, 2},       {0.8, 0.1, -0.3, 0.2},   {0, 0, 0.5},  {2, 4, 3}},
    {"cv",     {1, 0, 0},   {0, -1, 0},  {0, 0, 1},   {1, -2, -3},      {0.8, 0.1, -0.2, -0.3},  {0, -0.5, 0}, {2, 3, 4}},
    {"ned",    {0, 1, 0},   {0, 0, -1},  {1, 0, 0},   {-3, 1, -2},      {0.8, -0.3, 0.1, -0.2},  {0, 0, -0.5}, {4, 2, 3}},
};
// clang-format on

enum { VECTORS = sizeof vectors / sizeof vectors[0], ROUNDS = 500 };

static struct random chance = {11};

static void
expect_turned(const struct convention *convention, enum field_axes axes, const double *stored,
              const double *expected, size_t count)
{
    double numbers[16];
    memcpy(numbers, stored, count * sizeof *stored);
    convention_turn(convention, CONVENTION_OUT, axes, numbers);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(numbers[i], expected[i], "%s, kind %d, %zu: %.17g, not %.17g",
                     convention->name, axes, i, numbers[i], expected[i]);
    convention_turn(convention, CONVENTION_IN, axes, numbers);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(numbers[i], stored[i], "%s, kind %d, %zu: %.17g came back, not %.17g",
                     convention->name, axes, i, numbers[i], stored[i]);
}

Test(convention, vectors_are_those_of_the_documentation)
{
    static const double right[3] = {1, 0, 0}, up[3] = {0, 1, 0}, forward[3] = {0, 0, -1};
    static const double point[3] = {1, 2, 3}, turn[4] = {0.8, 0.1, 0.2, 0.3};
    static const double scale[3] = {2, 3, 4};
    cr_assert_eq(conventions_count, VECTORS);
    for (size_t i = 0; i < VECTORS; i++) {
        const struct convention *convention = &conventions[i];
        const struct vector *vector = &vectors[i];
        cr_assert_str_eq(convention->name, vector->name);
        expect_turned(convention, AXES_POINT, right, vector->right, 3);
        expect_turned(convention, AXES_POINT, up, vector->up, 3);
        expect_turned(convention, AXES_POINT, forward, vector->forward, 3);
        expect_turned(convention, AXES_POINT, point, vector->point, 3);
        expect_turned(convention, AXES_QUATERNION, turn, vector->quaternion, 4);
        expect_turned(convention, AXES_SCALE, scale, vector->scale, 3);
    }
}

Test(convention, turn_to_the_left_is_about_the_axis_that_points_up)
{
    for (size_t i = 0; i < VECTORS; i++)
        for (int kind = AXES_OBJECT_EULER; kind <= AXES_DEVICE_EULER; kind++) {
            double euler[3] = {0, 0.5, 0};
            convention_turn(&conventions[i], CONVENTION_OUT, (enum field_axes)kind, euler);
            for (int k = 0; k < 3; k++)
                cr_expect_float_eq(euler[k], vectors[i].to_the_left[k], ROUNDED, "%s, %d",
                                   vectors[i].name, k);
        }
}

// A rotation about an axis, as a vector.
static void
turn_rotation_vector(const struct convention *convention, double *vector)
{
    double small[4] = {1, vector[0], vector[1], vector[2]};
    convention_turn(convention, CONVENTION_OUT, AXES_QUATERNION, small);
    memcpy(vector, small + 1, 3 * sizeof *vector);
}

Test(convention, covariance_is_that_of_the_turned_twist)
{
    const double twist[6] = {1, 2, 3, 0.4, 0.5, 0.6};
    for (size_t i = 0; i < VECTORS; i++) {
        double covariance[36], turned[6];
        memcpy(turned, twist, sizeof turned);
        convention_turn(&conventions[i], CONVENTION_OUT, AXES_POINT, turned);
        turn_rotation_vector(&conventions[i], turned + 3);
        for (int k = 0; k < 3; k++)
            turned[k] /= conventions[i].units; // covariances are in metres everywhere
        for (int k = 0; k < 36; k++)
            covariance[k] = twist[k / 6] * twist[k % 6];
        convention_turn(&conventions[i], CONVENTION_OUT, AXES_COVARIANCE, covariance);
        for (int k = 0; k < 36; k++)
            cr_expect_float_eq(covariance[k], turned[k / 6] * turned[k % 6], ROUNDED, "%s, %d",
                               vectors[i].name, k);
    }
}

Test(convention, matrix_of_unity_and_ros_is_written_out)
{
    // clang-format off
    static const double stored[16] = {11, 12, 13, 14,  21, 22, 23, 24,  31, 32, 33, 34,  0, 0, 0, 1};
    static const double unity[16] = {11, 12, -13, 14,  21, 22, -23, 24,  -31, -32, 33, -34,  0, 0, 0, 1};
    static const double ros[16] = {33, 31, -32, -34,  13, 11, -12, -14,  -23, -21, 22, 24,  0, 0, 0, 1};
    static const double unreal[16] = {33, -31, -32, -3400,  -13, 11, 12, 1400,  -23, 21, 22, 2400,  0, 0, 0, 1};
    // clang-format on
    expect_turned(&conventions[1], AXES_MATRIX, stored, unity, 16);
    expect_turned(&conventions[2], AXES_MATRIX, stored, unreal, 16);
    expect_turned(&conventions[3], AXES_MATRIX, stored, ros, 16);
}

static double
around_one(void)
{
    return (double)(random_next(&chance) >> 11) / 4503599627370496.0 - 1;
}

Test(convention, matrix_of_converted_parts_is_the_converted_matrix)
{
    for (size_t i = 0; i < VECTORS; i++)
        for (int round = 0; round < ROUNDS; round++) {
            double translation[3], quaternion[4], scale[3], expected[16], actual[16];
            quaternion[0] = 1.1;
            for (int k = 0; k < 3; k++) {
                translation[k] = around_one();
                quaternion[k + 1] = around_one() / 2;
                scale[k] = 2 + around_one();
            }
            const struct transform_parts parts = {
                .translation = translation, .quaternion = quaternion, .scale = scale};
            transform_compose(&parts, NULL, expected);
            convention_turn(&conventions[i], CONVENTION_OUT, AXES_MATRIX, expected);
            convention_turn(&conventions[i], CONVENTION_OUT, AXES_POINT, translation);
            convention_turn(&conventions[i], CONVENTION_OUT, AXES_QUATERNION, quaternion);
            convention_turn(&conventions[i], CONVENTION_OUT, AXES_SCALE, scale);
            transform_compose(&parts, NULL, actual);
            for (int k = 0; k < 16; k++)
                cr_assert_float_eq(actual[k], expected[k], ROUNDED, "%s, %d", vectors[i].name, k);
        }
}

Test(convention, rotation_of_converted_angles_is_the_converted_rotation)
{
    for (size_t i = 0; i < VECTORS; i++)
        for (int round = 0; round < ROUNDS; round++) {
            double euler[3], quaternion[4], rotation[9], expected[9], actual[9];
            for (int k = 0; k < 3; k++)
                euler[k] = 3 * around_one();
            rotation_of_device_euler(euler, rotation);
            quaternion_of_rotation(rotation, quaternion);
            convention_turn(&conventions[i], CONVENTION_OUT, AXES_QUATERNION, quaternion);
            rotation_of_quaternion(quaternion, expected);
            convention_turn(&conventions[i], CONVENTION_OUT, AXES_DEVICE_EULER, euler);
            rotation_of_device_euler(euler, actual);
            for (int k = 0; k < 9; k++)
                cr_assert_float_eq(actual[k], expected[k], ROUNDED, "%s, %d", vectors[i].name, k);
        }
}

// An object with angles in this order, as a request has them.
static struct object_edit
turned(struct arena *arena, const struct euler_order *order, const double *euler)
{
    struct object_edit edit = {.object.base.schema = &object_edit_schema};
    memcpy(edit.input.euler_rotation, euler, sizeof edit.input.euler_rotation);
    record_mark(&edit.object.base, INPUT_EULER_ROTATION);
    record_set_text(&edit.object.base, INPUT_EULER_ORDER, text_from(arena, order->name));
    return edit;
}

Test(convention, angles_of_every_order_are_those_of_the_converted_rotation)
{
    struct arena arena = {0};
    for (size_t i = 0; i < VECTORS; i++)
        for (size_t k = 0; k < EULER_ORDERS; k++) {
            const double euler[3] = {around_one(), around_one(), around_one()};
            double quaternion[4], rotation[9], expected[9], actual[9];
            struct object_edit edit = turned(&arena, &euler_orders[k], euler);
            euler_to_rotation(&euler_orders[k], euler, rotation);
            quaternion_of_rotation(rotation, quaternion);
            convention_turn(&conventions[i], CONVENTION_IN, AXES_QUATERNION, quaternion);
            rotation_of_quaternion(quaternion, expected);
            convention_apply(&conventions[i], CONVENTION_IN, &edit.object.base);
            euler_to_rotation(&euler_orders[k], edit.input.euler_rotation, actual);
            for (int n = 0; n < 9; n++)
                cr_assert_float_eq(actual[n], expected[n], ROUNDED, "%s, %s, %d", vectors[i].name,
                                   euler_orders[k].name, n);
        }
    arena_finish(&arena);
}

// Steps between neighbouring doubles from one to the other.
static uint64_t
ulps_between(double a, double b)
{
    int64_t bits_a, bits_b;
    memcpy(&bits_a, &a, sizeof a);
    memcpy(&bits_b, &b, sizeof b);
    return (uint64_t)(bits_a > bits_b ? bits_a - bits_b : bits_b - bits_a);
}

// What was written in the client's axes is read in them as it was written.
static void
expect_return(const struct convention *convention, enum field_axes axes, size_t count,
              double largest, uint64_t ulps)
{
    double numbers[16], again[16];
    for (size_t i = 0; i < count; i++)
        do
            numbers[i] = random_number(&chance);
        while (fabs(numbers[i]) > largest || (ulps && fabs(numbers[i]) < 1 / largest));
    memcpy(again, numbers, sizeof again);
    convention_turn(convention, CONVENTION_IN, axes, again);
    convention_turn(convention, CONVENTION_OUT, axes, again);
    for (size_t i = 0; i < count; i++)
        cr_assert(numbers[i] == again[i] || ulps_between(numbers[i], again[i]) <= ulps,
                  "%s, kind %d, %zu: %.17g came back, not %.17g", convention->name, axes, i,
                  again[i], numbers[i]);
}

Test(convention, everything_comes_back_bit_by_bit_and_centimetres_within_one_ulp)
{
    for (size_t i = 0; i < VECTORS; i++) {
        const struct convention *convention = &conventions[i];
        bool is_metric = convention->units == 1;
        double largest = is_metric ? DBL_MAX : 1e300;
        for (int round = 0; round < ROUNDS; round++) {
            expect_return(convention, AXES_MATRIX, 16, largest, is_metric ? 0 : 1);
            expect_return(convention, AXES_POINT, 3, largest, is_metric ? 0 : 1);
            expect_return(convention, AXES_QUATERNION, 4, DBL_MAX, 0);
            expect_return(convention, AXES_SCALE, 3, DBL_MAX, 0);
        }
    }
}

Test(convention, angles_come_back_bit_by_bit_where_axes_keep_their_places)
{
    for (size_t i = 0; i < VECTORS; i++)
        for (int round = 0; round < ROUNDS; round++) {
            const struct convention *convention = &conventions[i];
            const double euler[3] = {3 * around_one(), 1.5 * around_one(), 3 * around_one()};
            double again[3];
            bool is_exact = convention->axes[0] == 0 && convention->axes[1] == 1;
            memcpy(again, euler, sizeof again);
            convention_turn(convention, CONVENTION_IN, AXES_DEVICE_EULER, again);
            convention_turn(convention, CONVENTION_OUT, AXES_DEVICE_EULER, again);
            for (int k = 0; k < 3; k++)
                cr_assert_float_eq(again[k], euler[k], is_exact ? 0 : ROUNDED, "%s: %.17g %.17g",
                                   convention->name, again[k], euler[k]);
        }
}

Test(convention, zeros_have_no_sign)
{
    for (size_t i = 0; i < VECTORS; i++)
        for (int kind = AXES_MATRIX; kind < AXES_COORDINATE; kind++) {
            double numbers[16] = {0};
            convention_turn(&conventions[i], CONVENTION_OUT, (enum field_axes)kind, numbers);
            for (int k = 0; k < 16; k++)
                cr_expect_not(signbit(numbers[k]), "%s, kind %d, %d", vectors[i].name, kind, k);
        }
}

Test(convention, what_is_too_far_away_for_centimetres_stays_finite)
{
    double point[3] = {1e307, -1e307, 0}, matrix[16] = {[12] = 1e307};
    convention_turn(&conventions[2], CONVENTION_OUT, AXES_POINT, point);
    convention_turn(&conventions[2], CONVENTION_IN, AXES_MATRIX, matrix);
    cr_expect_eq(point[1], DBL_MAX);
    cr_expect_eq(point[2], -DBL_MAX);
    for (int i = 0; i < 16; i++)
        cr_expect(isfinite(matrix[i]));
}

static struct arena arena;

static const struct text *
words(const char *chars)
{
    return text_from(&arena, chars);
}

Test(convention, nothing_is_converted_without_a_name_or_by_that_of_what_is_stored)
{
    const struct convention *convention = &conventions[1];
    cr_assert_eq(convention_find(NULL, "/convention", &convention), OK);
    cr_expect_null(convention);
    convention = &conventions[1];
    cr_assert_eq(convention_find(words("gltf"), "/convention", &convention), OK);
    cr_expect_null(convention);
    arena_finish(&arena);
}

Test(convention, aliases_are_other_names_of_conventions)
{
    const struct convention *convention = NULL;
    cr_assert_eq(convention_find(words("blender"), "", &convention), OK);
    cr_expect_str_eq(convention->name, "enu");
    cr_assert_eq(convention_find(words("godot"), "", &convention), OK);
    cr_expect_null(convention); // gltf, of what is stored
    convention = &conventions[1];
    cr_assert_eq(convention_find(words("three"), "", &convention), OK);
    cr_expect_null(convention);
    cr_expect_str_eq(convention_stored(words("blender"))->name, "enu");
    arena_finish(&arena);
}

Test(convention, unknown_name_is_refused_at_its_place)
{
    const struct convention *convention = NULL;
    struct fault fault;
    cr_assert_eq(convention_find(words("Unity"), "/devices/0/convention", &convention),
                 ERR_INVALID);
    fault_take(ERR_INVALID, &fault);
    cr_expect_str_eq(fault.pointer, "/devices/0/convention");
    cr_expect_str_eq(fault.detail,
                     "convention must be one of gltf, unity, unreal, ros, enu, cv, ned, "
                     "blender, godot, three");
    cr_assert_eq(convention_find(words("ned"), "", &convention), OK);
    cr_expect_str_eq(convention->name, "ned");
    arena_finish(&arena);
}

// --- layouts ---

static const struct convention *
by_columns(const char *name)
{
    const struct convention *convention = NULL;
    cr_assert_eq(OK, convention_find(words(name), "", &convention));
    cr_assert_eq(OK, convention_lay_out(words("column"), &convention));
    arena_finish(&arena);
    return convention;
}

Test(convention, by_columns_a_matrix_of_the_stored_axes_is_transposed_both_ways)
{
    double matrix[16], expected[16];
    for (int i = 0; i < 16; i++) {
        matrix[i] = i;
        expected[i] = i % 4 * 4 + i / 4;
    }
    const struct convention *convention = by_columns("");
    cr_assert_str_eq("gltf-column", convention->name);
    convention_turn(convention, CONVENTION_OUT, AXES_MATRIX, matrix);
    cr_assert_arr_eq(matrix, expected, sizeof matrix);
    convention_turn(convention, CONVENTION_IN, AXES_MATRIX, matrix);
    for (int i = 0; i < 16; i++)
        cr_assert_eq(i, matrix[i]);
}

Test(convention, by_columns_a_matrix_of_other_axes_is_that_of_these_transposed)
{
    for (size_t i = 0; i < conventions_count; i++) {
        double rows[16], columns[16];
        for (int k = 0; k < 16; k++)
            rows[k] = columns[k] = k + 1;
        const struct convention *convention = by_columns(conventions[i].name);
        convention_turn(&conventions[i], CONVENTION_OUT, AXES_MATRIX, rows);
        convention_turn(convention, CONVENTION_OUT, AXES_MATRIX, columns);
        for (int k = 0; k < 16; k++)
            cr_assert_eq(rows[k], columns[k % 4 * 4 + k / 4], "%s", conventions[i].name);
        convention_turn(convention, CONVENTION_IN, AXES_MATRIX, columns);
        for (int k = 0; k < 16; k++)
            cr_assert_float_eq(k + 1, columns[k], 1e-12, "%s", conventions[i].name);
    }
}

Test(convention, by_columns_a_point_is_what_it_is_by_rows)
{
    double point[] = {1, 2, 3};
    convention_turn(by_columns("unity"), CONVENTION_OUT, AXES_POINT, point);
    cr_assert_eq(-3, point[2]);
}

Test(convention, by_rows_it_is_the_convention_of_the_same_axes)
{
    cr_assert_null(convention_by_rows(NULL));
    cr_assert_null(convention_by_rows(by_columns("gltf")));
    cr_assert_eq(&conventions[2], convention_by_rows(by_columns("unreal")));
    cr_assert_eq(&conventions[2], convention_by_rows(&conventions[2]));
}

Test(convention, a_layout_is_row_or_column)
{
    const struct convention *convention = NULL;
    struct fault fault;
    cr_assert_eq(OK, convention_lay_out(NULL, &convention));
    cr_assert_eq(OK, convention_lay_out(words("row"), &convention));
    cr_assert_null(convention);
    cr_assert_eq(ERR_INVALID, convention_lay_out(words("columns"), &convention));
    fault_take(ERR_INVALID, &fault);
    cr_assert_str_eq("/layout", fault.pointer);
    arena_finish(&arena);
}

// --- records ---

static struct record *
handle_of(double left_y, double right_y, const char *type)
{
    struct handle *handle = (struct handle *)(void *)record_new(&arena, &handle_schema);
    handle->left_y = left_y;
    handle->right_y = right_y;
    handle->left_x = 7;
    record_mark(&handle->base, HANDLE_LEFT_Y);
    record_mark(&handle->base, HANDLE_RIGHT_Y);
    record_mark(&handle->base, HANDLE_LEFT_X);
    record_set_text(&handle->base, HANDLE_LEFT_TYPE, words(type));
    return &handle->base;
}

// One handle a coordinate; the types say which it was.
static struct records *
handles(size_t count)
{
    static const char *const types[] = {"a", "b", "c", "d"};
    struct records *list = records_new(&arena, count);
    for (size_t i = 0; i < count; i++)
        list->items[list->count++] = handle_of(1 + (double)i, 11 + (double)i, types[i]);
    return list;
}

static void
expect_handle(const struct records *list, unsigned index, const char *type, double left_y)
{
    const struct handle *handle = (const struct handle *)(const void *)list->items[index];
    cr_expect_str_eq(text_chars(handle->left_type), type);
    cr_expect_eq(handle->left_y, left_y);
    cr_expect_eq(handle->left_x, 7);
}

Test(convention, handles_follow_the_coordinates_that_they_belong_to)
{
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    object->rare->translation_handle = handles(3);
    object->rare->rotation_handle = handles(4);
    object->rare->scale_handle = handles(2); // it is unknown which two
    record_mark(&object->base, OBJECT_TRANSLATION_HANDLE);
    record_mark(&object->base, OBJECT_ROTATION_HANDLE);
    record_mark(&object->base, OBJECT_SCALE_HANDLE);
    convention_apply(&conventions[2], CONVENTION_OUT, &object->base); // unreal
    expect_handle(object->rare->translation_handle, 0, "c", -300);
    expect_handle(object->rare->translation_handle, 1, "a", 100);
    expect_handle(object->rare->translation_handle, 2, "b", 200);
    expect_handle(object->rare->rotation_handle, 0, "a", 1);
    expect_handle(object->rare->rotation_handle, 1, "d", 4);
    expect_handle(object->rare->rotation_handle, 2, "b", -2);
    expect_handle(object->rare->rotation_handle, 3, "c", -3);
    expect_handle(object->rare->scale_handle, 0, "a", 1);
    expect_handle(object->rare->scale_handle, 1, "b", 2);
    arena_finish(&arena);
}

Test(convention, copy_is_converted_with_its_keyframes_and_the_frozen_record_is_not)
{
    struct object *object = (struct object *)(void *)record_new(&arena, &object_schema);
    struct action *action = (struct action *)(void *)record_new(&arena, &object_action_schema);
    struct object_keyframe *keyframe =
        (struct object_keyframe *)(void *)record_new(&arena, &object_keyframe_schema);
    transform_identity(object->transform);
    transform_identity(keyframe->transform);
    object->transform[11] = 5;
    keyframe->transform[11] = 6;
    record_mark(&object->base, OBJECT_TRANSFORM);
    record_mark(&keyframe->base, KEYFRAME_TRANSFORM);
    struct records *keyframes = records_new(&arena, 1), *actions = records_new(&arena, 1);
    keyframes->items[keyframes->count++] = &keyframe->base;
    action->keyframes = keyframes;
    record_mark(&action->base, ACTION_KEYFRAMES);
    actions->items[actions->count++] = &action->base;
    object->rare->actions = actions;
    record_mark(&object->base, OBJECT_ACTIONS);
    const frozen_t *frozen = record_freeze(&object_schema, &object->base);
    const frozen_t *shown = convention_shown(&conventions[1], frozen);
    const struct record *shown_action = object_of(frozen_record(shown))->rare->actions->items[0];
    keyframe = (struct object_keyframe *)(void *)action_of(shown_action)->keyframes->items[0];
    cr_expect_eq(object_of(frozen_record(shown))->transform[11], -5);
    cr_expect_eq(keyframe->transform[11], -6);
    cr_expect_eq(object_of(frozen_record(frozen))->transform[11], 5);
    record_unref(&shown);
    record_unref(&frozen);
    arena_finish(&arena);
}

Test(convention, record_without_transforms_is_shown_as_it_is)
{
    const frozen_t *frozen = record_freeze(&property_schema, record_new(&arena, &property_schema));
    const frozen_t *shown = convention_shown(&conventions[1], frozen);
    cr_expect_eq(shown, frozen);
    record_unref(&shown);
    record_unref(&frozen);
    arena_finish(&arena);
}

// A new field with as many numbers as a point, a rotation or a matrix has says which it is.
Test(convention, every_field_in_space_has_its_axes)
{
    for (size_t i = 0; i < ALL_SCHEMAS; i++)
        for (uint32_t k = 0; k < all_schemas[i]->count; k++) {
            const struct field *field = &all_schemas[i]->fields[k];
            bool is_in_space = field->type == FIELD_NUMBERS && field->capacity > 2;
            cr_expect(!is_in_space || field->axes != AXES_NONE, "%s.%s", all_schemas[i]->name,
                      field->name);
        }
}
