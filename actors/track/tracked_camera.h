// tracked_camera.h - one source of poses: who sends to it, which of its packets are new, the
// samples that are put together, and how often its lens is told. Pure, one thread.
#ifndef DIORAMA_ACTORS_TRACK_TRACKED_CAMERA_H
#define DIORAMA_ACTORS_TRACK_TRACKED_CAMERA_H

#include "actors/track/sample_assembly.h"
#include "proto/config/track_sources.h"
#include "proto/feed/opentrackio_sample.h"
#include "proto/message/metrics.h"

enum {
    SENDER_SILENT_US = 1000000, // after that another sender may take its place
    LENS_EVERY_US = 100000,     // values that changed
    LENS_AGAIN_US = 2000000,    // those that did not, as the standard repeats what is static
};

struct tracked_camera {
    struct track_source source;
    struct in_addr sender; // whose packets are taken now
    in_port_t sender_port;
    uint64_t heard_us; // 0 = never
    uint16_t sequence; // of the newest packet of a sample that was whole
    bool has_sequence;
    struct sample_assembly assembly;
    double lens[LENS_VALUES]; // as told last
    bool has_lens[LENS_VALUES];
    uint64_t lens_told_us, lens_repeated_us;
};

// A sample whose segments are all there.
struct whole_sample {
    enum opentrackio_encoding encoding;
    const char *data; // borrowed from the datagram or the camera, up to its next one
    size_t size;
};

void tracked_camera_init(struct tracked_camera *self, const struct track_source *source);
void tracked_camera_finish(struct tracked_camera *self);

// Takes a datagram of a sender that the source hears. True: a sample is whole, and newer than the
// one before. False: it waits for more, or is dropped and counted.
bool tracked_camera_take(struct tracked_camera *self, const struct sockaddr_in *from,
                         const char *data, size_t size, uint64_t now_us,
                         struct whole_sample *ret_sample);

// Forgets samples that are incomplete for too long. Whether others are still open.
bool tracked_camera_expire(struct tracked_camera *self, uint64_t now_us);

// Takes away the lens values that need not be told now: 10 times a second at most, and where
// nothing changed every two seconds.
void tracked_camera_pace_lens(struct tracked_camera *self, uint64_t now_us,
                              struct opentrackio_sample *sample);

#endif
