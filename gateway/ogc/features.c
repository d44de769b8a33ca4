// features.c - writes features (features.h).
#include "gateway/ogc/features.h"

#include "gateway/http/percent.h"
#include "gateway/ogc/links.h"
#include "proto/codec/json_write.h"
#include "proto/codec/record_json.h"
#include "proto/records/device_report.h"
#include "proto/records/geopose.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"
#include "proto/spatial/geo_frame.h"

// The frame of the scene, with nothing in it moved or turned.
static bool
find_scene(const struct record *record, struct geo_pose *ret_pose)
{
    static const double translation[3], rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct geo_frame frame;
    return scene_frame(scene_of(record), &frame) &&
           geo_frame_show(&frame, translation, rotation, ret_pose);
}

// The GeoPose of an object or a device, where the actor of its scene has placed it, else NULL.
static const struct record *
placed_at(const struct record *record)
{
    if (record->schema == &device_report_schema)
        return ((const struct device_report *)(const void *)record)->geopose;
    return record->schema == &object_placed_schema
               ? ((const struct object_edit *)(const void *)record)->geopose
               : NULL;
}

static bool
find_placed(const struct record *record, struct geo_pose *ret_pose)
{
    const struct geopose *pose = (const struct geopose *)(const void *)placed_at(record);
    if (!pose)
        return false;
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
                                           : find_placed(record, ret_pose);
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

// The members of a GeoPose, Basic-Quaternion (OGC 21-056r11).
static void
put_geopose(const struct geo_pose *pose, struct buffer *out)
{
    static const char *const axes[] = {"x", "y", "z", "w"};
    json_write_begin(out, "position", '{');
    json_write_number(out, "lat", pose->position.latitude_deg);
    json_write_number(out, "lon", pose->position.longitude_deg);
    json_write_number(out, "h", pose->position.height_m);
    json_write_end(out, '}');
    json_write_begin(out, "quaternion", '{');
    for (int i = 0; i < 4; i++)
        json_write_number(out, axes[i], pose->quaternion[i]);
    json_write_end(out, '}');
}

// What lists show, but for the GeoPose: a feature is the same in a page and by itself. Lists
// without an item are left out: clients take them for a type that they cannot store.
static struct view
view_of(const struct record *record)
{
    struct view view = object_view_listed;
    if (record->schema == &scene_schema) {
        view = scene_view_listed;
    } else if (record->schema == &device_report_schema) {
        view = device_report_view_full;
        view.fields = ~FIELD_BIT(DEVICE_REPORT_GEOPOSE);
    } else {
        view.fields = ~FIELD_BIT(OBJECT_GEOPOSE);
    }
    view.sparse = true;
    return view;
}

static void
put_properties(const struct record *record, struct buffer *out)
{
    struct view view = view_of(record);
    json_write_begin(out, "properties", '{');
    record_members_to_json(record, &view, out);
    if (out->data[out->size - 1] == ',')
        out->size--;
    json_write_end(out, '}');
}

// A device may be in several scenes, so both keys are its id (params_settle takes it apart).
static void
put_id(const struct record *record, struct buffer *out)
{
    const struct device_report *device = (const struct device_report *)(const void *)record;
    if (record->schema != &device_report_schema) {
        json_write_text(out, "id", text_chars(record_key(record)));
        return;
    }
    json_write_text_begin(out, "id");
    percent_encode(out, device->key);
    buffer_put_char(out, '@');
    percent_encode(out, device->scene);
    json_write_text_end(out);
}

static void
put_members(const struct record *record, const struct geo_pose *pose, struct buffer *out)
{
    json_write_text(out, "type", "Feature");
    put_id(record, out);
    if (pose) {
        put_point(&pose->position, out);
        json_write_begin(out, "geopose", '{');
        put_geopose(pose, out);
        json_write_end(out, '}');
    } else {
        json_write_value_begin(out, "geometry");
        buffer_put_chars(out, "null");
    }
    put_properties(record, out);
}

static void
put_features(const struct answer_source *source, struct buffer *out)
{
    const struct reply *reply = &source->message->reply;
    json_write_begin(out, "features", '[');
    for (uint32_t i = 0; i < reply->count; i++) {
        struct opened room;
        const struct record *record = reply_open(reply, i, &room);
        struct geo_pose place;
        json_write_begin(out, NULL, '{');
        put_members(record, find_place(record, &place) ? &place : NULL, out);
        json_write_end(out, '}');
    }
    json_write_end(out, ']');
}

static const struct envelope *
envelope_of(const struct reply *reply)
{
    return (const struct envelope *)(const void *)reply->envelope;
}

static void
put_links(const struct answer_source *source, struct buffer *out)
{
    const struct reply *reply = &source->message->reply;
    const struct envelope *envelope = envelope_of(reply);
    json_write_begin(out, "links", '[');
    link_put_self(source, out);
    if (envelope && record_has(&envelope->base, ENVELOPE_NEXT))
        link_put_next(source, envelope->next, out);
    else if (envelope && record_has(&envelope->base, ENVELOPE_NEXT_START_RECORD))
        link_put_next(source, reply_key(reply, reply->count - 1), out); // devices
    json_write_end(out, ']');
}

// How many features all pages have, if that is known.
static void
put_total(const struct answer_source *source, struct buffer *out)
{
    const struct envelope *envelope = envelope_of(&source->message->reply);
    if (envelope && record_has(&envelope->base, ENVELOPE_TOTAL) && !envelope->at_least)
        json_write_number(out, "numberMatched", (double)envelope->total);
}

fallible
features_serve(const struct answer_source *source, struct http_answer *answer)
{
    struct buffer *out = &answer->body;
    buffer_put_char(out, '{');
    json_write_text(out, "type", "FeatureCollection");
    put_links(source, out);
    put_total(source, out);
    put_features(source, out);
    json_write_number(out, "numberReturned", source->message->reply.count);
    buffer_put_char(out, '}');
    return OK;
}

// Where the feature is, and nothing else of it.
static fallible
serve_geopose(const struct geo_pose *pose, struct http_answer *answer)
{
    if (!pose)
        return fail(ERR_NOT_FOUND, "", "the feature has no GeoPose, because it has no place");
    answer->media_type = LINKS_GEOPOSE;
    buffer_put_char(&answer->body, '{');
    put_geopose(pose, &answer->body);
    buffer_put_char(&answer->body, '}');
    return OK;
}

static void
put_collection_link(const struct answer_source *source, const struct record *record,
                    struct buffer *out)
{
    link_begin(source, "collection", LINKS_JSON, out);
    if (record->schema == &scene_schema)
        buffer_put_chars(out, LINKS_SCENES);
    else if (record->schema == &device_report_schema)
        buffer_put_chars(out, LINKS_DEVICES);
    else if (source->message->params->scene)
        link_path_objects(source->message->params->scene, out);
    else
        buffer_put_chars(out, LINKS_ALL_OBJECTS);
    link_end(out);
}

fallible
feature_serve(const struct answer_source *source, struct http_answer *answer)
{
    struct buffer *out = &answer->body;
    struct geo_pose place;
    if (source->message->reply.count == 0)
        return fail(ERR_NOT_FOUND, "", "there is no such feature");
    const struct record *record = reply_record(&source->message->reply, 0);
    const struct geo_pose *pose = find_place(record, &place) ? &place : NULL;
    if (text_size(source->message->params->form))
        return serve_geopose(pose, answer);
    buffer_put_char(out, '{');
    put_members(record, pose, out);
    json_write_begin(out, "links", '[');
    link_put_self(source, out);
    put_collection_link(source, record, out);
    json_write_end(out, ']');
    buffer_put_char(out, '}');
    return OK;
}
