// postgres_commit.c - BEGIN, the statements of the steps, COMMIT (postgres_commit.h). What is not
// answered is unknown; only a write can find out what became of it (store/postgres/README.md).
#include "store/postgres/postgres_commit.h"

#include <sodium.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"
#include "store/postgres/postgres_state.h"
#include "store/postgres/postgres_steps.h"

enum {
    ATTEMPTS = 5, // where the database says that another one may succeed
    PAUSE_MS = 4, // before the second, at most; twice that before each further one
    ROLLBACK_MS = 1000,
};

// How an attempt went.
struct outcome {
    enum store_result result;
    bool is_again, is_clean;
};

static const enum postgres_statement statements[STEP_KINDS] = {
    [STEP_CHECK] = STATEMENT_CHECK,   [STEP_SWAP] = STATEMENT_SWAP,
    [STEP_INSERT] = STATEMENT_INSERT, [STEP_PUT] = STATEMENT_PUT,
    [STEP_DELETE] = STATEMENT_DELETE,
};

// Queues the transaction. Statements without rows are not sent. Returns their number.
static size_t
call_all(session_t *session, const struct postgres_steps *steps, store_version_t id)
{
    owned(buffer_finish) struct buffer bytes = {0};
    size_t count = 2;
    session_call(session, STATEMENT_BEGIN, NULL);
    for (enum step_kind kind = 0; kind < STEP_KINDS; kind++) {
        struct postgres_parameters parameters;
        if (steps->counts[kind] == 0)
            continue;
        postgres_steps_encode(steps, kind, id, &bytes, &parameters);
        session_call(session, statements[kind], &parameters);
        count++;
    }
    session_call(session, STATEMENT_COMMIT, NULL);
    return count;
}

// Ends the transaction in which a statement failed.
static bool
roll_back(session_t *session)
{
    uint64_t deadline_ms = clock_deadline_ms(ROLLBACK_MS);
    if (!session_finish(session, deadline_ms))
        return false;
    session_call(session, STATEMENT_ROLLBACK, NULL);
    return session_flush(session, deadline_ms) && session_finish(session, deadline_ms);
}

static struct outcome
outcome_of_failure(session_t *session, const PGresult *result, bool is_commit)
{
    const struct postgres_state *state = session_state(result);
    enum store_result meaning = state->result;
    // Before COMMIT an error means that nothing was written; of COMMIT itself only one that says
    // so.
    if (is_commit && !state->is_again)
        meaning = STORE_UNKNOWN;
    if (meaning != STORE_CONFLICT && !state->is_again)
        session_log_refusal(result);
    bool is_clean = meaning != STORE_UNKNOWN && !state->is_lost && roll_back(session);
    return (struct outcome){meaning, state->is_again, is_clean};
}

static const struct outcome unknown = {STORE_UNKNOWN, false, false};

// A COMMIT whose wait for the standby was cancelled is answered as one that was written, with a
// warning: one machine alone has it. One of a transaction that failed is answered ROLLBACK.
static bool
is_committed(session_t *session, PGresult *result)
{
    return !session_was_warned(session) && strcmp(PQcmdStatus(result), "COMMIT") == 0;
}

static struct outcome
take_all(session_t *session, size_t count, uint64_t deadline_ms)
{
    for (size_t i = 0; i < count; i++) {
        bool is_commit = i + 1 == count;
        owned(result_clear) PGresult *result = session_take(session, deadline_ms);
        if (!result)
            return unknown;
        if (!session_is_good(result))
            return outcome_of_failure(session, result, is_commit);
        if (is_commit && !is_committed(session, result))
            return unknown;
    }
    return (struct outcome){STORE_OK, false, session_finish(session, deadline_ms)};
}

static struct outcome
attempt(session_t *session, const struct postgres_steps *steps, store_version_t id,
        uint64_t deadline_ms)
{
    session_was_warned(session);
    size_t count = call_all(session, steps, id);
    if (!session_flush(session, deadline_ms))
        return unknown; // some of it may have gone out, and all of it have been in that
    return take_all(session, count, deadline_ms);
}

static void
pause_before(unsigned attempts)
{
    uint32_t most_us = (uint32_t)(PAUSE_MS * 1000) << attempts;
    nanosleep(&(struct timespec){.tv_nsec = (long)randombytes_uniform(most_us) * 1000}, NULL);
}

enum store_result
postgres_commit_run(session_t *session, const struct store_commit *commit, uint64_t deadline_ms,
                    bool *ret_clean)
{
    struct postgres_steps steps;
    enum store_result result = postgres_steps_make(commit, &steps);
    *ret_clean = true;
    if (result != STORE_OK)
        return result;
    struct outcome outcome = attempt(session, &steps, commit->id, deadline_ms);
    for (unsigned i = 1; i < ATTEMPTS && outcome.is_again && outcome.is_clean; i++) {
        pause_before(i);
        outcome = attempt(session, &steps, commit->id, deadline_ms);
    }
    postgres_steps_finish(&steps);
    *ret_clean = outcome.is_clean;
    return outcome.result;
}
