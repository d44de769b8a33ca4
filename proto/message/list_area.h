// list_area.h - the part of the map that a request for a list names: `box`, `bbox` or `near`. Pure.
#ifndef DIORAMA_PROTO_MESSAGE_LIST_AREA_H
#define DIORAMA_PROTO_MESSAGE_LIST_AREA_H

#include "proto/base/error.h"
#include "proto/records/params.h"
#include "proto/spatial/geodesy.h"

enum list_area_form { LIST_EVERYWHERE, LIST_BOX, LIST_CIRCLE };

struct list_area {
    enum list_area_form form;
    struct geodesy_box box;                // of a box
    double latitude, longitude, radius_km; // of a circle
};

// Reads `box=south,west,north,east`, `bbox=west,south,east,north` (OGC 17-069r4, 7.15.3: with
// heights behind south and north too, which are passed over) or
// `near=latitude,longitude,kilometres`; degrees. Fails with ERR_INVALID and the pointer of the
// parameter.
fallible list_area_read(const struct params *params, struct list_area *ret_area);

// Whether a place of the map is in the area.
bool list_area_has(const struct list_area *self, double latitude, double longitude);

#endif
