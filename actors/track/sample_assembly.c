// sample_assembly.c - segments of samples (sample_assembly.h).
#include "actors/track/sample_assembly.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

static void
close_sample(struct open_sample *sample)
{
    free(sample->bytes);
    *sample = (struct open_sample){0};
}

void
sample_assembly_finish(struct sample_assembly *self)
{
    sample_assembly_clear(self);
    free(self->whole);
    self->whole = NULL;
}

unsigned
sample_assembly_clear(struct sample_assembly *self)
{
    return sample_assembly_expire(self, UINT64_MAX);
}

unsigned
sample_assembly_expire(struct sample_assembly *self, uint64_t now_us)
{
    unsigned lost = 0;
    for (unsigned i = 0; i < SAMPLES_OPEN_MOST; i++)
        if (self->open[i].count && now_us - self->open[i].since_us >= SAMPLE_WITHIN_US) {
            close_sample(&self->open[i]);
            lost++;
        }
    return lost;
}

bool
sample_assembly_is_empty(const struct sample_assembly *self)
{
    for (unsigned i = 0; i < SAMPLES_OPEN_MOST; i++)
        if (self->open[i].count)
            return false;
    return true;
}

// --- which sample a segment is of ---

enum { FAR = SAMPLE_SEGMENTS_MOST };

// How far the numbers of two segments are apart: 0 where they are one number. FAR if they cannot be
// of one sample: the later number must be the later place.
static int
distance(const struct sample_segment *there, const struct opentrackio_header *header)
{
    int apart = (int16_t)(uint16_t)(header->sequence - there->sequence);
    bool is_in_order = apart == 0 || (apart > 0) == (header->offset > there->offset);
    int size = abs(apart);
    return is_in_order && size < FAR ? size : FAR;
}

// The distance to the nearest segment of the sample; FAR if one of them contradicts.
static int
distance_to_sample(const struct open_sample *sample, const struct opentrackio_header *header)
{
    int nearest = FAR;
    if (sample->count == 0 || sample->encoding != header->encoding)
        return FAR;
    for (unsigned i = 0; i < sample->count; i++) {
        int apart = distance(&sample->segments[i], header);
        if (apart == FAR)
            return FAR;
        nearest = apart < nearest ? apart : nearest;
    }
    return nearest;
}

static struct open_sample *
find_sample(struct sample_assembly *self, const struct opentrackio_header *header)
{
    struct open_sample *found = NULL;
    int nearest = FAR;
    for (unsigned i = 0; i < SAMPLES_OPEN_MOST; i++) {
        int apart = distance_to_sample(&self->open[i], header);
        if (apart < nearest) {
            nearest = apart;
            found = &self->open[i];
        }
    }
    return found;
}

// A place for a new sample: the oldest one goes where all are taken.
static struct open_sample *
open_sample(struct sample_assembly *self, enum opentrackio_encoding encoding, uint64_t now_us,
            unsigned *lost)
{
    struct open_sample *place = &self->open[0];
    for (unsigned i = 0; i < SAMPLES_OPEN_MOST && place->count; i++)
        if (self->open[i].count == 0 || self->open[i].since_us < place->since_us)
            place = &self->open[i];
    *lost += place->count > 0;
    close_sample(place);
    place->encoding = encoding;
    place->since_us = now_us;
    place->bytes = memory_take(SAMPLE_BYTES_MOST);
    return place;
}

// --- one sample ---

static bool
is_same(const struct sample_segment *there, const struct opentrackio_header *header)
{
    return there->sequence == header->sequence && there->offset == header->offset &&
           there->size == header->size;
}

static bool
overlaps(const struct sample_segment *there, const struct opentrackio_header *header)
{
    return header->offset < (uint32_t)there->offset + there->size &&
           there->offset < header->offset + header->size;
}

// Where in the order of offsets the segment stands; REPEATED or REFUSED if it has no place.
static enum assembly_result
find_place(const struct open_sample *sample, const struct opentrackio_header *header,
           unsigned *ret_place)
{
    unsigned place = 0;
    uint32_t end = header->offset + header->size;
    for (unsigned i = 0; i < sample->count; i++) {
        if (is_same(&sample->segments[i], header))
            return ASSEMBLY_REPEATED;
        if (overlaps(&sample->segments[i], header))
            return ASSEMBLY_REFUSED;
        place += sample->segments[i].offset < header->offset;
    }
    bool is_behind = sample->end && (header->is_last || end > sample->end);
    bool is_cut = header->is_last && place < sample->count;
    if (sample->count == SAMPLE_SEGMENTS_MOST || is_behind || is_cut)
        return ASSEMBLY_REFUSED;
    *ret_place = place;
    return ASSEMBLY_WAITS;
}

static void
insert(struct open_sample *sample, unsigned place, const struct opentrackio_header *header,
       const char *segment)
{
    struct sample_segment *at = &sample->segments[place];
    memmove(at + 1, at, (sample->count - place) * sizeof *at);
    *at = (struct sample_segment){header->sequence, (uint16_t)header->offset, header->size};
    sample->count++;
    sample->received += header->size;
    if (header->is_last)
        sample->end = header->offset + header->size;
    memcpy(sample->bytes + header->offset, segment, header->size);
}

// Whether the segments are numbered one after the other, or all have one number: others are of
// different samples.
static bool
is_of_one(const struct open_sample *sample)
{
    bool is_counted = true, is_equal = true;
    for (unsigned i = 1; i < sample->count; i++) {
        uint16_t step = (uint16_t)(sample->segments[i].sequence - sample->segments[i - 1].sequence);
        is_counted &= step == 1;
        is_equal &= step == 0;
    }
    return is_counted || is_equal;
}

static enum assembly_result
refuse(struct open_sample *sample)
{
    close_sample(sample);
    return ASSEMBLY_REFUSED;
}

// Gives the bytes out if all are there; none overlap, so their number says it.
static enum assembly_result
finish_sample(struct sample_assembly *self, struct open_sample *sample, const char **ret_data,
              size_t *ret_size)
{
    if (sample->received != sample->end)
        return ASSEMBLY_WAITS;
    if (!is_of_one(sample))
        return refuse(sample);
    free(self->whole);
    *ret_data = self->whole = sample->bytes;
    *ret_size = sample->end;
    sample->bytes = NULL;
    close_sample(sample);
    return ASSEMBLY_WHOLE;
}

enum assembly_result
sample_assembly_add(struct sample_assembly *self, const struct opentrackio_header *header,
                    const char *segment, uint64_t now_us, const char **ret_data, size_t *ret_size,
                    unsigned *ret_lost)
{
    unsigned place;
    *ret_lost = 0;
    if (header->offset > SAMPLE_BYTES_MOST || header->size > SAMPLE_BYTES_MOST - header->offset)
        return ASSEMBLY_REFUSED;
    if (header->offset == 0 && header->is_last) {
        *ret_data = segment;
        *ret_size = header->size;
        return ASSEMBLY_WHOLE;
    }
    struct open_sample *sample = find_sample(self, header);
    if (!sample)
        sample = open_sample(self, header->encoding, now_us, ret_lost);
    enum assembly_result result = find_place(sample, header, &place);
    if (result == ASSEMBLY_REFUSED)
        return refuse(sample);
    if (result != ASSEMBLY_WAITS)
        return result;
    insert(sample, place, header, segment);
    return finish_sample(self, sample, ret_data, ret_size);
}
