// watchdog.h - ends connections that are too slow (architecture, gateway rules; reliability R5).
// One thread for all; each worker tells it, in one atomic operation, which phase its connection is
// in. What each phase allows stands in pace.h.
#ifndef DIORAMA_GATEWAY_HTTP_WATCHDOG_H
#define DIORAMA_GATEWAY_HTTP_WATCHDOG_H

#include <stdbool.h>

#include "gateway/http/client_deadlines.h"
#include "proto/base/error.h"

typedef struct watchdog watchdog_t;

// One worker's eye on its present connection.
struct watch;

// For `workers` workers. Fails with ERR_UNAVAILABLE where no thread can be had.
fallible watchdog_create(unsigned workers, watchdog_t **ret_watchdog);
// After the workers have ended. Accepts NULL.
void watchdog_destroy(watchdog_t **self);

// The watch of a worker that starts; as many as there are workers. Any thread.
struct watch *watchdog_attach(watchdog_t *self);

// Workers that hold a connection.
unsigned watchdog_busy(const watchdog_t *self);

// Waits until every request that was under way has been answered, at most until `deadline_ms`.
void watchdog_drain(const watchdog_t *self, uint64_t deadline_ms);

// Ends every connection that is open now, whatever it does.
void watchdog_end_connections(watchdog_t *self);

// A connection begins, in CLIENT_DEADLINE_HEAD. `socket` stays its owner's; -1 is watched in vain.
void watch_open(struct watch *self, int socket);

// The socket of the present connection, -1 where it is not known; for the worker itself.
int watch_socket(const struct watch *self);

// The connection's phase from now on. False where it has been cut: its client is too late.
bool watch_enter(struct watch *self, enum client_deadline_phase phase);

bool watch_is_cut(const struct watch *self);

// Before the socket is closed: from here on nobody touches it.
void watch_close(struct watch *self);

#endif
