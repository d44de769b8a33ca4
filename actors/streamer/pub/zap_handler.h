// zap_handler.h - who may connect to PUB with CURVE: answers ZeroMQ's questions (ZAP, RFC 27) by
// the keys that lie in a folder. A thread of its own; one in a process, as the place to ask has one
// name.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_ZAP_HANDLER_H
#define DIORAMA_ACTORS_STREAMER_PUB_ZAP_HANDLER_H

#include <stdint.h>

#include "proto/base/error.h"

#define ZAP_HANDLER_DOMAIN "pub" // ZMQ_ZAP_DOMAIN of the sockets that it answers for

typedef struct zap_handler zap_handler_t;

// Reads the keys, `folder`/*.key, and takes questions from then on. A change of the folder counts
// from the next question; files that are no certificates are logged and let nobody in. Fails with
// ERR_UNAVAILABLE where the folder cannot be read or somebody else answers already.
fallible zap_handler_create(const char *folder, zap_handler_t **ret_handler);
// Ends the thread. Sockets that ask it must be closed before. Accepts NULL.
void zap_handler_destroy(zap_handler_t **self);

// How often a key was taken away: who had it may still be connected. Any thread.
uint64_t zap_handler_expulsions(const zap_handler_t *self);

#endif
