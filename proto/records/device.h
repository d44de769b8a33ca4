// device.h - a device in a scene, and the pose that relates their coordinates.
#ifndef DIORAMA_PROTO_RECORDS_DEVICE_H
#define DIORAMA_PROTO_RECORDS_DEVICE_H

#include "proto/record/record.h"
#include "proto/record/record_packed.h"

enum pose_field { POSE_TRANSLATION = 0, POSE_ROTATION = 1 };

// Maps device coordinates to scene coordinates: R = Rx * Ry * Rz, then the translation.
struct pose {
    struct record base;
    double translation[3]; // metres
    double rotation[3];    // Euler angles x, y, z in radians
};

enum accuracy_field { ACCURACY_SIGMA_T = 0, ACCURACY_SIGMA_R = 1, ACCURACY_METHOD = 2 };

// How precise a correction is, as its device says.
struct accuracy {
    struct record base;
    double sigma_t_m;          // standard deviation of each coordinate
    double sigma_r_rad;        // and of the rotation about each axis
    const struct text *method; // how it was measured; decides how fast it ages
};

enum alignment_field {
    ALIGNMENT_STATUS = 0,
    ALIGNMENT_SIGMA_T = 1,
    ALIGNMENT_SIGMA_R = 2,
    ALIGNMENT_OBSERVATIONS = 3,
    ALIGNMENT_DEVICES = 4,
    ALIGNMENT_PATH = 5,
    ALIGNMENT_EPOCH = 6,
    ALIGNMENT_COVARIANCE = 7,
    ALIGNMENT_CONFIDENCE = 8,
};

// How the transform of a device was determined, and how precise it is.
struct alignment {
    struct record base;
    const struct text *status;     // none, unverified, predicted, corrected, conflicting
    const struct text *confidence; // certified or local; NULL where nothing was solved
    double sigma_t_m;
    double sigma_r_rad;
    double covariance[36];    // of twists on the left of the transform
    int64_t observations;     // corrections that it rests on
    int64_t devices;          // that sent them
    int64_t epoch;            // of the solution
    const struct texts *path; // keys of scenes, the one that it starts from first
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
    DEVICE_CONVENTION = 9,
    DEVICE_ACCURACY = 10,
    DEVICE_TOKEN = 11,
    DEVICE_SINCE = 12,
    DEVICE_UDP = 13,
    DEVICE_EVIDENCE = 14,
    DEVICE_REVOCATIONS = 15,
    DEVICE_GEOPOSE = 16,
    DEVICE_SEAL_KEY = 17,
};

// Members that most devices in memory do not have, and those that only answers have.
struct device_rare {
    const struct text *convention;  // of its coordinates (convention.h); empty: those of scenes
    const struct text *seal_key;    // of its datagrams, if they are sealed (feed_seal.h)
    const struct text *evidence;    // id of its newest correction of this registration
    int64_t revocations;            // how often its user had lost access when they registered it
    const struct record *transform; // struct pose
    const struct record *accuracy;  // struct accuracy
    const struct record *alignment; // struct alignment
    const struct record *udp;       // struct udp_state, for the client that registers it
    const struct record *geopose;   // struct geopose
};

struct device {
    struct record base;
    const struct text *key;
    const struct text *hostname;
    const struct text *connection_string;
    const struct text *address; // "127.0.0.1" or "::1": where its UDP goes; empty while unresolved
    const struct text *peer;    // TCP peer that registered it: a host name must resolve to it
    const struct text *user;    // id of the user who registered it first; empty without auth
    const struct text *token;   // hash of its feed token (feed_token.h)
    int64_t port;
    int64_t since_us;         // calendar time at which its session began (alignment)
    struct device_rare *rare; // NULL in a frozen record that has none of its members
};

static inline const struct device *
device_of(const struct record *record)
{
    return (const struct device *)(const void *)record;
}

// What a frozen device says, packed or not: in `room`, or where it is. NULL of NULL. Those in
// memory are packed: most say the same address several times, and few say more.
static inline const struct device *
device_open(const frozen_t *frozen, struct opened *room)
{
    return device_of(frozen_open(frozen, room));
}

// Its rare members, for readers: where it has none, they are empty.
static inline const struct device_rare *
device_rare_of(const struct device *self)
{
    static const struct device_rare none = {0};
    return self->rare ? self->rare : &none;
}

extern const struct schema pose_schema;
extern const struct schema accuracy_schema;
// What `confidence` says, wherever it stands.
#define CONFIDENCE                                                                                 \
    "certified: no other poses of all connected scenes explain the evidence that is not rejected " \
    "better, beyond one standard deviation. local: that is not proven."

extern const struct schema alignment_schema;
extern const struct schema device_schema;

// How sure a device's transform is: as the device says, else 5 cm and 1 degree.
static inline void
device_sigmas(const struct device *self, double *ret_sigma_t_m, double *ret_sigma_r_rad)
{
    const struct accuracy *accuracy =
        (const struct accuracy *)(const void *)device_rare_of(self)->accuracy;
    bool has_t = accuracy && record_has(&accuracy->base, ACCURACY_SIGMA_T);
    bool has_r = accuracy && record_has(&accuracy->base, ACCURACY_SIGMA_R);
    *ret_sigma_t_m = has_t ? accuracy->sigma_t_m : 0.05;
    *ret_sigma_r_rad = has_r ? accuracy->sigma_r_rad : 0.017453292519943295;
}

#endif
