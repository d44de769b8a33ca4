// zap_handler.h - decides who may connect with CURVE: it answers ZeroMQ's questions (ZAP, RFC 27)
// from the keys in a folder. All handlers of a process share a thread, because the endpoint for
// questions has a fixed name.
#ifndef DIORAMA_ACTORS_RUNTIME_ZAP_HANDLER_H
#define DIORAMA_ACTORS_RUNTIME_ZAP_HANDLER_H

#include <stdint.h>

#include "proto/base/error.h"

// What the sockets that it decides about are for.
enum zap_domain { ZAP_PUB, ZAP_REPLICA, ZAP_DOMAINS };

extern const char *const zap_domain_names[ZAP_DOMAINS]; // their ZMQ_ZAP_DOMAIN

typedef struct zap_handler zap_handler_t;

// Reads the keys, `folder`/*.key, and answers questions from then on. A change of the folder takes
// effect at the next question. Files that are no certificates are logged and ignored. Fails with
// ERR_UNAVAILABLE if there is no thread, or a handler of the domain already.
fallible zap_handler_create(enum zap_domain domain, const char *folder,
                            zap_handler_t **ret_handler);
// The last one ends the thread. The sockets that it decides about must be closed before. Accepts
// NULL.
void zap_handler_destroy(zap_handler_t **self);

// How often a key was removed: a client with that key may still be connected. Any thread.
uint64_t zap_handler_removals(const zap_handler_t *self);

#endif
