// postgres_session.h - one connection: opened, its statements sent in a pipeline, their results
// taken, each wait with an end. One thread at a time.
#ifndef DIORAMA_STORE_POSTGRES_POSTGRES_SESSION_H
#define DIORAMA_STORE_POSTGRES_POSTGRES_SESSION_H

#include "proto/base/owned.h"
#include "store/postgres/postgres_hosts.h"
#include "store/postgres/postgres_statements.h"
#include "store/store.h"

typedef struct postgres_session session_t;

// Of one call, in the binary form.
struct postgres_parameters {
    const char *values[STATEMENT_PARAMETERS];
    int sizes[STATEMENT_PARAMETERS];
    int count;
};

// Connects to a server that takes writes, and sets the connection up. Fails with ERR_UNAVAILABLE at
// the deadline, and with what the database says.
fallible session_open(const struct postgres_target *target, uint64_t deadline_ms,
                      session_t **ret_session);
void session_close(session_t **self);

// That of its server when it was opened; 0 where the engine has none.
uint32_t session_timeline(const session_t *self);

// The identifier of its cluster; 0 where the engine has none, or does not tell its user.
uint64_t session_system(const session_t *self);

// The number of its database in the cluster (oid); 0 = not known.
uint32_t session_database(const session_t *self);

// From now on a wait ends, as at its deadline, when `newest` is higher.
void session_watch(session_t *self, const _Atomic uint32_t *newest);

// Prepares the statements for records; the tables must be there. Fails as session_open.
fallible session_prepare(session_t *self, uint64_t deadline_ms);

// The same for all statements, those for the bytes of assets too.
fallible session_prepare_all(session_t *self, uint64_t deadline_ms);

// Whether it can be used: nobody has ended it meanwhile.
bool session_is_sound(session_t *self);

// Queues a statement. What fails shows when results are taken.
void session_call(session_t *self, enum postgres_statement statement,
                  const struct postgres_parameters *parameters);

// Ends a pipeline: all that was queued goes out. False where it could not.
bool session_flush(session_t *self, uint64_t deadline_ms);

// Lets the rows of the next result come one by one: libpq would keep them all. Before its first is
// taken.
void session_stream(session_t *self);

// The next result of the statements that were queued, in their order, or a row of one that is
// streamed; PQclear ends it. NULL where the connection broke or the deadline passed: then it is not
// sound any more.
PGresult *session_take(session_t *self, uint64_t deadline_ms);

// Takes what is left up to the end of the pipeline. False as NULL above.
bool session_finish(session_t *self, uint64_t deadline_ms);

// Runs SQL text that has one statement, or several and no result. The result must be as `status`
// says. Fails as session_open.
fallible session_run(session_t *self, const char *sql, ExecStatusType status, uint64_t deadline_ms,
                     PGresult **ret_result);

// Whether the server warned since the last call: a COMMIT that it gave up to wait for is answered
// so.
bool session_was_warned(session_t *self);

// What the result of a statement that failed means.
const struct postgres_state *session_state(const PGresult *result);

// One line of the log for it.
void session_log_refusal(const PGresult *result);

// Whether a statement was answered as it should be.
bool session_is_good(const PGresult *result);

// Cleanup of a result.
void result_clear(PGresult **result);

#endif
