// device.c - the fields of a device, its pose and what is known of its alignment.
#include "proto/records/device.h"

#include "proto/records/geopose.h"
#include "proto/records/params.h"

#define TRANSLATION_MOST 1e7 // no scene is wider: beyond it a transform is a mistake
#define ROTATION_MOST 1e4

// The row of a member of the rare part.
#define RARE(id_, member_, name_, about_, ...)                                                     \
    FIELD(id_, struct device_rare, member_, name_, about_, .rare = offsetof(struct device, rare),  \
          __VA_ARGS__)

// clang-format off
static const struct field pose_fields[] = {
    FIELD(POSE_TRANSLATION, struct pose, translation, "translation", "Transform of the device's origin in the scene.", .unit = "m",   .minimum = -TRANSLATION_MOST, .maximum = TRANSLATION_MOST, .axes = AXES_POINT),
    FIELD(POSE_ROTATION,    struct pose, rotation,    "rotation",    "Euler angles x, y, z; R = Rx * Ry * Rz.",      .unit = "rad", .minimum = -ROTATION_MOST,    .maximum = ROTATION_MOST,    .axes = AXES_DEVICE_EULER),
};

static const struct field alignment_fields[] = {
    FIELD(ALIGNMENT_STATUS,       struct alignment, status,       "status",       "none, unverified, predicted, corrected or conflicting."),
    FIELD(ALIGNMENT_CONFIDENCE,   struct alignment, confidence,   "confidence",   CONFIDENCE,                                                   .flags = FIELD_OPTIONAL),
    FIELD(ALIGNMENT_SIGMA_T,      struct alignment, sigma_t_m,    "sigma_t_m",    "Standard deviation of the translation.",                     .flags = FIELD_OPTIONAL, .unit = "m"),
    FIELD(ALIGNMENT_SIGMA_R,      struct alignment, sigma_r_rad,  "sigma_r_rad",  "Standard deviation of the rotation.",                        .flags = FIELD_OPTIONAL, .unit = "rad"),
    FIELD(ALIGNMENT_COVARIANCE,   struct alignment, covariance,   "covariance",   "36 numbers, row-major: covariance of (tx, ty, tz, rx, ry, rz), a twist on the left of the transform in the axes of the answer.", .flags = FIELD_OPTIONAL, .unit = "m2, m rad and rad2", .axes = AXES_COVARIANCE),
    FIELD(ALIGNMENT_OBSERVATIONS, struct alignment, observations, "observations", "Corrections that it rests on.",                              .flags = FIELD_OPTIONAL),
    FIELD(ALIGNMENT_DEVICES,      struct alignment, devices,      "devices",      "Devices that sent them.",                                    .flags = FIELD_OPTIONAL),
    FIELD(ALIGNMENT_PATH,         struct alignment, path,         "path",         "Keys of the scenes on the way here.",                        .flags = FIELD_OPTIONAL),
    FIELD(ALIGNMENT_EPOCH,        struct alignment, epoch,        "epoch",        "Grows with each relevant change of a link.",                 .flags = FIELD_OPTIONAL),
};

#define SIGMA_T_LEAST 0.0001
#define SIGMA_T_MOST 100.0
#define SIGMA_R_LEAST 0.00001
#define SIGMA_R_MOST 1.0

static const struct field accuracy_fields[] = {
    FIELD(ACCURACY_SIGMA_T, struct accuracy, sigma_t_m,   "sigma_t_m",   "Standard deviation of each coordinate of the translation.", .flags = FIELD_OPTIONAL, .unit = "m",   .minimum = SIGMA_T_LEAST, .maximum = SIGMA_T_MOST),
    FIELD(ACCURACY_SIGMA_R, struct accuracy, sigma_r_rad, "sigma_r_rad", "Standard deviation of the rotation about each axis.",       .flags = FIELD_OPTIONAL, .unit = "rad", .minimum = SIGMA_R_LEAST, .maximum = SIGMA_R_MOST),
    FIELD(ACCURACY_METHOD,  struct accuracy, method,      "method",      "How it was measured.",                                      .flags = FIELD_OPTIONAL, .limit = 64),
};

static const struct field device_fields[] = {
    FIELD(DEVICE_KEY,               struct device, key,               "key",               "Identifies the device; generated if absent.",       .flags = FIELD_KEY),
    FIELD(DEVICE_HOSTNAME,          struct device, hostname,          "hostname",          "Address or name of the host for its UDP.",          .flags = FIELD_PRIVATE),
    FIELD(DEVICE_PORT,              struct device, port,              "port",              "UDP port of that host.",                            .flags = FIELD_PRIVATE, .minimum = 0, .maximum = 65535),
    FIELD(DEVICE_CONNECTION_STRING, struct device, connection_string, "connection_string", "Chooses the form of its feed.",                     .flags = FIELD_PRIVATE),
    RARE( DEVICE_TRANSFORM,         transform,                        "transform",         "From device to scene coordinates.",                 .of = &pose_schema),
    RARE( DEVICE_GEOPOSE,           geopose,                          "geopose",           "Where it is on Earth: GeoPose, Basic-Quaternion.",  .flags = FIELD_DERIVED | FIELD_OPTIONAL, .of = &geopose_schema),
    RARE( DEVICE_ALIGNMENT,         alignment,                        "alignment",         "Origin of its transform.",                          .flags = FIELD_DERIVED | FIELD_OPTIONAL, .of = &alignment_schema),
    FIELD(DEVICE_ADDRESS,           struct device, address,           "address",           "What the hostname resolved to.",                    .flags = FIELD_HIDDEN),
    FIELD(DEVICE_USER,              struct device, user,              "user",              "Id of the user who registered it.",                 .flags = FIELD_HIDDEN),
    FIELD(DEVICE_PEER,              struct device, peer,              "peer",              "Address of who registered it.",                     .flags = FIELD_HIDDEN),
    RARE( DEVICE_CONVENTION,        convention,                       "convention",        "Its axes: gltf (or godot, three), unity, unreal, ros, enu (or blender), cv, ned.",   .flags = FIELD_OPTIONAL | FIELD_PRIVATE, .limit = 16),
    RARE( DEVICE_ACCURACY,          accuracy,                         "accuracy",          "Quality of its transform.",                         .flags = FIELD_OPTIONAL | FIELD_PRIVATE, .of = &accuracy_schema),
    FIELD(DEVICE_TOKEN,             struct device, token,             "token_hash",        "What its datagrams are known by.",                  .flags = FIELD_HIDDEN),
    RARE( DEVICE_SEAL_KEY,          seal_key,                         "seal_key",          "Key of its sealed datagrams.",                      .flags = FIELD_HIDDEN),
    FIELD(DEVICE_SINCE,             struct device, since_us,          "since_us",          "When it was registered first.",                     .flags = FIELD_HIDDEN),
    RARE( DEVICE_UDP,               udp,                              "udp",               "State of its feed, if this request registers it.",    .flags = FIELD_DERIVED | FIELD_OPTIONAL, .of = &udp_state_schema),
    RARE( DEVICE_EVIDENCE,          evidence,                         "evidence",          "Its newest correction.",                            .flags = FIELD_HIDDEN),
    RARE( DEVICE_REVOCATIONS,       revocations,                      "revocations",       "How often its user had lost access then.",          .flags = FIELD_HIDDEN),
};
// clang-format on

const struct schema pose_schema = SCHEMA(struct pose, "pose", "poses", pose_fields);
const struct schema accuracy_schema =
    SCHEMA(struct accuracy, "accuracy", "accuracies", accuracy_fields);
const struct schema alignment_schema =
    SCHEMA(struct alignment, "alignment", "alignments", alignment_fields);
const struct schema device_schema = {
    .name = "device",
    .array = "devices",
    .size = sizeof(struct device),
    .count = sizeof device_fields / sizeof device_fields[0],
    .fields = device_fields,
    .rare = offsetof(struct device, rare),
    .rare_size = sizeof(struct device_rare),
};
_Static_assert(sizeof(struct device) == 96, "every device in memory has one");
