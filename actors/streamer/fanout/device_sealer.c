// device_sealer.c - a counted sealer (device_sealer.h).

#include "actors/streamer/fanout/device_sealer.h"

#include <sodium.h>
#include <stdlib.h>

#include "proto/base/memory.h"

struct device_sealer *
device_sealer_create(const struct device *device)
{
    unsigned char key[SEAL_KEY_BYTES], id[SEAL_ID_BYTES];
    if (text_size(device->token) != FEED_TOKEN_HASH_SIZE - 1 ||
        !feed_seal_read_key(device_rare_of(device)->seal_key, key))
        return NULL;
    struct device_sealer *self = memory_take_zeroed(sizeof *self);
    self->references = 1;
    feed_seal_id(text_chars(device->token), id);
    feed_sealer_init(&self->sealer, id, key, SEAL_TO_DEVICE);
    sodium_memzero(key, sizeof key);
    return self;
}

struct device_sealer *
device_sealer_ref(struct device_sealer *self)
{
    if (self)
        self->references++;
    return self;
}

void
device_sealer_unref(struct device_sealer **self)
{
    struct device_sealer *sealer = *self;
    *self = NULL;
    if (!sealer || --sealer->references)
        return;
    feed_sealer_finish(&sealer->sealer);
    free(sealer);
}
