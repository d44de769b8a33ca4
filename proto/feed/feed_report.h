// feed_report.h - what the streamer knows of the feeds of devices. A scene actor asks for it for a
// list of devices: the parcel of FEED_REPORT, in which the streamer writes, and which comes back as
// FEED_REPORTED with the request that waits for it.
#ifndef DIORAMA_PROTO_FEED_FEED_REPORT_H
#define DIORAMA_PROTO_FEED_FEED_REPORT_H

#include "proto/feed/destinations.h"

enum feed_state {
    FEED_NONE,        // it asked for no datagrams
    FEED_PENDING,     // it has not proven its address yet; what happens is kept for it for 10 s
    FEED_UNPROVEN,    // it did not do so in time: it gets nothing
    FEED_ACTIVE,      // it gets datagrams
    FEED_PAUSED,      // nobody was there: it gets nothing until it registers again
    FEED_UNREACHABLE, // the server's socket cannot send to its kind of address
    FEED_STATES
};

enum { FEED_ADDRESS_SIZE = 64 };

// One device; what follows `is_asked` is the streamer's to write.
struct feed_item {
    const frozen_t *scene; // one reference
    uint64_t scene_id;
    const frozen_t *device; // one reference
    bool is_asked;          // whether the feed is wanted
    enum feed_state state;
    enum feed_form form;
    unsigned rate_hz;
    bool is_sealed; // in that form
    bool is_behind;
    double sent_s, lost_s;
    uint64_t heard_us; // calendar; 0 = never
    char address[FEED_ADDRESS_SIZE];
};

struct feed_report {
    struct parcel base;
    struct message *request; // owned
    uint32_t count, capacity;
    struct feed_item items[];
};

struct feed_report *feed_report_create(uint32_t capacity);

// Adds a device; there is room.
struct feed_item *feed_report_add(struct feed_report *self, const frozen_t *scene,
                                  uint64_t scene_id, const frozen_t *device);

static inline struct feed_report *
feed_report_of(const struct message *message)
{
    return (struct feed_report *)(void *)message->parcel;
}

// "active"
const char *feed_state_name(enum feed_state state);
// Whether a state has this name.
bool feed_state_is_name(const struct text *name);

// "plain", "packed", "sealed", "opentrackio"
const char *feed_form_name(enum feed_form form, bool is_sealed);

#endif
