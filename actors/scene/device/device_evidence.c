// device_evidence.c - a set of corrections for each device that has some, and those without a pin
// apart (device_evidence.h).
#include "actors/scene/device/device_evidence.h"

#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/records/correction.h"

struct said {
    struct text *device; // owned
    struct record_set corrections;
    struct record_set unpinned; // of them
};

static bool
has_device(const void *said, const void *device)
{
    return text_equal(((const struct said *)said)->device, device);
}

static struct said *
find(const struct device_evidence *self, const struct text *device)
{
    return table_find(&self->devices, table_hash_text(device), has_device, device);
}

static const struct text *
device_of_correction(const frozen_t *correction)
{
    return correction_record_of(frozen_record(correction))->device;
}

static void
said_free(struct said *said)
{
    record_set_finish(&said->corrections);
    record_set_finish(&said->unpinned);
    free(said->device);
    free(said);
}

// It comes, or it has a pin from now on, or none any more.
static void
follow_pin(struct record_set *unpinned, const frozen_t *correction)
{
    if (correction_record_of(frozen_record(correction))->is_pinned)
        record_set_remove(unpinned, frozen_key(correction));
    else
        record_set_put(unpinned, correction);
}

void
device_evidence_put(struct device_evidence *self, const frozen_t *correction)
{
    const struct text *device = device_of_correction(correction);
    struct said *said = find(self, device);
    if (!said) {
        said = memory_take_zeroed(sizeof *said);
        said->device = text_duplicate(device);
        table_add(&self->devices, table_hash_text(device), said);
    }
    record_set_put(&said->corrections, correction);
    follow_pin(&said->unpinned, correction);
    follow_pin(&self->unpinned, correction);
}

void
device_evidence_remove(struct device_evidence *self, const frozen_t *correction)
{
    const struct text *device = device_of_correction(correction);
    struct said *said = find(self, device);
    if (!said)
        return;
    record_set_remove(&said->corrections, frozen_key(correction));
    record_set_remove(&said->unpinned, frozen_key(correction));
    record_set_remove(&self->unpinned, frozen_key(correction));
    if (record_set_count(&said->corrections) > 0)
        return;
    table_remove(&self->devices, table_hash_text(device), said);
    said_free(said);
}

const frozen_t *const *
device_evidence_of(const struct device_evidence *self, const struct text *device, size_t *ret_count)
{
    struct said *said = find(self, device);
    *ret_count = 0;
    return said ? record_set_items(&said->corrections, ret_count) : NULL;
}

const frozen_t *const *
device_evidence_unpinned_of(const struct device_evidence *self, const struct text *device,
                            size_t *ret_count)
{
    struct said *said = find(self, device);
    *ret_count = 0;
    return said ? record_set_items(&said->unpinned, ret_count) : NULL;
}

const frozen_t *const *
device_evidence_unpinned(struct device_evidence *self, size_t *ret_count)
{
    return record_set_items(&self->unpinned, ret_count);
}

void
device_evidence_finish(struct device_evidence *self)
{
    size_t cursor = 0;
    struct said *said;
    while ((said = table_next(&self->devices, &cursor)) != NULL)
        said_free(said);
    table_finish(&self->devices);
    record_set_finish(&self->unpinned);
}
