// postgres_hosts.h - the servers that a URI names, tried one after the other: libpq itself leaves a
// server that hangs only in its blocking calls, which keep no deadline of ours.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_HOSTS_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_HOSTS_H

#include <libpq-fe.h>

#include "proto/base/error.h"

enum { HOSTS_OPTIONS = 64, HOSTS_TEXT = 256 };

struct postgres_hosts {
    PQconninfoOption *options; // what the URI says, and the system's defaults
    unsigned count;            // servers, at least 1
};

// What libpq is told to connect to one of them.
struct postgres_target {
    const char *keywords[HOSTS_OPTIONS + 1], *values[HOSTS_OPTIONS + 1];
    char host[HOSTS_TEXT], address[HOSTS_TEXT], port[HOSTS_TEXT];
    unsigned count;
};

// Fails with ERR_INVALID; the detail repeats nothing of the URI, which may have a password.
fallible postgres_hosts_parse(const char *uri, struct postgres_hosts *ret_hosts);
void postgres_hosts_finish(struct postgres_hosts *self);

// The target borrows from the hosts.
void postgres_hosts_target(const struct postgres_hosts *self, unsigned index,
                           struct postgres_target *ret_target);

#endif
