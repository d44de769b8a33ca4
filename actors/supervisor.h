// supervisor.h - starts and ends the actors of one process in the right order.
#ifndef DIORAMA_ACTORS_SUPERVISOR_H
#define DIORAMA_ACTORS_SUPERVISOR_H

#include "actors/replica/followed_place.h"
#include "proto/budget/budget_book.h"
#include "proto/config/config.h"
#include "proto/message/blob.h"
#include "proto/message/session.h"
#include "proto/message/shown.h"

typedef struct supervisor supervisor_t;

// Whether the process is told to end. It is asked again and again while something is waited for.
typedef bool supervisor_must_end(void);

// What it works on and with, borrowed.
struct supervisor_surroundings {
    store_t *store;
    blobs_t *blobs;
    budget_book_t *book;
    struct followed_place followed; // of the store, where it follows
    supervisor_must_end *must_end;
    void (*restart)(void); // the process shall start anew (follower.h)
};

// Opens the UDP socket, takes the next epoch, then starts streamer, committers, scene
// actors and the UDP receiver; returns once every scene actor has read its index and alignment is
// solved, or after two seconds without its solution. Fails with the error of what could not start,
// or with ERR_UNAVAILABLE when it must end; what had started is ended again.
fallible supervisor_start(const struct config *config,
                          const struct supervisor_surroundings *surroundings,
                          supervisor_t **ret_supervisor);

// Ends the actors in the opposite order. Scene actors commit what is staged first. Accepts NULL.
void supervisor_stop(supervisor_t **self);

unsigned supervisor_shards(const supervisor_t *self);
int supervisor_udp_port(const supervisor_t *self);
// Where followers come to, with the port that the system chose; "" = they cannot. Until
// supervisor_stop.
const char *supervisor_replica_endpoint(const supervisor_t *self);
uint64_t supervisor_epoch(const supervisor_t *self);
// Whether every scene actor answers within the time, one after the other. Main thread.
bool supervisor_is_answering(supervisor_t *self, uint64_t within_ms);
// The sessions, which say to whom a token belongs; valid until supervisor_stop.
const sessions_t *supervisor_sessions(const supervisor_t *self);
// What workers read without asking the actors; valid until supervisor_stop.
const struct shown_tables *supervisor_shown(const supervisor_t *self);

#endif
