// convention.c - changes of basis between clients and scenes (convention.h). Pure; any thread.
#include "proto/spatial/convention.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/text.h"
#include "proto/record/record.h"
#include "proto/spatial/euler.h"
#include "proto/spatial/transform.h"

enum { COORDINATES_MAX = 4 };

// Right, up and forward of a scene, for somebody who looks at it, are X, Y and -Z of what is
// stored. A row gives the axes that the documentation of its engine calls so.
// clang-format off
#define CONVENTIONS(X) \
    /* glTF 2.0, 3.4: "right-handed … +Y as up"; 3.10: cameras look along -Z, +X is their right. Like OpenGL, WebXR, ARKit, ARCore. */ \
    X("gltf",   AXES(0, 1, 2), AXES( 1,  1,  1), 1) \
    /* Unity manual, "Rotation and orientation": left-handed, Y up; Transform.forward is Z, Transform.right is X; 1 unit = 1 metre. */ \
    X("unity",  AXES(0, 1, 2), AXES( 1,  1, -1), 1) \
    /* Unreal documentation, "Coordinate System and Spaces": left-handed, X forward, Y right, Z up; 1 unit = 1 centimetre. */ \
    X("unreal", AXES(2, 0, 1), AXES(-1,  1,  1), 100) \
    /* REP 103, "Axis orientation", in relation to a body: X forward, Y left, Z up; metres. */ \
    X("ros",    AXES(2, 0, 1), AXES(-1, -1,  1), 1) \
    /* REP 103, of geographic locations: X east, Y north, Z up. A scene's X is east and -Z is north, as ARCore's EUS and the tilesets of 3D Tiles have it. */ \
    X("enu",    AXES(0, 2, 1), AXES( 1, -1,  1), 1) \
    /* OpenCV, calib3d, pinhole camera model: X right, Y down, Z forward; REP 103's suffix _optical. */ \
    X("cv",     AXES(0, 1, 2), AXES( 1, -1, -1), 1) \
    /* REP 103's suffix _ned, as in PX4 and MAVLink: X north, Y east, Z down. */ \
    X("ned",    AXES(2, 0, 1), AXES(-1,  1, -1), 1)

#define AXES(...) {__VA_ARGS__}
#define BY_ROWS(name_, axes_, signs_, units_) {.name = (name_), .axes = axes_, .signs = signs_, .units = (units_)},
#define BY_COLUMNS(name_, axes_, signs_, units_) {.name = name_ "-column", .axes = axes_, .signs = signs_, .units = (units_), .by_columns = true},
const struct convention conventions[] = {CONVENTIONS(BY_ROWS)};
static const struct convention column_conventions[] = {CONVENTIONS(BY_COLUMNS)};
// clang-format on

const size_t conventions_count = sizeof conventions / sizeof conventions[0];

// Other names that clients may say; they are stored and shown as they were said.
static const struct {
    const char *name, *convention;
} aliases[] = {
    // Blender manual, "Export glTF" and the world's axes: right-handed, X right, Y away, Z up;
    // metres.
    {"blender", "enu"},
    // Godot documentation, "Introduction to 3D": right-handed, X right, Y up, -Z forward; metres.
    {"godot", "gltf"},
    // three.js documentation, Object3D and Camera: right-handed, Y up, cameras look along -Z.
    {"three", "gltf"},
};

enum { ALIAS_COUNT = sizeof aliases / sizeof aliases[0] };

static fallible
refuse(const char *pointer)
{
    char names[128];
    size_t size = 0;
    for (size_t i = 0; i < conventions_count; i++)
        size += (size_t)snprintf(names + size, sizeof names - size, "%s%s", i ? ", " : "",
                                 conventions[i].name);
    for (size_t i = 0; i < ALIAS_COUNT; i++)
        size += (size_t)snprintf(names + size, sizeof names - size, ", %s", aliases[i].name);
    return fail(ERR_INVALID, pointer, "convention must be one of %s", names);
}

static size_t
index_of(const char *name)
{
    size_t i = 0;
    while (strcmp(conventions[i].name, name) != 0)
        i++;
    return i;
}

// The index of the convention with this name or alias; conventions_count if there is none.
static size_t
find(const struct text *name)
{
    for (size_t i = 0; i < conventions_count; i++)
        if (text_is(name, conventions[i].name))
            return i;
    for (size_t i = 0; i < ALIAS_COUNT; i++)
        if (text_is(name, aliases[i].name))
            return index_of(aliases[i].convention);
    return conventions_count;
}

fallible
convention_find(const struct text *name, const char *pointer,
                const struct convention **ret_convention)
{
    size_t i = find(name);
    if (text_size(name) && i == conventions_count)
        return refuse(pointer);
    *ret_convention = i == 0 || i == conventions_count ? NULL : &conventions[i];
    return OK;
}

fallible
convention_lay_out(const struct text *layout, const struct convention **convention)
{
    if (text_size(layout) == 0 || text_is(layout, "row"))
        return OK;
    if (!text_is(layout, "column"))
        return fail(ERR_INVALID, "/layout", "must be row or column");
    *convention = &column_conventions[*convention ? *convention - conventions : 0];
    return OK;
}

const struct convention *
convention_by_rows(const struct convention *self)
{
    if (!self || !self->by_columns)
        return self;
    ptrdiff_t index = self - column_conventions;
    return index == 0 ? NULL : &conventions[index];
}

const struct convention *
convention_stored(const struct text *name)
{
    const struct convention *convention = NULL;
    error_ignore(convention_find(name, "", &convention), "the axes of scenes stand in");
    return convention;
}

const struct convention *
convention_named(const char *name)
{
    return &conventions[index_of(name)];
}

// --- numbers ---

// A convention, or its inverse. The fourth coordinate of a matrix does not change.
struct basis {
    uint8_t axes[4];
    double signs[4];
    double times, over; // factors of lengths; one of them is 1, so that nothing is rounded twice
    double hand;        // -1 if one side is left-handed: angles change their sign
    bool is_permuted;
    bool by_columns;
    enum convention_way way;
};

static struct basis
basis_of(const struct convention *convention, enum convention_way way)
{
    struct basis basis = {.axes = {[3] = 3},
                          .signs = {[3] = 1},
                          .times = 1,
                          .over = 1,
                          .hand = 1,
                          .by_columns = convention->by_columns,
                          .way = way};
    *(way == CONVENTION_OUT ? &basis.times : &basis.over) = convention->units;
    for (uint8_t i = 0; i < 3; i++) {
        uint8_t from = convention->axes[i], to = i;
        basis.axes[way == CONVENTION_OUT ? to : from] = way == CONVENTION_OUT ? from : to;
        basis.signs[way == CONVENTION_OUT ? to : from] = convention->signs[i];
        basis.hand *= convention->signs[i];
        basis.is_permuted |= from != to;
        for (int k = 0; k < i; k++)
            basis.hand *= convention->axes[k] < from ? 1 : -1;
    }
    return basis;
}

// Numbers of records are finite and zeros have no sign: -0.0 would look like a change.
static double
settled(double value)
{
    return isinf(value) ? copysign(DBL_MAX, value) : value + 0.0;
}

static double
length_turned(const struct basis *basis, double length)
{
    return length * basis->times / basis->over;
}

static double
inverse_length_turned(const struct basis *basis, double inverse)
{
    return inverse * basis->over / basis->times;
}

// The number of coordinates, and how many of them stand before x, y and z.
static unsigned
count_coordinates(enum field_axes axes)
{
    return axes == AXES_QUATERNION ? 4 : 3;
}

// The place of the coordinate that goes to `to`.
static unsigned
source_of(const struct basis *basis, enum field_axes axes, unsigned to)
{
    unsigned before = count_coordinates(axes) - 3;
    return to < before ? to : before + basis->axes[to - before];
}

// The value of the number there when it goes to `to`.
static double
coordinate_turned(const struct basis *basis, enum field_axes axes, unsigned to, double number)
{
    if (axes == AXES_POINT)
        return settled(length_turned(basis, basis->signs[to] * number));
    if (axes == AXES_QUATERNION && to > 0)
        return settled(basis->hand * basis->signs[to - 1] * number);
    return number; // factors along axes, and the w of a quaternion
}

static void
turn_coordinates(const struct basis *basis, enum field_axes axes, double *numbers)
{
    double turned[COORDINATES_MAX];
    unsigned count = count_coordinates(axes);
    for (unsigned i = 0; i < count; i++)
        turned[i] = coordinate_turned(basis, axes, i, numbers[source_of(basis, axes, i)]);
    memcpy(numbers, turned, count * sizeof *numbers);
}

static void
turn_matrix(const struct basis *basis, double *matrix)
{
    double turned[16];
    if (basis->by_columns && basis->way == CONVENTION_IN)
        transform_transpose(matrix);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            double value = basis->signs[row] * basis->signs[column] *
                           matrix[basis->axes[row] * 4 + basis->axes[column]];
            if (row < 3 && column == 3)
                value = length_turned(basis, value);
            else if (row == 3 && column < 3)
                value = inverse_length_turned(basis, value);
            turned[row * 4 + column] = settled(value);
        }
    if (basis->by_columns && basis->way == CONVENTION_OUT)
        transform_transpose(turned);
    memcpy(matrix, turned, sizeof turned);
}

static void
turn_rotation(const struct basis *basis, double *rotation)
{
    double turned[9];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            turned[row * 3 + column] = basis->signs[row] * basis->signs[column] *
                                       rotation[basis->axes[row] * 3 + basis->axes[column]];
    memcpy(rotation, turned, sizeof turned);
}

// Of translations the first three coordinates, of rotations the others. Lengths stay metres: the
// sigmas beside it are.
static void
turn_covariance(const struct basis *basis, double *covariance)
{
    double turned[36], signs[6];
    unsigned from[6];
    for (unsigned i = 0; i < 6; i++) {
        from[i] = basis->axes[i % 3] + (i < 3 ? 0u : 3u);
        signs[i] = basis->signs[i % 3] * (i < 3 ? 1 : basis->hand);
    }
    for (unsigned row = 0; row < 6; row++)
        for (unsigned column = 0; column < 6; column++)
            turned[row * 6 + column] =
                settled(signs[row] * signs[column] * covariance[from[row] * 6 + from[column]]);
    memcpy(covariance, turned, sizeof turned);
}

// If axes keep their places, each angle is that of its axis. If not, the three turn in another
// order and the angles are computed anew.
static void
turn_euler(const struct basis *basis, const struct euler_order *order, double *euler)
{
    if (basis->is_permuted) {
        double rotation[9];
        euler_to_rotation(order, euler, rotation);
        turn_rotation(basis, rotation);
        euler_of_rotation(order, rotation, euler);
    }
    for (int i = 0; i < 3; i++)
        euler[i] =
            settled(basis->is_permuted ? euler[i] : basis->hand * basis->signs[i] * euler[i]);
}

static void
turn(const struct basis *basis, enum field_axes axes, double *numbers)
{
    switch (axes) {
    case AXES_MATRIX:
        turn_matrix(basis, numbers);
        return;
    case AXES_POINT:
    case AXES_SCALE:
    case AXES_QUATERNION:
        turn_coordinates(basis, axes, numbers);
        return;
    case AXES_OBJECT_EULER:
        turn_euler(basis, &euler_orders[EULER_OF_OBJECTS], numbers);
        return;
    case AXES_DEVICE_EULER:
        turn_euler(basis, &euler_orders[EULER_OF_DEVICES], numbers);
        return;
    case AXES_COVARIANCE:
        turn_covariance(basis, numbers);
        return;
    case AXES_NONE:
    case AXES_COORDINATE:
    case AXES_EULER_ORDER:
        return;
    }
}

void
convention_turn(const struct convention *self, enum convention_way way, enum field_axes axes,
                double *numbers)
{
    struct basis basis = basis_of(self, way);
    turn(&basis, axes, numbers);
}

// --- records ---

bool
convention_concerns(const struct schema *schema)
{
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if (field->axes || (field->of && convention_concerns(field->of)))
            return true;
    }
    return false;
}

static void
turn_item(const struct basis *basis, enum field_axes axes, unsigned to, struct record *item)
{
    for (uint32_t i = 0; i < item->schema->count; i++) {
        const struct field *field = &item->schema->fields[i];
        if (field->axes == AXES_COORDINATE && record_has(item, field->id)) {
            double *number = &MEMBER(double, item, field);
            *number = coordinate_turned(basis, axes, to, *number);
        }
    }
}

// A list with a record for each coordinate: the records change places as the coordinates do. A list
// that is not complete is left alone, since nobody knows what is missing.
static void
turn_list(const struct basis *basis, enum field_axes axes, struct records *list)
{
    struct record *turned[COORDINATES_MAX];
    unsigned count = count_coordinates(axes);
    if (!list || list->count != count)
        return;
    for (unsigned i = 0; i < count; i++)
        turned[i] = list->items[source_of(basis, axes, i)];
    for (unsigned i = 0; i < count; i++) {
        turn_item(basis, axes, i, turned[i]);
        list->items[i] = turned[i];
    }
}

// The order of the Euler angles of a record. A wrong one is refused where the angles are read.
static const struct euler_order *
order_said(const struct record *record)
{
    const struct euler_order *order = NULL;
    for (uint32_t i = 0; i < record->schema->count && !order; i++) {
        const struct field *field = &record->schema->fields[i];
        if (field->axes == AXES_EULER_ORDER && record_has(record, field->id))
            order = euler_order_find(record_text(record, field->id));
    }
    return order ? order : &euler_orders[EULER_OF_OBJECTS];
}

static void apply(const struct basis *basis, struct record *record);

static void
apply_member(const struct basis *basis, const struct field *field, struct record *record)
{
    struct records *list;
    if (field->axes == AXES_OBJECT_EULER) {
        turn_euler(basis, order_said(record), record_member(record, field));
    } else if (field->type == FIELD_NUMBERS) {
        turn(basis, (enum field_axes)field->axes, record_member(record, field));
    } else if (field->type == FIELD_RECORD) {
        apply(basis, MEMBER(struct record *, record, field));
    } else if (field->type == FIELD_RECORDS) {
        list = MEMBER(struct records *, record, field);
        if (field->axes)
            turn_list(basis, (enum field_axes)field->axes, list);
        for (uint32_t i = 0; list && i < list->count; i++)
            apply(basis, list->items[i]);
    }
}

static void
apply(const struct basis *basis, struct record *record)
{
    if (!record)
        return;
    for (uint32_t i = 0; i < record->schema->count; i++) {
        const struct field *field = &record->schema->fields[i];
        if ((field->axes || field->of) && record_has(record, field->id))
            apply_member(basis, field, record);
    }
}

void
convention_apply(const struct convention *self, enum convention_way way, struct record *record)
{
    struct basis basis = basis_of(self, way);
    apply(&basis, record);
}

const frozen_t *
convention_shown(const struct convention *self, const frozen_t *frozen)
{
    if (!self || !convention_concerns(frozen_record(frozen)->schema))
        return record_ref(frozen);
    frozen_t *copy = record_thaw_numbers(frozen);
    convention_apply(self, CONVENTION_OUT, frozen_edit(copy));
    return copy;
}
