// pub_keys.h - the keys of PUB: which folder they are in, and how the server's pair is replaced.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_KEYS_H
#define DIORAMA_ACTORS_STREAMER_PUB_KEYS_H

#include "actors/runtime/curve_folder.h"

// Opens the folder of the configuration; without CURVE there is none. Fails as curve_folder_open.
fallible pub_keys_open(struct curve_folder *self, const struct config *config);

// Makes a new pair in the place of the old one on disk; pub_keys_take lets it count here. Fails
// with ERR_CONFLICT without CURVE.
fallible pub_keys_replace(const struct curve_folder *self, struct curve_keys *ret_fresh);
// Its secret is gone from `fresh`.
void pub_keys_take(struct curve_folder *self, struct curve_keys *fresh);

#endif
