// zap_handler.h - decides who may connect to PUB with CURVE: it answers ZeroMQ's questions (ZAP,
// RFC 27) from the keys in a folder. It has a thread of its own. A process can have only one,
// because the endpoint for questions has a fixed name.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_ZAP_HANDLER_H
#define DIORAMA_ACTORS_STREAMER_PUB_ZAP_HANDLER_H

#include <stdint.h>

#include "proto/base/error.h"

#define ZAP_HANDLER_DOMAIN "pub" // ZMQ_ZAP_DOMAIN of the sockets that it decides about

typedef struct zap_handler zap_handler_t;

// Reads the keys, `folder`/*.key, and answers questions from then on. A change of the folder takes
// effect at the next question. Files that are no certificates are logged and ignored. Fails with
// ERR_UNAVAILABLE if the folder cannot be read or another handler exists.
fallible zap_handler_create(const char *folder, zap_handler_t **ret_handler);
// Ends the thread. The sockets that it decides about must be closed before. Accepts NULL.
void zap_handler_destroy(zap_handler_t **self);

// How often a key was removed: a client with that key may still be connected. Any thread.
uint64_t zap_handler_removals(const zap_handler_t *self);

#endif
