// postgres_object.c - see postgres_object.h. Each flush has an end; between two of a transaction
// the database waits some seconds for a process that froze, and then rolls back.
#define _GNU_SOURCE
#include "store/postgres/postgres_object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "store/fence.h"
#include "store/postgres/postgres_state.h"

enum {
    FLUSH_MS = 10000
}; // a piece on its way and in the database, as long as a statement may take

// Of a transaction that puts: a disk may keep the process waiting. At its end it is as short as for
// all others, since then the fence is locked.
static const char patient[] = "10s", hasty[] = "2s";

// --- parameters ---

static void
add(struct postgres_parameters *parameters, const void *data, size_t size)
{
    parameters->values[parameters->count] = data;
    parameters->sizes[parameters->count++] = (int)size;
}

static void
put_big_endian(unsigned char *bytes, size_t size, uint64_t number)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(number >> 8 * (size - 1 - i));
}

static void
call_idle(session_t *session, const char *most)
{
    struct postgres_parameters parameters = {0};
    add(&parameters, most, strlen(most));
    session_call(session, STATEMENT_IDLE, &parameters);
}

// Of one piece, or of all from it on; `data` may be NULL.
static void
call_piece(session_t *session, enum postgres_statement statement, const char *object,
           uint32_t piece, const void *data, size_t size)
{
    unsigned char number[4];
    struct postgres_parameters parameters = {0};
    put_big_endian(number, sizeof number, piece);
    add(&parameters, object, strlen(object));
    add(&parameters, number, sizeof number);
    if (data)
        add(&parameters, data, size);
    session_call(session, statement, &parameters);
}

static void
call_name(session_t *session, enum postgres_statement statement, const char *name)
{
    struct postgres_parameters parameters = {0};
    add(&parameters, name, strlen(name));
    session_call(session, statement, &parameters);
}

// Its row stays locked until the commit is written: nobody takes charge in between. Returns how
// many statements that is.
static size_t
call_fence(session_t *session, store_version_t fence)
{
    unsigned char family[2], part[2], version[8];
    const struct store_address place = fence_place();
    struct postgres_parameters parameters = {0};
    if (!fence)
        return 0;
    put_big_endian(family, sizeof family, place.family);
    put_big_endian(part, sizeof part, place.part);
    put_big_endian(version, sizeof version, fence);
    add(&parameters, family, sizeof family);
    add(&parameters, part, sizeof part);
    add(&parameters, place.key.data, place.key.size);
    add(&parameters, version, sizeof version);
    session_call(session, STATEMENT_FENCE, &parameters);
    return 1;
}

// --- answers ---

// Nothing but the fence is guarded here.
static fallible
refused(const PGresult *result)
{
    enum store_result meaning = result ? session_state(result)->result : STORE_UNAVAILABLE;
    if (meaning == STORE_CONFLICT) {
        fence_lose();
        meaning = STORE_UNAVAILABLE;
    } else if (result)
        session_log_refusal(result);
    return store_error(meaning == STORE_UNKNOWN ? STORE_UNAVAILABLE : meaning);
}

// Sends what was called, and takes its results; the last is the caller's, if it asks for it.
static fallible
settle(session_t *session, size_t count, PGresult **ret_last)
{
    uint64_t deadline_ms = clock_deadline_ms(FLUSH_MS);
    owned(result_clear) PGresult *last = NULL;
    if (!session_flush(session, deadline_ms))
        return store_error(STORE_UNAVAILABLE);
    for (size_t i = 0; i < count; i++) {
        result_clear(&last);
        last = session_take(session, deadline_ms);
        if (!last || !session_is_good(last))
            return refused(last);
    }
    if (!session_finish(session, deadline_ms))
        return store_error(STORE_UNAVAILABLE);
    if (ret_last) {
        *ret_last = last;
        last = NULL;
    }
    return OK;
}

// Ends a transaction. A wait for the standby that was cancelled is told by a warning: one machine
// alone has it then.
static fallible
commit(session_t *session, size_t called, store_version_t fence)
{
    owned(result_clear) PGresult *result = NULL;
    session_was_warned(session);
    called += call_fence(session, fence);
    session_call(session, STATEMENT_COMMIT, NULL);
    TRY(settle(session, called + 1, &result));
    bool is_committed = strcmp(PQcmdStatus(result), "COMMIT") == 0;
    return is_committed && !session_was_warned(session) ? OK : store_error(STORE_UNKNOWN);
}

// --- files ---

static fallible
file_failed(const char *what)
{
    return fail(errno == ENOSPC || errno == EDQUOT ? ERR_STORAGE_FULL : ERR_UNAVAILABLE, "",
                "cannot %s a file of asset bytes: %s", what, strerror(errno));
}

// Up to a whole piece from `at` on.
static fallible
read_piece(int file, uint64_t at, char *piece, size_t *ret_size)
{
    size_t size = 0;
    ssize_t got = 1;
    while (size < POSTGRES_PIECE_BYTES && got != 0) {
        got = pread(file, piece + size, POSTGRES_PIECE_BYTES - size, (off_t)(at + size));
        if (got < 0 && errno != EINTR)
            return file_failed("read");
        size += got > 0 ? (size_t)got : 0;
    }
    *ret_size = size;
    return OK;
}

static fallible
write_piece(int file, uint64_t at, const char *piece, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t written = pwrite(file, piece + done, size - done, (off_t)(at + done));
        if (written < 0 && errno != EINTR)
            return file_failed("write");
        done += written > 0 ? (size_t)written : 0;
    }
    return OK;
}

// --- objects ---

static void
piece_free(char **piece)
{
    free(*piece);
}

// An empty object is one piece without bytes.
static fallible
put_pieces(session_t *session, const char *object, int file, uint32_t *ret_count,
           uint64_t *ret_bytes)
{
    owned(piece_free) char *piece = memory_take(POSTGRES_PIECE_BYTES);
    size_t called = 2; // BEGIN, and how long the database waits
    size_t size = POSTGRES_PIECE_BYTES;
    uint32_t count = 0;
    while (size == POSTGRES_PIECE_BYTES) {
        TRY(read_piece(file, *ret_bytes, piece, &size));
        if (size == 0 && count > 0)
            break;
        call_piece(session, STATEMENT_BLOB_PUT, object, count++, piece, size);
        TRY(settle(session, called + 1, NULL));
        *ret_bytes += size;
        called = 0;
    }
    *ret_count = count;
    return OK;
}

fallible
postgres_object_put(session_t *session, const char *object, int file, store_version_t fence,
                    uint64_t *ret_bytes)
{
    uint32_t count = 0;
    *ret_bytes = 0;
    session_call(session, STATEMENT_BEGIN, NULL);
    call_idle(session, patient);
    TRY(put_pieces(session, object, file, &count, ret_bytes));
    call_idle(session, hasty);
    call_piece(session, STATEMENT_BLOB_CUT, object, count, NULL, 0); // of a longer one before
    return commit(session, 2, fence);
}

// The next piece, into the file. `*ret_size` is what it has; there may be none.
static fallible
fetch_piece(session_t *session, size_t called, int file, uint64_t at, bool *ret_is_there,
            size_t *ret_size)
{
    owned(result_clear) PGresult *result = NULL;
    TRY(settle(session, called + 1, &result));
    *ret_is_there = PQntuples(result) > 0;
    *ret_size = *ret_is_there ? (size_t)PQgetlength(result, 0, 0) : 0;
    return *ret_is_there ? write_piece(file, at, PQgetvalue(result, 0, 0), *ret_size) : OK;
}

// A piece that is short is the last: what follows is not of it, or the bytes are damaged.
fallible
postgres_object_fetch(session_t *session, const char *object, int file, uint64_t *ret_bytes)
{
    bool is_there = true;
    size_t size = POSTGRES_PIECE_BYTES;
    *ret_bytes = 0;
    session_call(session, STATEMENT_SNAPSHOT, NULL);
    session_call(session, STATEMENT_PATIENCE, NULL);
    for (uint32_t piece = 0; is_there && size == POSTGRES_PIECE_BYTES; piece++) {
        call_piece(session, STATEMENT_BLOB_GET, object, piece, NULL, 0);
        TRY(fetch_piece(session, piece ? 0 : 2, file, *ret_bytes, &is_there, &size));
        if (!is_there && piece == 0)
            return fail(ERR_NOT_FOUND, "", "there are no such bytes");
        *ret_bytes += size;
    }
    return commit(session, 0, 0);
}

static fallible
remove_some(session_t *session, const char *object, store_version_t fence, long *ret_count)
{
    owned(result_clear) PGresult *result = NULL;
    session_call(session, STATEMENT_BEGIN, NULL);
    call_name(session, STATEMENT_BLOB_REMOVE, object);
    TRY(settle(session, 2, &result));
    *ret_count = strtol(PQcmdTuples(result), NULL, 10);
    return commit(session, 0, fence);
}

fallible
postgres_object_remove(session_t *session, const char *object, store_version_t fence)
{
    long count = POSTGRES_PIECES_REMOVED;
    while (count == POSTGRES_PIECES_REMOVED)
        TRY(remove_some(session, object, fence, &count));
    return OK;
}

fallible
postgres_object_page(session_t *session, const char *after, PGresult **ret_names)
{
    call_name(session, STATEMENT_BLOB_LIST, after);
    return settle(session, 1, ret_names);
}
