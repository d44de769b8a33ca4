// client_deadlines.h - how slow a client may be in each phase of a request, and which clients are
// cut. Pure: times and counts in, verdicts out.
#ifndef DIORAMA_GATEWAY_HTTP_CLIENT_DEADLINES_H
#define DIORAMA_GATEWAY_HTTP_CLIENT_DEADLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The phases of a connection. Rows: name, milliseconds of credit (0: no limit), bytes a second that
// extend it (0: none do).
// clang-format off
#define CLIENT_DEADLINES(X)                                                                        \
    X(NONE,       0,         0) /* no connection                                  */               \
    X(HEAD,   10000,         0) /* the first request of a connection is awaited   */               \
    X(IDLE,    5000,         0) /* the next one                                   */               \
    X(BODY,   10000, 64 * 1024) /* a body is read: bytes received count           */               \
    X(REST,   10000, 64 * 1024) /* the rest of one, for which memory is held      */               \
    X(WORK,       0,         0) /* actors are asked: they have their own deadline */               \
    X(ANSWER, 10000, 64 * 1024) /* the answer is sent: bytes acknowledged count   */
// clang-format on

enum client_deadline_phase {
#define X(name, credit_ms, bytes_per_s) CLIENT_DEADLINE_##name,
    CLIENT_DEADLINES(X)
#undef X
        CLIENT_DEADLINE_COUNT
};

enum {
    CLIENT_DEADLINE_LOST = 1000,       // lateness at which the credit is used up
    CLIENT_DEADLINE_SLOW = 25,         // lateness from which it may be cut if workers are short
    CLIENT_DEADLINE_IDLE_HOLDER = 100, // the same if others wait for the memory that it holds
};

// Bytes a second at which a body must come while others wait for the memory that it holds. The rate
// of its phase is enough while there is room for all, but would hold the memory for minutes.
enum { CLIENT_DEADLINE_HOLDER_RATE = 1 << 20 };

// One connection, as the watchdog compares it with others.
struct client_deadline_entry {
    void *watch;
    int64_t lateness;
    bool holds_memory;
    int64_t holder_lateness; // the same at CLIENT_DEADLINE_HOLDER_RATE
};

// Thousandths of the credit that are used: the time in the phase minus the time that the client's
// `bytes` have earned. Below 0 for a client that is ahead, 0 for a phase without a limit.
int64_t client_deadline_lateness(enum client_deadline_phase phase, int64_t elapsed_ms,
                                 uint64_t bytes);

// The same for a body that holds memory for which others wait: its credit is that of its phase, its
// rate CLIENT_DEADLINE_HOLDER_RATE.
int64_t client_deadline_holder_lateness(int64_t elapsed_ms, uint64_t bytes);

// Sorts the runners, the slowest first, and returns how many of them are to be cut: all that are
// lost, and, until `wanted` are found, those whose lateness is at least `slow`.
size_t client_deadline_choose(struct client_deadline_entry *runners, size_t count, size_t wanted,
                              int64_t slow);

// Puts the entries that hold memory first and returns their number. Their lateness becomes their
// holder_lateness, but stays below CLIENT_DEADLINE_LOST, so that no more are cut than wait.
size_t client_deadline_holders(struct client_deadline_entry *entries, size_t count);

#endif
