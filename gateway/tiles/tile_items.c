// tile_items.c - objects as tiles, and their spheres (tile_items.h). Pure; any thread.
#include "gateway/tiles/tile_items.h"

#include <math.h>

#include "gateway/request/scene_layout.h"
#include "proto/spatial/convention.h"

#define FARTHEST_M 1e9 // beyond it nothing is drawn: ECEF loses the metre

// --- matrices ---

// Exact: a permutation of axes and signs (convention.c). From scenes to `enu` x, y, z become x, -z,
// y, which turns rows and columns alike.
void
tile_matrix(const struct object *object, double *ret_matrix)
{
    static const int from[4] = {0, 2, 1, 3};
    static const double signs[4] = {1, -1, 1, 1};
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            ret_matrix[row * 4 + column] =
                signs[row] * signs[column] * object->transform[from[row] * 4 + from[column]];
}

double
tile_scale_of_columns(const double *matrix)
{
    double most = 0;
    for (int column = 0; column < 3; column++)
        most = fmax(most, hypot(hypot(matrix[column], matrix[4 + column]), matrix[8 + column]));
    return most;
}

// The largest singular value is at most the root of the largest row sum of M^T M, and is that where
// the matrix has no shear.
double
tile_scale_most(const double *matrix)
{
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 3; j++)
            sum += fabs(matrix[i] * matrix[j] + matrix[4 + i] * matrix[4 + j] +
                        matrix[8 + i] * matrix[8 + j]);
        most = fmax(most, sum);
    }
    return sqrt(most);
}

static double
determinant(const double *m)
{
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

// Whether something can be drawn by the matrix: clients invert it.
static bool
is_drawable(const double *matrix)
{
    double size = determinant(matrix);
    return isfinite(size) && size != 0 && matrix[12] == 0 && matrix[13] == 0 && matrix[14] == 0 &&
           matrix[15] == 1;
}

// --- spheres ---

void
tile_sphere(const struct asset *asset, double stretch, double *ret_sphere)
{
    const double *bounds = asset->bounds;
    bool is_known = record_has(&asset->base, ASSET_BOUNDS);
    ret_sphere[0] = is_known ? bounds[0] : 0;
    ret_sphere[1] = is_known ? -bounds[2] : 0;
    ret_sphere[2] = is_known ? bounds[1] : 0;
    ret_sphere[3] = (is_known ? bounds[3] : TILE_RADIUS_M) * stretch;
}

static bool
place(struct tile_item *item)
{
    double matrix[16], sphere[4];
    tile_matrix(item->object, matrix);
    tile_sphere(item->asset, 1, sphere);
    if (!is_drawable(matrix))
        return false;
    for (int row = 0; row < 3; row++)
        item->centre[row] = matrix[row * 4] * sphere[0] + matrix[row * 4 + 1] * sphere[1] +
                            matrix[row * 4 + 2] * sphere[2] + matrix[row * 4 + 3];
    item->radius = sphere[3] * tile_scale_most(matrix);
    double reach = fabs(item->centre[0]) + fabs(item->centre[1]) + fabs(item->centre[2]);
    return reach + item->radius < FARTHEST_M;
}

// --- objects ---

static bool
is_hidden(const struct object *object)
{
    return record_has(&object->base, OBJECT_VISIBLE) && object->rare && !object->rare->visible;
}

static void
add(struct tile_items *self, const struct table *assets, const struct record *object)
{
    const struct text *key = scene_layout_asset(object);
    const struct record *asset = key ? scene_layout_find(assets, key) : NULL;
    struct tile_item *item = &self->items[self->count];
    self->objects++;
    if (is_hidden(object_of(object))) {
        self->hidden++;
        return;
    }
    if (!asset || !asset_model_name(asset_of(asset))) {
        self->without_model++;
        return;
    }
    *item = (struct tile_item){.object = object_of(object), .asset = asset_of(asset)};
    if (place(item))
        self->count++;
    else
        self->flat++;
}

void
tile_items_collect(struct message *message, struct tile_items *ret_items)
{
    const struct reply *reply = &message->reply;
    struct table assets = {0};
    *ret_items = (struct tile_items){.count = 0};
    ret_items->items = arena_alloc(&message->arena, reply->count * sizeof *ret_items->items);
    for (uint32_t i = 0; i < reply->count; i++)
        if (reply_record(reply, i)->schema == &asset_schema)
            scene_layout_index(&assets, reply_record(reply, i));
    for (uint32_t i = 0; i < reply->count; i++)
        if (reply_record(reply, i)->schema == &object_schema)
            add(ret_items, &assets, reply_record(reply, i));
    table_finish(&assets);
}
