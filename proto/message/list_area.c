// list_area.c - reads the numbers of an area (list_area.h).
#include "proto/message/list_area.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whether the text is `count` numbers with commas between them, and nothing else.
static bool
read_numbers(const struct text *text, double *ret_numbers, unsigned count)
{
    const char *chars = text_chars(text);
    if (strspn(chars, "+-.0123456789eE,") != text_size(text))
        return false;
    for (unsigned i = 0; i < count; i++) {
        char *end;
        errno = 0;
        ret_numbers[i] = strtod(chars, &end);
        if (end == chars || errno || !isfinite(ret_numbers[i]) || *end != (i + 1 < count ? ',' : 0))
            return false;
        chars = end + 1;
    }
    return true;
}

static fallible
check_box(const struct geodesy_box *box, const char *pointer)
{
    if (!geodesy_is_on_map(box->south, box->west) || !geodesy_is_on_map(box->north, box->east))
        return fail(ERR_INVALID, pointer, "must be within +-90 and +-180 degrees");
    if (box->south > box->north)
        return fail(ERR_INVALID, pointer, "must not be more southern in the north");
    return OK;
}

static fallible
read_box(const struct text *text, struct list_area *ret_area)
{
    double edges[4];
    if (!read_numbers(text, edges, 4))
        return fail(ERR_INVALID, "/box", "must be south,west,north,east in degrees");
    ret_area->form = LIST_BOX;
    ret_area->box = (struct geodesy_box){edges[0], edges[1], edges[2], edges[3]};
    return check_box(&ret_area->box, "/box");
}

static fallible
read_bbox(const struct text *bbox, struct list_area *ret_area)
{
    enum { FLAT = 4, HIGH = 6 };
    double edges[HIGH];
    bool is_flat = read_numbers(bbox, edges, FLAT);
    if (!is_flat && !read_numbers(bbox, edges, HIGH))
        return fail(ERR_INVALID, "/bbox",
                    "must be west,south,east,north in degrees, with heights behind south and north"
                    " or without them");
    unsigned east = is_flat ? 2 : 3;
    ret_area->form = LIST_BOX;
    ret_area->box = (struct geodesy_box){
        .west = edges[0], .south = edges[1], .east = edges[east], .north = edges[east + 1]};
    return check_box(&ret_area->box, "/bbox");
}

static fallible
read_circle(const struct text *text, struct list_area *ret_area)
{
    double numbers[3];
    if (!read_numbers(text, numbers, 3))
        return fail(ERR_INVALID, "/near",
                    "must be latitude,longitude,kilometres, the first two in degrees");
    ret_area->form = LIST_CIRCLE;
    ret_area->latitude = numbers[0];
    ret_area->longitude = numbers[1];
    ret_area->radius_km = numbers[2];
    if (!geodesy_is_on_map(numbers[0], numbers[1]))
        return fail(ERR_INVALID, "/near", "must be within +-90 and +-180 degrees");
    if (numbers[2] < 0)
        return fail(ERR_INVALID, "/near", "must not have a negative radius");
    return OK;
}

fallible
list_area_read(const struct params *params, struct list_area *ret_area)
{
    ret_area->form = LIST_EVERYWHERE;
    bool has_box = text_size(params->box), has_bbox = text_size(params->bbox);
    if (text_size(params->near) && (has_box || has_bbox))
        return fail(ERR_INVALID, "/near", "cannot be asked for together with a box");
    if (has_box && has_bbox)
        return fail(ERR_INVALID, "/bbox", "is another form of box: only one of them counts");
    if (has_box)
        return read_box(params->box, ret_area);
    if (has_bbox)
        return read_bbox(params->bbox, ret_area);
    return text_size(params->near) ? read_circle(params->near, ret_area) : OK;
}

bool
list_area_has(const struct list_area *self, double latitude, double longitude)
{
    if (self->form == LIST_BOX)
        return geodesy_is_in_box(&self->box, latitude, longitude);
    return self->form == LIST_EVERYWHERE || geodesy_distance_km(latitude, longitude, self->latitude,
                                                                self->longitude) <= self->radius_km;
}
