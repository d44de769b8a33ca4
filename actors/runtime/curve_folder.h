// curve_folder.h - a folder of keys of CURVE: the pair of this server, `server.key`, and in
// `clients` the public keys of those who may connect.
#ifndef DIORAMA_ACTORS_RUNTIME_CURVE_FOLDER_H
#define DIORAMA_ACTORS_RUNTIME_CURVE_FOLDER_H

#include "actors/runtime/zap_handler.h"
#include "proto/config/config.h"
#include "proto/feed/curve.h"

// Embedded; all zero is valid: without CURVE.
struct curve_folder {
    zap_handler_t *zap_handler; // NULL without CURVE
    struct curve_keys pair;
    char path[CONFIG_FOLDER_SIZE]; // "" without CURVE
};

// Finds the folder and the pair, or makes them, and lets clients in by their keys. An empty path is
// without CURVE. `setting` names the folder to the operator. Fails with ERR_INVALID where the
// folder cannot be made or a file is no key (the detail names it).
fallible curve_folder_open(struct curve_folder *self, enum zap_domain domain, const char *setting,
                           const char *path);
// The sockets that use it are closed before.
void curve_folder_finish(struct curve_folder *self);

// How many keys of clients were removed since the start.
uint64_t curve_folder_removals(const struct curve_folder *self);

// The file of the pair.
void curve_folder_key(const struct curve_folder *self, char ret_path[CONFIG_FOLDER_SIZE + 16]);

#endif
