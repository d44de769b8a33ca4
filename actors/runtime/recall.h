// recall.h - reading one record for an actor, on the thread of its committer: what RECALL asks, and
// RECALLED brings back. Later commits wait for it, as it waits for earlier ones.
#ifndef DIORAMA_ACTORS_RUNTIME_RECALL_H
#define DIORAMA_ACTORS_RUNTIME_RECALL_H

#include "proto/message/message.h"
#include "store/key.h"

// The parcel of both messages.
struct recall {
    struct parcel base;
    enum family family;
    uint16_t part;
    struct key key;
    struct message *asker; // the request that waits for it; owned
    enum store_result result;
    void *value; // if the result is OK; malloc'd, owned
    size_t size;
};

// Takes the request: *asker becomes NULL.
struct recall *recall_create(enum family family, uint16_t part, struct key key,
                             struct message **asker);

static inline struct recall *
recall_of(const struct message *message)
{
    return (struct recall *)(void *)message->parcel;
}

#endif
