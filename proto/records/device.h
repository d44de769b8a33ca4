// device.h - a device in a scene, and the pose that relates their coordinates (decisions 8).
#ifndef DIORAMA_PROTO_RECORDS_DEVICE_H
#define DIORAMA_PROTO_RECORDS_DEVICE_H

#include "proto/record.h"

enum pose_field { POSE_TRANSLATION = 0, POSE_ROTATION = 1 };

// Maps device coordinates to scene coordinates: R = Rx * Ry * Rz, then the translation.
struct pose {
    struct record base;
    double translation[3]; // metres
    double rotation[3];    // Euler angles x, y, z in radians
};

enum alignment_field { ALIGNMENT_STATUS = 0 };

struct alignment {
    struct record base;
    const struct text *status; // none, corrected; more once the solver is there
};

enum device_field {
    DEVICE_KEY = 0,
    DEVICE_HOSTNAME = 1,
    DEVICE_PORT = 2,
    DEVICE_CONNECTION_STRING = 3,
    DEVICE_TRANSFORM = 4,
    DEVICE_ALIGNMENT = 5,
    DEVICE_ADDRESS = 6,
    DEVICE_PEER = 7,
    DEVICE_USER = 8,
};

struct device {
    struct record base;
    const struct text *key;
    const struct text *hostname;
    const struct text *connection_string;
    const struct text *address; // "127.0.0.1" or "::1": where its UDP goes; empty while unresolved
    const struct text *peer;    // TCP peer that registered it: a name must resolve to it
    const struct text *user;    // id of the user who registered it first; empty without auth
    int64_t port;
    const struct record *transform; // struct pose
    const struct record *alignment; // struct alignment
};

extern const struct schema pose_schema;
extern const struct schema alignment_schema;
extern const struct schema device_schema;

#endif
