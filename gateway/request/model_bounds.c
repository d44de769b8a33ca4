// model_bounds.c - walks the nodes of a glTF model, each once, and gathers the corners of its
// meshes (model_bounds.h). Pure; any thread.
#include "gateway/request/model_bounds.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "proto/base/error.h"
#include "proto/codec/json_text.h"
#include "proto/spatial/transform.h"

#define FARTHEST_M 1e9 // a sphere beyond it bounds nothing that is drawn
#define BENT 2.0

// --- the file ---

static uint32_t
read_u32(const char *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool
model_json_find(const char *head, size_t size, uint64_t file_size, uint64_t *ret_first,
                size_t *ret_size)
{
    bool is_binary = size >= 4 && memcmp(head, "glTF", 4) == 0;
    uint64_t first = is_binary ? MODEL_HEAD_BYTES : 0, bytes = file_size;
    if (is_binary && (size < MODEL_HEAD_BYTES || memcmp(head + 16, "JSON", 4) != 0))
        return false;
    if (is_binary)
        bytes = read_u32(head + 12);
    if (bytes == 0 || bytes > MODEL_JSON_BYTES || file_size < first || bytes > file_size - first)
        return false;
    *ret_first = first;
    *ret_size = (size_t)bytes;
    return true;
}

// --- JSON ---

static bool
number_of(const struct json *value, double *ret_number)
{
    if (!value || (value->type != JSON_INTEGER && value->type != JSON_NUMBER))
        return false;
    *ret_number = value->type == JSON_INTEGER ? (double)value->integer : value->number;
    return true;
}

// The numbers of a list of just so many; false with none written if it is none.
static bool
numbers_of(const struct json *list, uint32_t count, double *ret_numbers)
{
    double numbers[16];
    if (!list || list->type != JSON_ARRAY || list->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!number_of(&list->items[i], &numbers[i]))
            return false;
    memcpy(ret_numbers, numbers, count * sizeof *numbers);
    return true;
}

static uint32_t
count_of(const struct json *list)
{
    return list && list->type == JSON_ARRAY ? list->count : 0;
}

// The item of a list that an index names, or NULL.
static const struct json *
item_of(const struct json *list, const struct json *index)
{
    bool is_index = index && index->type == JSON_INTEGER && index->integer >= 0;
    return is_index && index->integer < count_of(list) ? &list->items[index->integer] : NULL;
}

// --- boxes ---

struct box {
    double low[3], high[3];
};

static const struct box empty = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};

static bool
box_is_empty(const struct box *self)
{
    return self->low[0] > self->high[0];
}

static void
box_add(struct box *self, const double *point)
{
    for (int axis = 0; axis < 3; axis++) {
        self->low[axis] = fmin(self->low[axis], point[axis]);
        self->high[axis] = fmax(self->high[axis], point[axis]);
    }
}

// What a number of a normalized accessor stands for (glTF 2.0, 3.6.2.2); 1 of others.
static double
unit_of(const struct json *accessor)
{
    const struct json *normalized = json_find(accessor, "normalized");
    const struct json *type = json_find(accessor, "componentType");
    if (!normalized || normalized->type != JSON_BOOL || !normalized->boolean || !type ||
        type->type != JSON_INTEGER)
        return 1;
    switch (type->integer) {
    case 5120:
        return 1 / 127.0;
    case 5121:
        return 1 / 255.0;
    case 5122:
        return 1 / 32767.0;
    case 5123:
        return 1 / 65535.0;
    default:
        return 1;
    }
}

static void
box_add_accessor(struct box *self, const struct json *accessor)
{
    struct box box;
    double unit;
    if (!accessor || !numbers_of(json_find(accessor, "min"), 3, box.low) ||
        !numbers_of(json_find(accessor, "max"), 3, box.high))
        return;
    unit = unit_of(accessor);
    for (int axis = 0; axis < 3; axis++) {
        box.low[axis] *= unit;
        box.high[axis] *= unit;
        if (!(box.low[axis] <= box.high[axis]))
            return;
    }
    box_add(self, box.low);
    box_add(self, box.high);
}

// --- nodes ---

// An affine matrix without its last row, row by row.
struct node {
    double matrix[12];
    bool is_seen; // it is in the line, or was
};

struct walk {
    const struct json *nodes, *meshes, *accessors;
    struct node *state;   // of the nodes
    struct box *boxes;    // of the meshes
    uint32_t *line;       // of nodes whose parents are done
    uint32_t first, last; // in the line
    struct box box;       // of the model
};

static void
multiply(const double *a, const double *b, double *ret_product)
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            ret_product[row * 4 + column] =
                a[row * 4] * b[column] + a[row * 4 + 1] * b[4 + column] +
                a[row * 4 + 2] * b[8 + column] + (column == 3 ? a[row * 4 + 3] : 0);
}

// The matrix of a node in its parent, column by column there; or the parts of one.
static void
read_matrix(const struct json *node, double *ret_matrix)
{
    double columns[16], translation[3] = {0}, scale[3] = {1, 1, 1}, xyzw[4] = {0, 0, 0, 1};
    if (numbers_of(json_find(node, "matrix"), 16, columns)) {
        for (int i = 0; i < 12; i++)
            ret_matrix[i] = columns[i % 4 * 4 + i / 4];
        return;
    }
    (void)numbers_of(json_find(node, "translation"), 3, translation);
    (void)numbers_of(json_find(node, "scale"), 3, scale);
    (void)numbers_of(json_find(node, "rotation"), 4, xyzw);
    const double quaternion[4] = {xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
    const double unturned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double rotation[9];
    memcpy(rotation, unturned, sizeof rotation);
    if (quaternion_is_usable(quaternion))
        rotation_of_quaternion(quaternion, rotation);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            ret_matrix[row * 4 + column] = rotation[row * 3 + column] * scale[column];
        ret_matrix[row * 4 + 3] = translation[row];
    }
}

// Puts nodes into the line, below a matrix; those that are there already are not put again: no
// circle is followed, and no node has two parents (glTF 2.0, 3.5.2).
static void
put_nodes(struct walk *self, const struct json *indices, const double *parent)
{
    double own[12];
    for (uint32_t i = 0; i < count_of(indices); i++) {
        const struct json *node = item_of(self->nodes, &indices->items[i]);
        if (!node)
            continue;
        uint32_t index = (uint32_t)(node - self->nodes->items);
        struct node *state = &self->state[index];
        if (state->is_seen)
            continue;
        state->is_seen = true;
        read_matrix(node, own);
        multiply(parent, own, state->matrix);
        self->line[self->last++] = index;
    }
}

static void
add_mesh(struct walk *self, const struct json *mesh, const double *m)
{
    const struct box *box = &self->boxes[mesh - self->meshes->items];
    if (box_is_empty(box))
        return;
    for (int corner = 0; corner < 8; corner++) {
        const double x = corner & 1 ? box->high[0] : box->low[0];
        const double y = corner & 2 ? box->high[1] : box->low[1];
        const double z = corner & 4 ? box->high[2] : box->low[2];
        const double point[3] = {m[0] * x + m[1] * y + m[2] * z + m[3],
                                 m[4] * x + m[5] * y + m[6] * z + m[7],
                                 m[8] * x + m[9] * y + m[10] * z + m[11]};
        if (isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]))
            box_add(&self->box, point);
    }
}

static void
measure_meshes(struct walk *self)
{
    for (uint32_t i = 0; i < count_of(self->meshes); i++) {
        const struct json *primitives = json_find(&self->meshes->items[i], "primitives");
        self->boxes[i] = empty;
        for (uint32_t k = 0; k < count_of(primitives); k++) {
            const struct json *attributes = json_find(&primitives->items[k], "attributes");
            const struct json *position = attributes ? json_find(attributes, "POSITION") : NULL;
            box_add_accessor(&self->boxes[i], item_of(self->accessors, position));
        }
    }
}

static void
walk_nodes(struct walk *self, const struct json *roots)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    put_nodes(self, roots, identity);
    while (self->first < self->last) {
        uint32_t index = self->line[self->first++];
        const struct json *node = &self->nodes->items[index];
        const struct json *mesh = item_of(self->meshes, json_find(node, "mesh"));
        if (mesh)
            add_mesh(self, mesh, self->state[index].matrix);
        put_nodes(self, json_find(node, "children"), self->state[index].matrix);
    }
}

// --- the model ---

// The nodes that the file shows: those of its scene, which is the first one if it says nothing.
static const struct json *
roots_of(const struct json *model)
{
    static const struct json first = {.type = JSON_INTEGER, .integer = 0};
    const struct json *index = json_find(model, "scene");
    const struct json *scene = item_of(json_find(model, "scenes"), index ? index : &first);
    return scene ? json_find(scene, "nodes") : NULL;
}

static bool
find_sphere(const struct box *box, bool is_bent, double *ret_sphere)
{
    double radius = 0, reach = 0, centre[3];
    if (box_is_empty(box))
        return false;
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = box->low[axis] / 2 + box->high[axis] / 2;
        radius = hypot(radius, box->high[axis] / 2 - box->low[axis] / 2);
        reach += fabs(centre[axis]);
    }
    radius *= is_bent ? BENT : 1;
    if (!(reach + radius < FARTHEST_M))
        return false;
    memcpy(ret_sphere, centre, sizeof centre);
    ret_sphere[3] = radius;
    return true;
}

bool
model_bounds_read(struct arena *arena, const char *json, size_t size, double *ret_sphere)
{
    const struct json *model;
    if (json_parse(arena, json, size, &model) != OK)
        return false;
    struct walk walk = {.nodes = json_find(model, "nodes"),
                        .meshes = json_find(model, "meshes"),
                        .accessors = json_find(model, "accessors"),
                        .box = empty};
    uint32_t nodes = count_of(walk.nodes), meshes = count_of(walk.meshes);
    if (nodes == 0 || nodes > MODEL_NODES_MOST || meshes == 0 || meshes > MODEL_NODES_MOST / 4)
        return false;
    walk.state = arena_alloc(arena, nodes * sizeof *walk.state);
    walk.line = arena_alloc(arena, nodes * sizeof *walk.line);
    walk.boxes = arena_alloc(arena, meshes * sizeof *walk.boxes);
    measure_meshes(&walk);
    walk_nodes(&walk, roots_of(model));
    bool is_bent = count_of(json_find(model, "animations")) || count_of(json_find(model, "skins"));
    return find_sphere(&walk.box, is_bent, ret_sphere);
}
