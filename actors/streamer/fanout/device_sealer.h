// device_sealer.h - what seals the datagrams to a device: of its feed, and about it. The
// registration and the subscriber of the device share it, so that they count together. The
// streamer's thread.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_DEVICE_SEALER_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_DEVICE_SEALER_H

#include "proto/feed/feed_seal.h"
#include "proto/records/device.h"

struct device_sealer {
    unsigned references;
    struct feed_sealer sealer;
};

// One reference; NULL if the datagrams of this registration are not sealed.
struct device_sealer *device_sealer_create(const struct device *device);

struct device_sealer *device_sealer_ref(struct device_sealer *self); // accepts NULL
void device_sealer_unref(struct device_sealer **self);               // accepts NULL

#endif
