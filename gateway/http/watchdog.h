// watchdog.h - ends connections that are too slow.
// One thread watches all of them; each worker tells it the phase of its connection in one atomic
// operation. client_deadlines.h says what each phase allows.
#ifndef DIORAMA_GATEWAY_HTTP_WATCHDOG_H
#define DIORAMA_GATEWAY_HTTP_WATCHDOG_H

#include <stdbool.h>

#include "gateway/http/client_deadlines.h"
#include "proto/base/error.h"

typedef struct watchdog watchdog_t;

// The watch of one worker on its present connection.
struct watch;

// For `workers` workers. Fails with ERR_UNAVAILABLE if the system has no thread.
fallible watchdog_create(unsigned workers, watchdog_t **ret_watchdog);
// After the workers have ended. Accepts NULL.
void watchdog_destroy(watchdog_t **self);

// Gives a worker that starts its watch; call it once per worker. Any thread.
struct watch *watchdog_attach(watchdog_t *self);

// The number of workers that hold a connection.
unsigned watchdog_busy(const watchdog_t *self);

// Waits until all requests under way are answered, at most until `deadline_ms`.
void watchdog_drain(const watchdog_t *self, uint64_t deadline_ms);

// Ends every connection that is open now, in any phase.
void watchdog_end_connections(watchdog_t *self);

// A connection begins, in CLIENT_DEADLINE_HEAD. `socket` is borrowed; -1 = unknown, which cannot be
// cut.
void watch_open(struct watch *self, int socket);

// The socket of the present connection, -1 if unknown. The worker's own thread.
int watch_socket(const struct watch *self);

// Begins a phase of the connection. False if it has been cut because its client is too late.
bool watch_enter(struct watch *self, enum client_deadline_phase phase);

bool watch_is_cut(const struct watch *self);

// The socket of the present connection goes elsewhere: the watchdog does not touch it any more. The
// worker still holds the connection, until watch_close.
void watch_forget(struct watch *self);

// Call it before the socket is closed: afterwards the watchdog does not touch it.
void watch_close(struct watch *self);

#endif
