// leaders.h - a leader of a test's own: a real store that keeps its commits, blobs and a log server
// at a free port of this machine, which can be restarted.
#ifndef DIORAMA_TESTS_SUPPORT_LEADERS_H
#define DIORAMA_TESTS_SUPPORT_LEADERS_H

#include "actors/replica/log_server.h"
#include "actors/replica/replica_source.h"
#include "tests/support/temporary.h"

struct leader {
    struct config config;
    char data[TEMPORARY_PATH_BYTES];
    store_t *store;
    blobs_t *blobs;
    struct timeline timeline;
    uint64_t epoch;
    log_server_t *server;
};

// Opens the leader of `<folder>/<name>`; what is there already goes on as another start.
void leader_open(struct leader *self, const struct temporary *folder, const char *name);
void leader_close(struct leader *self);

// Only the server, as `config` is now.
void leader_serve(struct leader *self);

// Puts one record; the position then.
uint64_t leader_put(struct leader *self, const char *key, const char *value);

// A source of it; ends the test where there is none.
replica_source_t *leader_source(const struct leader *self);

struct replica_place leader_place(struct leader *self);

struct blob_hash leader_blob(struct leader *self, const void *bytes, size_t size);

#endif
