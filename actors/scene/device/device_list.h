// device_list.h - the devices of all scenes that the caller may read, and how the feeds of their
// own fare.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_LIST_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_LIST_H

#include "actors/runtime/actor.h"

// Answers the first num_records of this shard behind `after`, in the order of their places. Looks
// at devices in slices, and asks the streamer about those of each slice.
actor_handler device_list;

// FEED_REPORTED: the streamer has answered.
actor_handler device_list_reported;

#endif
