// device_report.h - a device in a scene, as lists of the devices of all scenes show it: whose it
// is, and how its feed fares. Never stored.
#ifndef DIORAMA_PROTO_RECORDS_DEVICE_REPORT_H
#define DIORAMA_PROTO_RECORDS_DEVICE_REPORT_H

#include "proto/record/record.h"

enum device_report_field {
    DEVICE_REPORT_PLACE = 0,
    DEVICE_REPORT_AFTER = 1,
    DEVICE_REPORT_SCENE = 2,
    DEVICE_REPORT_KEY = 3,
    DEVICE_REPORT_USER = 4,
    DEVICE_REPORT_STATE = 5,
    DEVICE_REPORT_FORM = 6,
    DEVICE_REPORT_RATE = 7,
    DEVICE_REPORT_CONVENTION = 8,
    DEVICE_REPORT_ADDRESS = 9,
    DEVICE_REPORT_SENT = 10,
    DEVICE_REPORT_LOST = 11,
    DEVICE_REPORT_BEHIND = 12,
    DEVICE_REPORT_HEARD = 13,
    DEVICE_REPORT_SINCE = 14,
    DEVICE_REPORT_ALIGNMENT = 15,
    DEVICE_REPORT_GEOPOSE = 16,
};

enum { DEVICE_PLACE_BYTES = 512 };

struct device_report {
    struct record base;
    const struct text *place; // the order of the answer: scene, then device
    const struct text *after; // of a request: the place of the last one that the client has
    const struct text *scene; // its key
    const struct text *key;
    const struct text *user;  // id; empty without auth
    const struct text *state; // feed_state_name()
    const struct text *form;  // plain, packed, opentrackio
    const struct text *convention;
    const struct text *address;     // where its datagrams go
    int64_t rate_hz;                // of the packed form
    double sent_s;                  // datagrams a second
    double lost_s;                  // changes a second that it asked for again
    bool is_behind;                 // it is sent what it has missed
    int64_t heard_us;               // calendar: its newest datagram, or its registration
    int64_t since_us;               // calendar: its session began
    const struct record *alignment; // struct alignment
    const struct record *geopose;   // struct geopose; of features
};

extern const struct schema device_report_schema;
extern const struct view device_report_view_full;

// The place of a device. Keys contain no control character, so places are in the order of scenes,
// then of devices.
const struct text *device_place(struct arena *arena, const struct text *scene,
                                const struct text *device);

// The two keys of a place, which a client may have made up: whatever stands there, all that is
// behind them is behind the place. `*ret_device` is empty where it names a scene alone.
void device_place_split(struct arena *arena, const struct text *place,
                        const struct text **ret_scene, const struct text **ret_device);

#endif
