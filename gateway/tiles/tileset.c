// tileset.c - writes tilesets (tileset.h).
#include "gateway/tiles/tileset.h"

#include <math.h>

#include "gateway/http/percent.h"
#include "gateway/tiles/tile_place.h"
#include "gateway/tiles/tile_tree.h"
#include "proto/codec/json_write.h"

// Clients refine by default where what they would miss has 16 pixels. So the tiles of a whole whose
// error is 16 times the largest of them are asked for while that has a pixel.
#define REFINED_PIXELS 16.0

static void
put_numbers(const char *name, const double *numbers, unsigned count, struct buffer *out)
{
    json_write_begin(out, name, '[');
    for (unsigned i = 0; i < count; i++)
        json_write_number(out, NULL, numbers[i]);
    json_write_end(out, ']');
}

// --- groups ---

// What is around a range of items, in the axes `enu`.
struct extent {
    double low[3], high[3];
    double largest; // diameter
};

static struct extent
extent_of(const struct tile_items *items, struct tile_range range)
{
    struct extent extent = {.largest = 0};
    for (uint32_t i = 0; i < range.count; i++) {
        const struct tile_item *item = &items->items[range.first + i];
        for (int axis = 0; axis < 3; axis++) {
            double low = item->centre[axis] - item->radius;
            double high = item->centre[axis] + item->radius;
            extent.low[axis] = i ? fmin(extent.low[axis], low) : low;
            extent.high[axis] = i ? fmax(extent.high[axis], high) : high;
        }
        extent.largest = fmax(extent.largest, 2 * item->radius);
    }
    return extent;
}

static double
error_of(const struct extent *extent)
{
    double diagonal = 0;
    for (int axis = 0; axis < 3; axis++)
        diagonal = hypot(diagonal, extent->high[axis] - extent->low[axis]);
    return fmax(diagonal, REFINED_PIXELS * extent->largest);
}

// A box: its centre, and half of its edges as vectors.
static void
put_box(const struct extent *extent, struct buffer *out)
{
    double box[12] = {0};
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = (extent->low[axis] + extent->high[axis]) / 2;
        box[3 + axis * 4] = (extent->high[axis] - extent->low[axis]) / 2;
    }
    json_write_begin(out, "boundingVolume", '{');
    put_numbers("box", box, 12, out);
    json_write_end(out, '}');
    json_write_number(out, "geometricError", error_of(extent));
}

static void
put_part(const struct tile_items *items, struct tile_range part, struct buffer *out)
{
    char name[TILE_LEVELS + 1];
    const struct extent extent = extent_of(items, part);
    tile_tree_name(items, part, name);
    json_write_begin(out, NULL, '{');
    put_box(&extent, out);
    json_write_begin(out, "content", '{');
    json_write_text_begin(out, "uri");
    buffer_put_format(out, "tileset.json?node=%s", name);
    json_write_text_end(out);
    json_write_end(out, '}');
    json_write_end(out, '}');
}

// --- objects ---

// Relative to the tileset, so that it holds behind a proxy too.
static void
put_content(const struct asset *asset, struct buffer *out)
{
    json_write_begin(out, "content", '{');
    json_write_text_begin(out, "uri");
    buffer_put_chars(out, "../../asset/");
    percent_encode(out, asset->key);
    buffer_put_char(out, '/');
    buffer_put_chars(out, asset_model_name(asset));
    json_write_text_end(out);
    json_write_end(out, '}');
}

static void
put_extras(const struct object *object, struct buffer *out)
{
    json_write_begin(out, "extras", '{');
    json_write_text(out, "object", text_chars(object->key));
    if (text_size(object->name))
        json_write_text(out, "name", text_chars(object->name));
    json_write_end(out, '}');
}

static void
put_item(const struct tile_item *item, struct buffer *out)
{
    double matrix[16], columns[16], sphere[4];
    tile_matrix(item->object, matrix);
    for (int i = 0; i < 16; i++)
        columns[i] = matrix[i % 4 * 4 + i / 4];
    tile_sphere(item->asset, tile_scale_most(matrix) / tile_scale_of_columns(matrix), sphere);
    json_write_begin(out, NULL, '{');
    put_numbers("transform", columns, 16, out);
    json_write_begin(out, "boundingVolume", '{');
    put_numbers("sphere", sphere, 4, out);
    json_write_end(out, '}');
    json_write_number(out, "geometricError", 0);
    put_content(item->asset, out);
    put_extras(item->object, out);
    json_write_end(out, '}');
}

static void
put_children(const struct tile_items *items, struct tile_range range, struct buffer *out)
{
    struct tile_range parts[8];
    unsigned count = range.count ? tile_tree_split(items, range, parts) : 0;
    if (range.count == 0)
        return;
    json_write_begin(out, "children", '[');
    for (unsigned i = 0; i < count; i++)
        put_part(items, parts[i], out);
    for (uint32_t i = 0; count == 0 && i < range.count; i++)
        put_item(&items->items[range.first + i], out);
    json_write_end(out, ']');
}

// --- the whole ---

static void
put_relation(const struct text *frame, const struct relation_record *relation, struct buffer *out)
{
    json_write_begin(out, "extras", '{');
    json_write_text(out, "frame", text_chars(frame));
    json_write_text(out, "status", text_chars(relation->status));
    json_write_number(out, "sigma_t_m", relation->sigma_t_m);
    json_write_number(out, "sigma_r_rad", relation->sigma_r_rad);
    json_write_end(out, '}');
}

static void
put_asset(const struct tile_items *items, struct buffer *out)
{
    json_write_begin(out, "asset", '{');
    json_write_text(out, "version", "1.1");
    json_write_begin(out, "extras", '{');
    json_write_number(out, "objects", items->objects);
    json_write_number(out, "without_model", items->without_model);
    json_write_number(out, "hidden", items->hidden);
    json_write_number(out, "flat", items->flat);
    json_write_end(out, '}');
    json_write_end(out, '}');
}

static void
put_root(const struct tile_items *items, struct tile_range range, const struct tile_place *place,
         const struct params *params, struct buffer *out)
{
    const struct extent extent = extent_of(items, range);
    json_write_number(out, "geometricError", error_of(&extent));
    json_write_begin(out, "root", '{');
    if (place->is_on_earth)
        put_numbers("transform", place->transform, 16, out);
    put_box(&extent, out);
    json_write_text(out, "refine", "ADD");
    if (place->relation)
        put_relation(params->placed_in, place->relation, out);
    put_children(items, range, out);
    json_write_end(out, '}');
}

fallible
tileset_serve(const struct answer_source *source, struct http_answer *answer)
{
    struct tile_place place;
    struct tile_items items;
    struct buffer *out = &answer->body;
    const struct params *params = source->message->params;
    if (!tile_tree_is_name(params->node))
        return fail(ERR_INVALID, "", "node must be digits from 0 to 7, at most %d", TILE_LEVELS);
    TRY(tile_place_find(source->message, &place));
    tile_items_collect(source->message, &items);
    tile_tree_build(&items);
    struct tile_range range = tile_tree_find(&items, params->node);
    if (text_size(params->node) && range.count == 0)
        return fail(ERR_NOT_FOUND, "", "the tileset has no such part");
    size_t start = out->size;
    buffer_put_char(out, '{');
    put_asset(&items, out);
    put_root(&items, range, &place, params, out);
    buffer_put_char(out, '}');
    etag_of_json(out->data + start, out->size - start, &answer->etag);
    return OK;
}
