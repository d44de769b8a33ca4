// sample_assembly.h - puts samples of OpenTrackIO together that came in several segments. One for
// each source, with its bounds: a sender cannot make it keep more. One thread.
//
// The standard does not say how the segments of a sample are known. Its reference code numbers them
// one after the other; other senders give all of them one number. Both are taken, in any order.
#ifndef DIORAMA_ACTORS_TRACK_SAMPLE_ASSEMBLY_H
#define DIORAMA_ACTORS_TRACK_SAMPLE_ASSEMBLY_H

#include "proto/feed/opentrackio_header.h"

enum {
    SAMPLE_BYTES_MOST = 16 << 10,
    SAMPLE_SEGMENTS_MOST = 32,
    SAMPLES_OPEN_MOST = 4,
    SAMPLE_WITHIN_US = 100000, // from its first segment to its last
};

struct sample_segment {
    uint16_t sequence, offset, size;
};

// A sample whose segments are not all there.
struct open_sample {
    enum opentrackio_encoding encoding;
    uint64_t since_us;
    uint32_t received;                                    // bytes
    uint32_t end;                                         // bytes of all; 0 = not known yet
    unsigned count;                                       // 0 = nothing is open
    struct sample_segment segments[SAMPLE_SEGMENTS_MOST]; // by offset
    char *bytes;                                          // SAMPLE_BYTES_MOST
};

// All zero is an empty one.
struct sample_assembly {
    struct open_sample open[SAMPLES_OPEN_MOST];
    char *whole; // the sample that was given out last
};

enum assembly_result {
    ASSEMBLY_WHOLE,    // the sample is there
    ASSEMBLY_WAITS,    // for more of it
    ASSEMBLY_REPEATED, // the segment was there already
    ASSEMBLY_REFUSED,  // too large, or against what came before: its sample is gone
};

void sample_assembly_finish(struct sample_assembly *self);

// Adds a segment, whose bytes are at `segment`. At ASSEMBLY_WHOLE `*ret_data` has the sample, up to
// the next call. `*ret_lost` is how many open samples made room for this one.
enum assembly_result sample_assembly_add(struct sample_assembly *self,
                                         const struct opentrackio_header *header,
                                         const char *segment, uint64_t now_us,
                                         const char **ret_data, size_t *ret_size,
                                         unsigned *ret_lost);

// Forgets the samples that are open for too long; returns how many they were.
unsigned sample_assembly_expire(struct sample_assembly *self, uint64_t now_us);

// Forgets all of them, as another sender begins.
unsigned sample_assembly_clear(struct sample_assembly *self);

bool sample_assembly_is_empty(const struct sample_assembly *self);

#endif
