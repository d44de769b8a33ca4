// opentrackio_sample.h - what a sample of OpenTrackIO 1.0 says of a camera: pose, time, lens. Pure.
// The pose is the product of `transforms` in their order (opentrackio_pose.h).
#ifndef DIORAMA_PROTO_FEED_OPENTRACKIO_SAMPLE_H
#define DIORAMA_PROTO_FEED_OPENTRACKIO_SAMPLE_H

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/codec/json_text.h"

enum opentrackio_lens {
    LENS_PINHOLE_FOCAL_LENGTH, // mm
    LENS_FOCUS_DISTANCE,       // m
    LENS_F_STOP,
    LENS_ENTRANCE_PUPIL_OFFSET, // m
    LENS_VALUES,
};

// The names of the members, and of the properties that get their values.
extern const char *const opentrackio_lens_names[LENS_VALUES];

struct opentrackio_sample {
    bool has_pose, has_frame, has_timestamp;
    bool has_lens[LENS_VALUES];
    double matrix[16]; // row-major, in the axes of scenes
    int64_t frame;     // of the timecode, since midnight
    int64_t timestamp; // of sampleTimestamp, microseconds
    double lens[LENS_VALUES];
};

// Why a sample counts for nothing.
enum opentrackio_wrong {
    SAMPLE_GOOD,
    SAMPLE_INVALID, // not a sample, or one with a number that is none
    SAMPLE_SCALED,  // a scale other than 1
};

// Reads a sample. What it lacks is absent; a time or a lens value that is wrong is absent too, as
// the pose is good without. A wrong pose makes it invalid, and so do another protocol or major
// version, and a source number that the standard reserves (0, 201 and more).
enum opentrackio_wrong opentrackio_sample_read(const struct json *json,
                                               struct opentrackio_sample *ret_sample);

#endif
