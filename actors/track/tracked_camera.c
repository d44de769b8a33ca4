// tracked_camera.c - the state of one source of poses (tracked_camera.h).
#include "actors/track/tracked_camera.h"

// So many packets back count as late: a sender that was started again begins anywhere.
enum { LATE_MOST = 64 };

void
tracked_camera_init(struct tracked_camera *self, const struct track_source *source)
{
    *self = (struct tracked_camera){.source = *source};
}

void
tracked_camera_finish(struct tracked_camera *self)
{
    sample_assembly_finish(&self->assembly);
}

static bool
drop(enum metric_cell reason)
{
    counter_add(reason, 1);
    return false;
}

// One sender at a time: two of them would move the camera to and fro. The same machine may go on
// from another port, as after a restart.
static bool
is_of_sender(struct tracked_camera *self, const struct sockaddr_in *from, uint64_t now_us)
{
    bool is_silent = self->heard_us == 0 || now_us - self->heard_us >= SENDER_SILENT_US;
    bool is_there = self->sender.s_addr == from->sin_addr.s_addr;
    if (!is_silent && !is_there)
        return false;
    if (is_silent || self->sender_port != from->sin_port) {
        counter_add(COUNT_TRACK_DROP_INCOMPLETE, sample_assembly_clear(&self->assembly));
        self->has_sequence = false;
    }
    self->sender = from->sin_addr;
    self->sender_port = from->sin_port;
    self->heard_us = now_us;
    return true;
}

// Whether the packet belongs to a sample that was taken already, or to one before it.
static bool
is_late(const struct tracked_camera *self, uint16_t sequence)
{
    int ahead = (int16_t)(uint16_t)(sequence - self->sequence);
    return self->has_sequence && ahead <= 0 && ahead > -LATE_MOST;
}

static bool
add(struct tracked_camera *self, const struct opentrackio_header *header, const char *segment,
    uint64_t now_us, struct whole_sample *ret_sample)
{
    unsigned lost;
    struct whole_sample sample = {.encoding = header->encoding};
    enum assembly_result result = sample_assembly_add(&self->assembly, header, segment, now_us,
                                                      &sample.data, &sample.size, &lost);
    if (lost)
        counter_add(COUNT_TRACK_DROP_INCOMPLETE, lost);
    if (result == ASSEMBLY_REFUSED)
        return drop(COUNT_TRACK_DROP_SEGMENT);
    if (result == ASSEMBLY_REPEATED)
        return drop(COUNT_TRACK_DROP_LATE);
    if (result == ASSEMBLY_WAITS)
        return false;
    self->sequence = header->sequence;
    self->has_sequence = true;
    *ret_sample = sample;
    return true;
}

bool
tracked_camera_take(struct tracked_camera *self, const struct sockaddr_in *from, const char *data,
                    size_t size, uint64_t now_us, struct whole_sample *ret_sample)
{
    struct opentrackio_header header;
    enum opentrackio_fault fault = opentrackio_header_read(data, size, &header);
    if (fault != OPENTRACKIO_GOOD)
        return drop(fault == OPENTRACKIO_CHECKSUM ? COUNT_TRACK_DROP_CHECKSUM
                                                  : COUNT_TRACK_DROP_HEADER);
    if (!is_of_sender(self, from, now_us))
        return drop(COUNT_TRACK_DROP_SENDER);
    if (is_late(self, header.sequence))
        return drop(COUNT_TRACK_DROP_LATE);
    tracked_camera_expire(self, now_us);
    return add(self, &header, data + OPENTRACKIO_HEADER_BYTES, now_us, ret_sample);
}

bool
tracked_camera_expire(struct tracked_camera *self, uint64_t now_us)
{
    unsigned lost = sample_assembly_expire(&self->assembly, now_us);
    if (lost)
        counter_add(COUNT_TRACK_DROP_INCOMPLETE, lost);
    return !sample_assembly_is_empty(&self->assembly);
}

// --- the lens ---

static bool
is_changed(const struct tracked_camera *self, const struct opentrackio_sample *sample, unsigned i)
{
    return sample->has_lens[i] && (!self->has_lens[i] || self->lens[i] != sample->lens[i]);
}

void
tracked_camera_pace_lens(struct tracked_camera *self, uint64_t now_us,
                         struct opentrackio_sample *sample)
{
    bool is_due = self->lens_told_us == 0 || now_us - self->lens_told_us >= LENS_EVERY_US;
    bool is_again = self->lens_repeated_us == 0 || now_us - self->lens_repeated_us >= LENS_AGAIN_US;
    bool is_told = false;
    for (unsigned i = 0; i < LENS_VALUES; i++) {
        sample->has_lens[i] &= is_due && (is_again || is_changed(self, sample, i));
        if (!sample->has_lens[i])
            continue;
        self->lens[i] = sample->lens[i];
        self->has_lens[i] = is_told = true;
    }
    if (is_told)
        self->lens_told_us = now_us;
    if (is_told && is_again)
        self->lens_repeated_us = now_us;
}
