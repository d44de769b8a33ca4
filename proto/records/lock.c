// lock.c - the fields of locks, and of what requests say of them (lock.h).
#include "proto/records/lock.h"

#include "proto/base/limits.h"

// clang-format off
static const struct field lock_fields[] = {
    FIELD(LOCK_HOLDER, struct lock, holder,   "holder",   "Key of the device that holds it.",                          .flags = FIELD_KEY),
    FIELD(LOCK_USER,   struct lock, user,     "user",     "Id of the user who took it; of a lease.",                   .flags = FIELD_OPTIONAL),
    FIELD(LOCK_SINCE,  struct lock, since_us, "since_us", "When it was taken, on the calendar.",                       .unit = "us"),
    FIELD(LOCK_UNTIL,  struct lock, until_us, "until_us", "When it ends, unless it is renewed; absent: it has no end.", .flags = FIELD_OPTIONAL, .unit = "us"),
    FIELD(LOCK_FENCE,  struct lock, fence,    "fence",    "Its number: each lock of the scene has a larger one."),
    FIELD(LOCK_LEASE,  struct lock, lease_s,  "lease_s",  "How long it runs.",                                         .flags = FIELD_HIDDEN, .unit = "s"),
    FIELD(LOCK_RENEWS, struct lock, renews,   "renews",   "Whether writes of the holder renew it.",                    .flags = FIELD_HIDDEN),
};

static const struct field lock_wish_fields[] = {
    FIELD(LOCK_WISH_DEVICE, struct lock_wish, device,  "device",  "Key of the device that is to hold the lock.",                       .flags = FIELD_INPUT | FIELD_KEY),
    FIELD(LOCK_WISH_LEASE,  struct lock_wish, lease_s, "lease_s", "How long the lock runs unless it is renewed; absent: 30.",           .flags = FIELD_INPUT, .unit = "s", .minimum = 1, .maximum = LIMIT_LEASE_S),
    FIELD(LOCK_WISH_RENEW,  struct lock_wish, renew,   "renew",   "Whether each write of the holder, by UDP too, renews it; absent: false.", .flags = FIELD_INPUT),
    FIELD(LOCK_WISH_FORCE,  struct lock_wish, force,   "force",   "Whether it is taken from a device that holds it; absent: false.",    .flags = FIELD_INPUT | FIELD_ACCESS),
};

// The first rows are those that the event has beside those of a request.
static const struct field lock_ask_fields[] = {
    FIELD(LOCK_ASK_OBJECT,  struct lock_ask, object,  "object",  "Key of the object.",                          .flags = FIELD_KEY),
    FIELD(LOCK_ASK_SCENE,   struct lock_ask, scene,   "scene",   "Key of its scene.",                           .flags = FIELD_KEY),
    FIELD(LOCK_ASK_HOLDER,  struct lock_ask, holder,  "holder",  "Key of the device that holds it.",            .flags = FIELD_KEY),
    FIELD(LOCK_ASK_USER,    struct lock_ask, user,    "user",    "Id of the user of that device.",              .flags = FIELD_PRIVATE | FIELD_OPTIONAL),
    FIELD(LOCK_ASK_ASKER,   struct lock_ask, asker,   "asker",   "Id of the user who asks.",                    .flags = FIELD_OPTIONAL),
    FIELD(LOCK_ASK_DEVICE,  struct lock_ask, device,  "device",  "Key of the device for which it is asked.",    .flags = FIELD_KEY),
    FIELD(LOCK_ASK_MESSAGE, struct lock_ask, message, "message", "Words for whoever holds it.",                 .limit = LIMIT_ASK_BYTES),
};
// clang-format on

enum {
    ASK_ROWS = sizeof lock_ask_fields / sizeof lock_ask_fields[0],
    ASK_EVENT_ROWS = 5,
};

const struct schema lock_schema = SCHEMA(struct lock, "lock", "locks", lock_fields);
const struct schema lock_wish_schema =
    SCHEMA(struct lock_wish, "lock_wish", "locks", lock_wish_fields);
const struct schema lock_ask_schema = SCHEMA(struct lock_ask, "ask", "asks", lock_ask_fields);
const struct schema lock_ask_wish_schema = {.name = "ask_wish",
                                            .array = "asks",
                                            .size = sizeof(struct lock_ask),
                                            .count = ASK_ROWS - ASK_EVENT_ROWS,
                                            .fields = lock_ask_fields + ASK_EVENT_ROWS};
