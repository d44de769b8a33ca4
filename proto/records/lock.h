// lock.h - the lock of an object: who holds it, since when, until when; what a request says of it;
// and what somebody asks the holder.
#ifndef DIORAMA_PROTO_RECORDS_LOCK_H
#define DIORAMA_PROTO_RECORDS_LOCK_H

#include "proto/record/record.h"

enum lock_field {
    LOCK_HOLDER = 0,
    LOCK_USER = 1,
    LOCK_SINCE = 2,
    LOCK_UNTIL = 3,
    LOCK_FENCE = 4,
    LOCK_LEASE = 5,
    LOCK_RENEWS = 6,
};

// A lock with `until_us` is a lease: it ends by itself.
struct lock {
    struct record base;
    const struct text *holder;  // key of the device
    const struct text *user;    // who took the lease for it
    int64_t since_us, until_us; // calendar
    int64_t fence;
    int64_t lease_s; // how long it runs, anew with each renewal and each start of the server
    bool renews;     // each write of the holder renews it
};

static inline const struct lock *
lock_of(const struct record *record)
{
    return (const struct lock *)(const void *)record;
}

enum lock_wish_field {
    LOCK_WISH_DEVICE = 0,
    LOCK_WISH_LEASE = 1,
    LOCK_WISH_RENEW = 2,
    LOCK_WISH_FORCE = 3
};

// What a request says of the lease that it wants.
struct lock_wish {
    struct record base;
    const struct text *device;
    int64_t lease_s;
    bool renew;
    bool force; // also where another device holds the lock
};

enum lock_ask_field {
    LOCK_ASK_OBJECT = 0,
    LOCK_ASK_SCENE = 1,
    LOCK_ASK_DEVICE = 2,
    LOCK_ASK_MESSAGE = 3,
    LOCK_ASK_HOLDER = 4,
    LOCK_ASK_USER = 5,
    LOCK_ASK_ASKER = 6,
};

// A question to the holder of a lock: what a request says, and the record of its event.
struct lock_ask {
    struct record base;
    const struct text *object; // its key
    const struct text *scene;
    const struct text *device; // for which somebody asks
    const struct text *message;
    const struct text *holder;
    const struct text *user;  // of the holder: who hears it
    const struct text *asker; // id of the user who asks
};

static inline const struct lock_ask *
lock_ask_of(const struct record *record)
{
    return (const struct lock_ask *)(const void *)record;
}

extern const struct schema lock_schema;
extern const struct schema lock_wish_schema;
extern const struct schema lock_ask_schema;      // of the event
extern const struct schema lock_ask_wish_schema; // of the request; the same struct

#endif
