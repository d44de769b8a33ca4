// postgres_session.c - one connection, by libpq's calls that do not wait (postgres_session.h).
#include "store/postgres/postgres_session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "store/postgres/postgres_state.h"

enum {
    CONNECT_MS = 2000,  // one server: another one may be the primary
    SILENCE_MS = 30000, // no statement takes longer (statement_timeout), so the server hangs
    LOOK_MS = 250,      // between two looks whether the server was replaced
    REASON_BYTES = 160,
    ANSWER_SIZE = 64,
};

struct postgres_session {
    PGconn *connection;
    bool is_broken; // an end was found in it
    bool is_warned;
    bool is_within; // a statement whose end was not taken yet
    uint32_t timeline;
    uint64_t system;                // identifier of the cluster
    uint32_t database;              // its number there
    const _Atomic uint32_t *newest; // of all servers; NULL until it is known
};

// --- waiting ---

static uint64_t
earlier_of(uint64_t deadline_ms, uint64_t most_ms)
{
    uint64_t end_ms = clock_deadline_ms(most_ms);
    return deadline_ms && deadline_ms < end_ms ? deadline_ms : end_ms;
}

static bool
is_replaced(const session_t *self)
{
    return self->newest && self->timeline < *self->newest;
}

// What is ready of `events`; 0 where the deadline has passed, or the server was replaced: one whose
// machine is lost would be waited for in vain.
static short
await(const session_t *self, short events, uint64_t deadline_ms)
{
    struct pollfd waited = {.fd = PQsocket(self->connection), .events = events};
    int count, left_ms;
    do {
        left_ms = clock_left_ms(deadline_ms);
        count = poll(&waited, 1, left_ms < LOOK_MS ? left_ms : LOOK_MS);
    } while ((count < 0 && errno == EINTR) || (count == 0 && left_ms > 0 && !is_replaced(self)));
    return count > 0 ? waited.revents : 0;
}

static bool
connect_until(const session_t *self, uint64_t deadline_ms)
{
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
        short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!await(self, events, deadline_ms))
            return false;
        state = PQconnectPoll(self->connection);
    }
    return state == PGRES_POLLING_OK;
}

// --- what the database says ---

// The first line, without what psql would show before it.
static void
first_line(const char *message, char ret_line[REASON_BYTES])
{
    size_t size = strcspn(message, "\n");
    snprintf(ret_line, REASON_BYTES, "%.*s", (int)size, message);
}

static fallible
refuse(const PGconn *connection, const PGresult *result)
{
    char reason[REASON_BYTES];
    const char *said = result ? PQresultErrorMessage(result) : PQerrorMessage(connection);
    first_line(*said ? said : "it does not answer", reason);
    return fail(ERR_UNAVAILABLE, "", "the database of store.uri: %s", reason);
}

void
session_log_refusal(const PGresult *result)
{
    char line[REASON_BYTES];
    first_line(PQresultErrorMessage(result), line);
    log_warning("database_refused", "detail=%s", line);
}

static void
note_notice(void *context, const PGresult *notice)
{
    session_t *self = context;
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity && strcmp(severity, "WARNING") == 0) {
        char line[REASON_BYTES];
        first_line(PQresultErrorMessage(notice), line);
        log_warning("database_warned", "detail=%s", line);
        self->is_warned = true;
    }
}

bool
session_was_warned(session_t *self)
{
    bool was = self->is_warned;
    self->is_warned = false;
    return was;
}

const struct postgres_state *
session_state(const PGresult *result)
{
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    bool is_error = severity && strcmp(severity, "ERROR") == 0;
    // FATAL and PANIC end the connection, whatever their state.
    return postgres_state_of(is_error ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL);
}

bool
session_is_good(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE;
}

void
result_clear(PGresult **result)
{
    PQclear(*result);
    *result = NULL;
}

// --- life ---

void
session_close(session_t **self)
{
    if (!*self)
        return;
    PQfinish((*self)->connection);
    free(*self);
    *self = NULL;
}

bool
session_is_sound(session_t *self)
{
    if (self->is_broken)
        return false;
    struct pollfd looked = {.fd = PQsocket(self->connection), .events = POLLIN};
    // Nothing was asked. A server that ends says so before it closes; all else that it may say is
    // rare, and a new connection cheap.
    return poll(&looked, 1, 0) == 0 && PQstatus(self->connection) == CONNECTION_OK;
}

// --- statements ---

static fallible
prepare(session_t *self, int count, uint64_t deadline_ms)
{
    if (!PQenterPipelineMode(self->connection))
        return refuse(self->connection, NULL);
    for (int i = 0; i < count; i++)
        PQsendPrepare(self->connection, postgres_statements[i].name, postgres_statements[i].sql, 0,
                      NULL);
    if (!session_flush(self, deadline_ms))
        return refuse(self->connection, NULL);
    for (int i = 0; i < count; i++) {
        owned(result_clear) PGresult *result = session_take(self, deadline_ms);
        if (!result || !session_is_good(result))
            return refuse(self->connection, result);
    }
    return session_finish(self, deadline_ms) ? OK : refuse(self->connection, NULL);
}

fallible
session_prepare(session_t *self, uint64_t deadline_ms)
{
    return prepare(self, STATEMENT_RECORDS, deadline_ms);
}

fallible
session_prepare_all(session_t *self, uint64_t deadline_ms)
{
    return prepare(self, STATEMENT_COUNT, deadline_ms);
}

void
session_call(session_t *self, enum postgres_statement statement,
             const struct postgres_parameters *parameters)
{
    static const int binary[STATEMENT_PARAMETERS] = {1, 1, 1, 1, 1, 1, 1};
    int count = parameters ? parameters->count : 0;
    bool is_sent = PQsendQueryPrepared(self->connection, postgres_statements[statement].name, count,
                                       count ? parameters->values : NULL,
                                       count ? parameters->sizes : NULL, binary, 1);
    if (!is_sent)
        self->is_broken = true;
}

// Reads while it writes: a server whose answers nobody takes does not read on.
static bool
write_out(session_t *self, uint64_t deadline_ms)
{
    int left;
    while ((left = PQflush(self->connection)) == 1) {
        short ready = await(self, POLLIN | POLLOUT, deadline_ms);
        if (!ready || ((ready & POLLIN) && !PQconsumeInput(self->connection)))
            return false;
    }
    return left == 0;
}

bool
session_flush(session_t *self, uint64_t deadline_ms)
{
    bool is_out = !self->is_broken && PQpipelineSync(self->connection) &&
                  write_out(self, earlier_of(deadline_ms, SILENCE_MS));
    self->is_broken = !is_out;
    return is_out;
}

// The next result, or NULL between those of two statements.
static bool
take_any(session_t *self, uint64_t deadline_ms, PGresult **ret_result)
{
    uint64_t end_ms = earlier_of(deadline_ms, SILENCE_MS);
    while (PQisBusy(self->connection))
        if (!await(self, POLLIN, end_ms) || !PQconsumeInput(self->connection))
            return false;
    *ret_result = PQgetResult(self->connection);
    return true;
}

void
session_stream(session_t *self)
{
    PGresult *end = NULL;
    if (self->is_within)
        end = PQgetResult(self->connection); // what parts it from the statement before
    self->is_within = false;
    if (end || !PQsetSingleRowMode(self->connection))
        self->is_broken = true;
    PQclear(end);
}

PGresult *
session_take(session_t *self, uint64_t deadline_ms)
{
    PGresult *result = NULL;
    bool is_read = !self->is_broken && take_any(self, deadline_ms, &result) &&
                   (result || take_any(self, deadline_ms, &result));
    if (!is_read || !result || PQstatus(self->connection) != CONNECTION_OK)
        self->is_broken = true;
    self->is_within = result && PQresultStatus(result) != PGRES_PIPELINE_SYNC;
    return result;
}

bool
session_finish(session_t *self, uint64_t deadline_ms)
{
    for (;;) {
        owned(result_clear) PGresult *result = session_take(self, deadline_ms);
        if (!result)
            return false;
        if (PQresultStatus(result) == PGRES_PIPELINE_SYNC)
            return true;
    }
}

// The last result: of several statements one that failed ends them. NULL where there is none.
static PGresult *
run_text(session_t *self, const char *sql, uint64_t deadline_ms)
{
    PGresult *result = NULL, *next = NULL;
    uint64_t end_ms = earlier_of(deadline_ms, SILENCE_MS);
    bool is_run = PQsendQuery(self->connection, sql) && write_out(self, end_ms) &&
                  take_any(self, end_ms, &result);
    while (is_run && take_any(self, end_ms, &next) && next) {
        PQclear(result);
        result = next;
    }
    return result;
}

fallible
session_run(session_t *self, const char *sql, ExecStatusType status, uint64_t deadline_ms,
            PGresult **ret_result)
{
    owned(result_clear) PGresult *result = run_text(self, sql, deadline_ms);
    if (!result || PQresultStatus(result) != status) {
        self->is_broken = true;
        return refuse(self->connection, result);
    }
    *ret_result = result;
    result = NULL;
    return OK;
}

// --- opening ---

// Whether the engine does not have what was asked for, or its user no right to it.
static bool
has_none(const PGresult *result)
{
    static const char *const classes[] = {"0A", "42", "55"};
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    for (size_t i = 0; state && i < sizeof classes / sizeof classes[0]; i++)
        if (strncmp(state, classes[i], 2) == 0)
            return true;
    return false;
}

// One text; "" where the engine has no such thing.
static fallible
ask_text(session_t *self, const char *query, uint64_t deadline_ms, char ret_text[ANSWER_SIZE])
{
    owned(result_clear) PGresult *result = run_text(self, query, deadline_ms);
    ret_text[0] = '\0';
    if (result && has_none(result))
        return OK;
    if (!result || PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1)
        return refuse(self->connection, result);
    snprintf(ret_text, ANSWER_SIZE, "%s", PQgetvalue(result, 0, 0));
    return OK;
}

// It begins the name of the file of the log that is written (PostgreSQL 15, 9.27.4).
static fallible
read_timeline(session_t *self, uint64_t deadline_ms)
{
    enum { DIGITS = 8, BASE = 16 };
    char name[ANSWER_SIZE];
    TRY(ask_text(self, "SELECT pg_walfile_name(pg_current_wal_lsn())", deadline_ms, name));
    name[DIGITS] = '\0';
    self->timeline = (uint32_t)strtoul(name, NULL, BASE);
    return OK;
}

// initdb draws the first, and copies of the cluster have it too (PostgreSQL 15, 9.27.11).
static fallible
read_system(session_t *self, uint64_t deadline_ms)
{
    enum { BASE = 10 };
    char numbers[ANSWER_SIZE], *end;
    TRY(ask_text(self,
                 "SELECT system_identifier || ' ' || (SELECT oid FROM pg_database WHERE datname = "
                 "current_database()) FROM pg_control_system()",
                 deadline_ms, numbers));
    self->system = (uint64_t)strtoull(numbers, &end, BASE);
    self->database = (uint32_t)strtoul(end, NULL, BASE);
    return OK;
}

uint64_t
session_system(const session_t *self)
{
    return self->system;
}

uint32_t
session_database(const session_t *self)
{
    return self->database;
}

uint32_t
session_timeline(const session_t *self)
{
    return self->timeline;
}

void
session_watch(session_t *self, const _Atomic uint32_t *newest)
{
    self->newest = newest;
}

fallible
session_open(const struct postgres_target *target, uint64_t deadline_ms, session_t **ret_session)
{
    owned(session_close) session_t *self = memory_take_zeroed(sizeof *self);
    self->connection = PQconnectStartParams(target->keywords, target->values, 0);
    if (!self->connection)
        abort(); // no memory
    if (PQstatus(self->connection) == CONNECTION_BAD ||
        !connect_until(self, earlier_of(deadline_ms, CONNECT_MS)) ||
        PQsetnonblocking(self->connection, 1) != 0)
        return refuse(self->connection, NULL);
    PQsetNoticeReceiver(self->connection, note_notice, self);
    owned(result_clear) PGresult *result = NULL;
    TRY(session_run(self, postgres_settings, PGRES_TUPLES_OK, deadline_ms, &result));
    TRY(read_timeline(self, deadline_ms));
    TRY(read_system(self, deadline_ms));
    *ret_session = self;
    self = NULL;
    return OK;
}
