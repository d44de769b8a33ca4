// geo_search.h - finds what lies near a point of a geo_index, or in a box, in one piece or in
// slices. Pure; one thread.
#ifndef DIORAMA_ACTORS_SCENE_GEO_SEARCH_H
#define DIORAMA_ACTORS_SCENE_GEO_SEARCH_H

#include <stdbool.h>

#include "actors/scene/geo_index.h"
#include "proto/spatial/geodesy.h"

// Called for each entry found, in no order of distance. Returns the radius to go on with, in km: a
// search for the nearest few narrows it as it finds them; the search's own radius is the most that
// counts.
typedef double geo_visitor(void *context, const void *value, double distance_km);

// Whether the search must pause. Asked after some 64 entries at most.
typedef bool geo_pauser(void *context);

// Its owner fills in the first members; the others are zero where it begins, and its own then.
struct geo_search {
    double latitude, longitude;    // of the point; it may lie off the map
    double radius_km;              // it finds what is as far or nearer; the owner may narrow it
    const struct geodesy_box *box; // NULL: a circle. It finds what is in the box, at distance 0
    geo_visitor *visit;
    geo_pauser *must_pause; // NULL: in one piece
    void *context;          // of both
    bool reads_values;      // `visit` reads what it is called for: that is fetched ahead

    bool has_looked; // at an entry: the last one was
    uint64_t code;
    uintptr_t value;
};

// Visits what lies within the radius (<=) by geodesy_distance_km, or in the box. False: it had to
// pause, and goes on when it is called again. The index may have changed then; within a call it
// must not.
bool geo_search_go_on(struct geo_search *self, const struct geo_index *index);

// A value was taken from this place while the search paused: visits it as if it still were there,
// unless the search had passed it.
void geo_search_look_back(struct geo_search *self, double latitude, double longitude,
                          const void *value);

// A whole search in one piece.
void geo_search_all(const struct geo_index *index, double latitude, double longitude,
                    double radius_km, geo_visitor *visit, void *context);

#endif
