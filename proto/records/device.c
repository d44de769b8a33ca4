// device.c - the fields of a device, its pose and what is known of its alignment.
#include "proto/records/device.h"

// clang-format off
static const struct field pose_fields[] = {
    FIELD(POSE_TRANSLATION, struct pose, translation, "translation", "Where the device's origin is in the scene.",  .unit = "m"),
    FIELD(POSE_ROTATION,    struct pose, rotation,    "rotation",    "Euler angles x, y, z; R = Rx * Ry * Rz.",      .unit = "rad"),
};

static const struct field alignment_fields[] = {
    FIELD(ALIGNMENT_STATUS, struct alignment, status, "status", "none, or corrected by the device."),
};

static const struct field device_fields[] = {
    FIELD(DEVICE_KEY,               struct device, key,               "key",               "Identifies the device; generated where absent.",    .flags = FIELD_KEY),
    FIELD(DEVICE_HOSTNAME,          struct device, hostname,          "hostname",          "Where its UDP goes: an address or a name.",         .flags = FIELD_PRIVATE),
    FIELD(DEVICE_PORT,              struct device, port,              "port",              "The UDP port there.",                               .flags = FIELD_PRIVATE, .minimum = 0, .maximum = 65535),
    FIELD(DEVICE_CONNECTION_STRING, struct device, connection_string, "connection_string", "Chooses the form of its feed.",                     .flags = FIELD_PRIVATE),
    FIELD(DEVICE_TRANSFORM,         struct device, transform,         "transform",         "From device to scene coordinates.",                 .of = &pose_schema),
    FIELD(DEVICE_ALIGNMENT,         struct device, alignment,         "alignment",         "How the transform came about.",                     .flags = FIELD_DERIVED | FIELD_OPTIONAL, .of = &alignment_schema),
    FIELD(DEVICE_ADDRESS,           struct device, address,           "address",           "What the hostname resolved to.",                    .flags = FIELD_HIDDEN),
    FIELD(DEVICE_USER,              struct device, user,              "user",              "Id of the user who registered it.",                 .flags = FIELD_HIDDEN),
    FIELD(DEVICE_PEER,              struct device, peer,              "peer",              "Address of who registered it.",                     .flags = FIELD_HIDDEN),
};
// clang-format on

const struct schema pose_schema = SCHEMA(struct pose, "pose", "poses", pose_fields);
const struct schema alignment_schema =
    SCHEMA(struct alignment, "alignment", "alignments", alignment_fields);
const struct schema device_schema = SCHEMA(struct device, "device", "devices", device_fields);
