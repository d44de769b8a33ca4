// features.c - writes features (features.h).
#include "gateway/ogc/features.h"

#include "gateway/ogc/links.h"
#include "proto/codec/json_write.h"
#include "proto/codec/record_json.h"
#include "proto/message/list_area.h"
#include "proto/records/geopose.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "proto/spatial/geo_frame.h"

// The frame of the scene, with nothing in it moved or turned.
static bool
find_scene(const struct record *record, struct geo_pose *ret_pose)
{
    static const double translation[3], rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const struct scene *scene = scene_of(record);
    struct geo_frame frame;
    if (!scene_is_on_map(scene))
        return false;
    geo_frame_init(&frame, &(struct geo_point){scene->latitude, scene->longitude, scene->height_m},
                   scene->heading_deg);
    return geo_frame_show(&frame, translation, rotation, ret_pose);
}

// As the actor of the scene has placed it.
static bool
find_object(const struct record *record, struct geo_pose *ret_pose)
{
    if (record->schema != &object_placed_schema)
        return false;
    const struct object_edit *object = (const struct object_edit *)(const void *)record;
    const struct geopose *pose = (const struct geopose *)(const void *)object->geopose;
    const struct geopose_position *at = (const void *)pose->position;
    const struct geopose_quaternion *turn = (const void *)pose->quaternion;
    *ret_pose = (struct geo_pose){.position = {at->lat, at->lon, at->h},
                                  .quaternion = {turn->x, turn->y, turn->z, turn->w}};
    return true;
}

static bool
find_place(const struct record *record, struct geo_pose *ret_pose)
{
    return record->schema == &scene_schema ? find_scene(record, ret_pose)
                                           : find_object(record, ret_pose);
}

static void
put_point(const struct geo_point *point, struct buffer *out)
{
    json_write_begin(out, "geometry", '{');
    json_write_text(out, "type", "Point");
    json_write_begin(out, "coordinates", '[');
    json_write_number(out, NULL, point->longitude_deg);
    json_write_number(out, NULL, point->latitude_deg);
    json_write_number(out, NULL, point->height_m);
    json_write_end(out, ']');
    json_write_end(out, '}');
}

static void
put_geopose(const struct geo_pose *pose, struct buffer *out)
{
    static const char *const axes[] = {"x", "y", "z", "w"};
    json_write_begin(out, "geopose", '{');
    json_write_begin(out, "position", '{');
    json_write_number(out, "lat", pose->position.latitude_deg);
    json_write_number(out, "lon", pose->position.longitude_deg);
    json_write_number(out, "h", pose->position.height_m);
    json_write_end(out, '}');
    json_write_begin(out, "quaternion", '{');
    for (int i = 0; i < 4; i++)
        json_write_number(out, axes[i], pose->quaternion[i]);
    json_write_end(out, '}');
    json_write_end(out, '}');
}

// What lists show, but for the GeoPose: a feature is the same in a page and by itself.
static void
put_properties(const struct record *record, struct buffer *out)
{
    struct view view = object_view_listed;
    if (record->schema == &scene_schema)
        view = scene_view_listed;
    else
        view.fields = ~FIELD_BIT(OBJECT_GEOPOSE);
    json_write_begin(out, "properties", '{');
    record_members_to_json(record, &view, out);
    if (out->data[out->size - 1] == ',')
        out->size--;
    json_write_end(out, '}');
}

static void
put_members(const struct record *record, const struct geo_pose *pose, struct buffer *out)
{
    json_write_text(out, "type", "Feature");
    json_write_text(out, "id", text_chars(record_key(record)));
    if (pose) {
        put_point(&pose->position, out);
        put_geopose(pose, out);
    } else {
        json_write_value_begin(out, "geometry");
        buffer_put_chars(out, "null");
    }
    put_properties(record, out);
}

// Whether a feature is in the box (NULL = everywhere).
static bool
is_wanted(const struct geodesy_box *box, const struct geo_pose *pose)
{
    return !box || (pose && geodesy_is_in_box(box, pose->position.latitude_deg,
                                              pose->position.longitude_deg));
}

// Writes the features of the page; returns how many.
static unsigned
put_features(const struct answer_source *source, const struct geodesy_box *box, struct buffer *out)
{
    const struct reply *reply = &source->message->reply;
    unsigned count = 0;
    json_write_begin(out, "features", '[');
    for (uint32_t i = 0; i < reply->count; i++) {
        const struct record *record = reply_record(reply, i);
        struct geo_pose place;
        const struct geo_pose *pose = find_place(record, &place) ? &place : NULL;
        if (!is_wanted(box, pose))
            continue;
        json_write_begin(out, NULL, '{');
        put_members(record, pose, out);
        json_write_end(out, '}');
        count++;
    }
    json_write_end(out, ']');
    return count;
}

static const struct envelope *
envelope_of(const struct reply *reply)
{
    return (const struct envelope *)(const void *)reply->envelope;
}

static void
put_links(const struct answer_source *source, struct buffer *out)
{
    const struct envelope *envelope = envelope_of(&source->message->reply);
    json_write_begin(out, "links", '[');
    link_put_self(source, out);
    if (envelope && record_has(&envelope->base, ENVELOPE_NEXT))
        link_put_next(source, envelope->next, out);
    json_write_end(out, ']');
}

// How many features all pages have, if that is known.
static void
put_total(const struct answer_source *source, const struct geodesy_box *box, struct buffer *out)
{
    const struct envelope *envelope = envelope_of(&source->message->reply);
    if (!box && envelope && record_has(&envelope->base, ENVELOPE_TOTAL) && !envelope->at_least)
        json_write_number(out, "numberMatched", (double)envelope->total);
}

fallible
features_serve(const struct answer_source *source, struct http_answer *answer)
{
    struct buffer *out = &answer->body;
    const struct text *bbox = source->message->params->bbox;
    bool is_narrowed = text_size(bbox) && source->route->operation == OBJECT_LIST;
    struct geodesy_box area;
    if (is_narrowed)
        TRY(list_area_read_bbox(bbox, &area));
    const struct geodesy_box *box = is_narrowed ? &area : NULL;
    buffer_put_char(out, '{');
    json_write_text(out, "type", "FeatureCollection");
    put_links(source, out);
    put_total(source, box, out);
    unsigned count = put_features(source, box, out);
    json_write_number(out, "numberReturned", count);
    buffer_put_char(out, '}');
    return OK;
}

fallible
feature_serve(const struct answer_source *source, struct http_answer *answer)
{
    struct buffer *out = &answer->body;
    struct geo_pose place;
    if (source->message->reply.count == 0)
        return fail(ERR_NOT_FOUND, "", "there is no such feature");
    const struct record *record = reply_record(&source->message->reply, 0);
    buffer_put_char(out, '{');
    put_members(record, find_place(record, &place) ? &place : NULL, out);
    json_write_begin(out, "links", '[');
    link_put_self(source, out);
    link_begin(source, "collection", LINKS_JSON, out);
    if (record->schema == &scene_schema)
        buffer_put_chars(out, LINKS_SCENES);
    else
        link_path_objects(source->message->params->scene, out);
    link_end(out);
    json_write_end(out, ']');
    buffer_put_char(out, '}');
    return OK;
}
