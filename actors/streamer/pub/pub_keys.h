// pub_keys.h - the keys of PUB: the pair of the server in a folder, and who of its clients may
// connect. Without CURVE all of it is empty.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_KEYS_H
#define DIORAMA_ACTORS_STREAMER_PUB_KEYS_H

#include "actors/streamer/pub/zap_handler.h"
#include "proto/config/config.h"
#include "proto/feed/curve.h"

// Embedded; all zero is valid: without CURVE.
struct pub_keys {
    zap_handler_t *zap_handler; // NULL without CURVE
    struct curve_keys pair;
    char folder[CONFIG_FOLDER_SIZE]; // "" without CURVE
};

// Finds the folder and the pair, or makes them, and lets clients in by their keys. Fails with
// ERR_INVALID where the folder cannot be made or a file is no key (the detail names it).
fallible pub_keys_open(struct pub_keys *self, const struct config *config);
void pub_keys_finish(struct pub_keys *self);

// How many keys of clients were removed since the start.
uint64_t pub_keys_removals(const struct pub_keys *self);

// Makes a new pair in the place of the old one on disk; pub_keys_take lets it count here. Fails
// with ERR_CONFLICT without CURVE.
fallible pub_keys_replace(const struct pub_keys *self, struct curve_keys *ret_fresh);
// Its secret is gone from `fresh`.
void pub_keys_take(struct pub_keys *self, struct curve_keys *fresh);

#endif
