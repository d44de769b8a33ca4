// budgets.h - the table of budgets: how much of each thing one user may have, so that nobody takes
// everything. A row becomes a setting (`budget.<name>`), a member of `GET /v1/server`, metrics
// (`diorama_budget_…{budget="<name>"}`) and the name in a refusal. To add a budget: add a row, and
// take it from the book (budget_book.h) where the thing is made. Rows are added at the end: limits
// of single users are stored under their numbers (proto/records/user_budget.h).
#ifndef DIORAMA_PROTO_BUDGET_BUDGETS_H
#define DIORAMA_PROTO_BUDGET_BUDGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/limits.h"

// Of what kind the amount is. It decides the refusal.
enum budget_kind {
    BUDGET_RATE,    // a second; 429, and again later. Its settings have names of their own
    BUDGET_AT_ONCE, // at the same time; 429
    BUDGET_STORED,  // kept on the disk; 507
    BUDGET_SERVER,  // of all together, whoever has it
};

// Whose callers from this machine do not count.
enum budget_local {
    LOCAL_NEVER,      // whoever is on loopback and no proxy forwarded never counts
    LOCAL_WITH_USERS, // counts as a user; where nobody logs in only callers from elsewhere count
};

#define MOST_STORED (INT64_C(1) << 50)

// Name in code, name, kind, who counts on loopback, default, the most that it may be, unit,
// sentence.
// clang-format off
#define BUDGETS(X)                                                                                                                                        \
    X(REQUESTS, "requests", RATE,    LOCAL_NEVER,      "500", 1000,    NULL, "Requests a second.")                                                        \
    X(STREAMS,  "streams",  AT_ONCE, LOCAL_WITH_USERS, "32",  1 << 20, NULL, "Streams of events of one user, or of one address without users; 0 = no limit.") \
    X(UPLOADS,  "uploads",  AT_ONCE, LOCAL_WITH_USERS, "8",   1 << 20, NULL, "Uploads of one user or address at the same time; 0 = no limit.")            \
    X(QUERIES,  "queries",  AT_ONCE, LOCAL_WITH_USERS, "4",   1 << 20, NULL, "Queries of one user or address that run at the same time; others wait; 0 = no limit.") \
    X(REPEATS,  "idempotency_keys", AT_ONCE, LOCAL_WITH_USERS, "10000", LIMIT_KEPT_ANSWERS, NULL, "Answers of one user or address that are kept for a repeat with their Idempotency-Key; then the oldest goes; 0 = no limit.") \
    X(SESSIONS, "sessions", AT_ONCE, LOCAL_WITH_USERS, "64",  LIMIT_USER_SESSIONS, NULL, "Sessions of one user; the one that expires first ends; 0 = 64, the most.") \
    X(SCENES,        "scenes",        STORED, LOCAL_WITH_USERS, "10000", MOST_STORED, NULL,    "Scenes that belong to one user; 0 = no limit.") \
    X(REGISTRATIONS, "registrations", STORED, LOCAL_WITH_USERS, "10000", MOST_STORED, NULL,    "Registrations of devices by one user; 0 = no limit.") \
    X(RECORD_BYTES,  "record_bytes",  STORED, LOCAL_WITH_USERS, "1G",    MOST_STORED, "bytes", "Memory of the records of one user: scenes, registrations, objects, properties, assets, relationships, collections, projects; 0 = no limit.") \
    X(ASSET_BYTES,   "asset_bytes",   STORED, LOCAL_WITH_USERS, "50G",   MOST_STORED, "bytes", "Files of the assets of one user; 0 = no limit.") \
    X(PUB_CONNECTIONS, "pub_connections", SERVER, LOCAL_WITH_USERS, "4096", 1 << 20, NULL, "Connections to PUB, of all together; the newest end; 0 = what descriptors are left by HTTP.") \
    X(ARRIVING_BYTES, "arriving_bytes", AT_ONCE, LOCAL_WITH_USERS, "32M", MOST_STORED, "bytes", "Bodies of one user or address that arrive at the same time, but the first 32 KiB of each; others wait; 0 = no limit.") \
    X(PARSE_BYTES,    "parse_bytes",    AT_ONCE, LOCAL_WITH_USERS, "64M", MOST_STORED, "bytes", "Memory that bodies of one user or address are read into at the same time; others wait; 0 = no limit.") \
    X(STREAM_BYTES,   "stream_bytes",   AT_ONCE, LOCAL_WITH_USERS, "256M", MOST_STORED, "bytes", "Records that the delta streams of one user or address keep, as their clients know them; a stream that would keep more ends; 0 = no limit.")
// clang-format on

enum budget {
#define X(id, ...) BUDGET_##id,
    BUDGETS(X)
#undef X
        BUDGET_COUNT
};

struct budget_row {
    const char *name;
    enum budget_kind kind;
    enum budget_local local;
    int64_t most;     // that its limit may be
    const char *unit; // "bytes", or NULL: it is a number of things
    const char *about;
};

extern const struct budget_row budget_rows[BUDGET_COUNT];

// The budget of this name, or BUDGET_COUNT.
enum budget budget_find(const char *name);

// Notes that `budget` is used up: `most` is its limit. Returns ERR_OVER_BUDGET, or
// ERR_OVER_STORED_BUDGET where the amount is stored; the fault has the budget's name.
enum error budget_refuse(enum budget budget, int64_t most);

#endif
