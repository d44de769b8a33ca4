// fed_devices.h - devices for tests of fanout, which takes those of others: each by its scene and
// key. Only the tests call it.
#ifndef DIORAMA_TESTS_SUPPORT_FED_DEVICES_H
#define DIORAMA_TESTS_SUPPORT_FED_DEVICES_H

#include "actors/streamer/fanout/subscribers.h"

// The device of this scene and key, always the same; without a lane at first.
struct subscriber *fed_device(uint64_t scene_id, const char *key);

// Frees them all; the subscribers that they were among have ended.
void fed_devices_end(void);

#endif
