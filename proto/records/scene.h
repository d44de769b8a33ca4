// scene.h - the scene record.
#ifndef DIORAMA_PROTO_RECORDS_SCENE_H
#define DIORAMA_PROTO_RECORDS_SCENE_H

#include "proto/record/record.h"
#include "proto/spatial/geo_frame.h"

// Append-only: stored maps use these numbers.
enum scene_field {
    SCENE_KEY = 0,
    SCENE_NAME = 1,
    SCENE_REGION = 2,
    SCENE_LATITUDE = 3,
    SCENE_LONGITUDE = 4,
    SCENE_ASSETS = 5,
    SCENE_TAGS = 6,
    SCENE_PUBLIC = 7,
    SCENE_ACTIVE = 8,
    SCENE_DISTANCE = 9,
    SCENE_DEVICES = 10,
    SCENE_DESCRIPTION = 11,
    SCENE_USER = 12,
    SCENE_THUMBNAIL = 13,
    SCENE_TRANSFORM = 14, // of the second record of a registration's answer
    SCENE_ID = 15,        // the internal id, chosen at creation
    SCENE_MADE_BY = 16,   // which part of which request with an Idempotency-Key has made it
    SCENE_HEIGHT = 17,
    SCENE_HEADING = 18,
    SCENE_CREATED = 19, // calendar
    SCENE_CHANGED = 20,
};

struct scene {
    struct record base;
    const struct text *key;
    const struct text *name;
    const struct text *region;
    const struct text *description;
    const struct text *user;
    const struct text *thumbnail;
    double latitude;    // degrees north; any finite number
    double longitude;   // degrees east; any finite number
    double height_m;    // above the WGS 84 ellipsoid
    double heading_deg; // of its -Z, clockwise from true north
    double distance;    // km; search radius in a filter
    bool is_public;
    bool active;
    int64_t id;
    int64_t made_by;                // 0 = no such request
    int64_t created_us, changed_us; // calendar
    const struct texts *assets;
    const struct texts *tags;
    const struct records *devices;  // struct device
    const struct record *transform; // struct pose
};

static inline const struct scene *
scene_of(const struct record *record)
{
    return (const struct scene *)(const void *)record;
}

// Notes when a scene was changed, and created; the record may be edited.
static inline void
scene_set_changed(struct record *record, int64_t now_us, bool is_new)
{
    struct scene *scene = (struct scene *)(void *)record;
    scene->changed_us = now_us;
    record_mark(record, SCENE_CHANGED);
    if (!is_new)
        return;
    scene->created_us = now_us;
    record_mark(record, SCENE_CREATED);
}

// A loose copy of a scene's record that shows these devices; the list is borrowed.
struct scene *scene_with_devices(struct arena *arena, const struct record *scene,
                                 const struct records *devices);

// Whether the scene has a place on the map.
bool scene_is_on_map(const struct scene *self);
// Where its axes stand on Earth; false where it has no place on the map.
bool scene_frame(const struct scene *self, struct geo_frame *ret_frame);
// That place, in degrees; false where it has none.
bool scene_place_on_map(const struct record *scene, double *ret_latitude, double *ret_longitude);

extern const struct schema scene_schema;

// What the operations of the table answer with.
extern const struct view scene_view_key;        // create, update
extern const struct view scene_view_full;       // get
extern const struct view scene_view_found;      // query
extern const struct view scene_view_listed;     // list
extern const struct view scene_view_registered; // register, align, deregister

#endif
