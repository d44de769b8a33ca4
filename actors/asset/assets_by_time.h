// assets_by_time.h - assets in the order of their creation: what listings page through. It borrows
// the records; their owner tells it of every change.
#ifndef DIORAMA_ACTORS_ASSET_ASSETS_BY_TIME_H
#define DIORAMA_ACTORS_ASSET_ASSETS_BY_TIME_H

#include "proto/record/record.h"

// Embedded; all zero is a valid empty list.
struct assets_by_time {
    const frozen_t **items; // by created_us, then key
    size_t count, capacity;
};

// Puts `after` (NULL = nothing) in the place of `before` (NULL = nothing).
void assets_by_time_replace(struct assets_by_time *self, const frozen_t *before,
                            const frozen_t *after);

// Where the first asset behind this one stands, which need not be there any more.
size_t assets_by_time_place_after(const struct assets_by_time *self, const frozen_t *asset);

void assets_by_time_finish(struct assets_by_time *self);

#endif
