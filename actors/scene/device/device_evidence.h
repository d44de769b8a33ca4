// device_evidence.h - the durable corrections of a scene by the devices that they are about: what a
// correction needs to know of the ones before costs what that device said, not what all said. Those
// that may be forgotten stand apart too: any number of others may have a pin. Plain data of the
// scene actor.
#ifndef DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_EVIDENCE_H
#define DIORAMA_ACTORS_SCENE_DEVICE_DEVICE_EVIDENCE_H

#include "actors/runtime/record_set.h"
#include "proto/base/table.h"

// Embedded; all zero is a valid empty one.
struct device_evidence {
    struct table devices;
    struct record_set unpinned; // of all devices
};

void device_evidence_finish(struct device_evidence *self);

// A frozen struct correction_record came, or takes the place of the one with its id; or it is gone.
void device_evidence_put(struct device_evidence *self, const frozen_t *correction);
void device_evidence_remove(struct device_evidence *self, const frozen_t *correction);

// The corrections of one device in the order of their ids; *ret_count of them. Valid until the next
// change.
const frozen_t *const *device_evidence_of(const struct device_evidence *self,
                                          const struct text *device, size_t *ret_count);
// Those of one device, and of all devices, that have no pin, in the same way.
const frozen_t *const *device_evidence_unpinned_of(const struct device_evidence *self,
                                                   const struct text *device, size_t *ret_count);
const frozen_t *const *device_evidence_unpinned(struct device_evidence *self, size_t *ret_count);

#endif
