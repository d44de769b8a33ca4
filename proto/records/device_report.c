// device_report.c - the fields of a device in a list of devices, and its place there.
#include "proto/records/device_report.h"

#include <string.h>

#include "proto/record/view.h"
#include "proto/records/device.h"
#include "proto/records/geopose.h"

#define GAP '\t'

// clang-format off
#define OWN FIELD_OPTIONAL | FIELD_DERIVED // shown to the user of the device and administrators

static const struct field device_report_fields[] = {
    FIELD(DEVICE_REPORT_PLACE,      struct device_report, place,      "place",      "Where it stands in the list; that of the last one is `after` of the next page.", .limit = DEVICE_PLACE_BYTES),
    FIELD(DEVICE_REPORT_AFTER,      struct device_report, after,      "after",      "Only what stands behind this place.",                            .flags = FIELD_INPUT | FIELD_FILTER, .limit = DEVICE_PLACE_BYTES),
    FIELD(DEVICE_REPORT_SCENE,      struct device_report, scene,      "scene",      "Key of the scene that it is registered to.",                     .flags = FIELD_FILTER),
    FIELD(DEVICE_REPORT_KEY,        struct device_report, key,        "key",        "Key of the device."),
    FIELD(DEVICE_REPORT_USER,       struct device_report, user,       "user",       "Id of the user who registered it. This and what follows are shown to that user and to administrators.", .flags = OWN),
    FIELD(DEVICE_REPORT_STATE,      struct device_report, state,      "state",      "Of its feed: none, pending, unproven, active, paused or unreachable.", .flags = FIELD_OPTIONAL | FIELD_FILTER),
    FIELD(DEVICE_REPORT_FORM,       struct device_report, form,       "form",       "Of its datagrams: plain, packed, sealed or opentrackio.",                     .flags = OWN),
    FIELD(DEVICE_REPORT_RATE,       struct device_report, rate_hz,    "rate",       "Most datagrams a second that it asked for; packed form.",        .flags = OWN, .unit = "Hz"),
    FIELD(DEVICE_REPORT_CONVENTION, struct device_report, convention, "convention", "Its axes, where they are not those of scenes.",                  .flags = OWN),
    FIELD(DEVICE_REPORT_ADDRESS,    struct device_report, address,    "address",    "Where its datagrams go; for administrators.",                    .flags = OWN),
    FIELD(DEVICE_REPORT_SENT,       struct device_report, sent_s,     "sent_s",     "Datagrams that it is sent a second, mean of some seconds.",      .flags = OWN, .unit = "1/s"),
    FIELD(DEVICE_REPORT_LOST,       struct device_report, lost_s,     "lost_s",     "Changes a second that it missed and asked for again.",           .flags = OWN, .unit = "1/s"),
    FIELD(DEVICE_REPORT_BEHIND,     struct device_report, is_behind,  "behind",     "Whether it is still to be sent what others of its scene have.",  .flags = OWN),
    FIELD(DEVICE_REPORT_HEARD,      struct device_report, heard_us,   "heard_us",   "When it was heard last: a datagram with its token, or its registration; since 1970 UTC. Absent where the server has not heard of it since it began.", .flags = OWN, .unit = "us"),
    FIELD(DEVICE_REPORT_SINCE,      struct device_report, since_us,   "since_us",   "When its session began, since 1970 UTC.",                        .flags = OWN, .unit = "us"),
    FIELD(DEVICE_REPORT_ALIGNMENT,  struct device_report, alignment,  "alignment",  "Of a transform that it sent. What follows from others is in the answer of its scene.", .flags = OWN, .of = &alignment_schema),
    FIELD(DEVICE_REPORT_GEOPOSE,    struct device_report, geopose,    "geopose",    "Where it is on Earth: GeoPose, Basic-Quaternion; of features.",  .flags = OWN, .of = &geopose_schema),
};
// clang-format on

const struct schema device_report_schema =
    SCHEMA(struct device_report, "device_report", "devices", device_report_fields);

const struct view device_report_view_full = {.of = &device_report_schema, .name = ""};

const struct text *
device_place(struct arena *arena, const struct text *scene, const struct text *device)
{
    return text_format(arena, "%s%c%s", text_chars(scene), GAP, text_chars(device));
}

void
device_place_split(struct arena *arena, const struct text *place, const struct text **ret_scene,
                   const struct text **ret_device)
{
    const char *begin = text_bytes(place), *end = begin + text_size(place);
    const char *gap = text_size(place) ? memchr(begin, GAP, text_size(place)) : NULL;
    *ret_scene = text_new(arena, begin, (size_t)((gap ? gap : end) - begin));
    *ret_device = text_new(arena, gap ? gap + 1 : end, gap ? (size_t)(end - gap - 1) : 0);
}
