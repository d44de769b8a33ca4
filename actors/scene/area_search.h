// area_search.h - finds the scenes of an area in slices, each once, as they were when the search
// paused first or as they are now. State of the scene actor.
#ifndef DIORAMA_ACTORS_SCENE_AREA_SEARCH_H
#define DIORAMA_ACTORS_SCENE_AREA_SEARCH_H

#include "actors/runtime/list_page.h"

// The work of one list, all zero where it begins; the map of a list_source, and what it holds.
struct area_search;

struct area_search *area_search_create(actor_t *actor);
// Destroys a struct area_search.
void area_search_destroy(void *search);

// The `search` of a list_source.
bool area_search_go_on(void *search, const struct list_area *area, list_finder *find,
                       void *context);

#endif
