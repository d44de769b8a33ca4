// postgres_read.c - one record, or pages of them in one transaction that sees one state
// (postgres_read.h).
#include "store/postgres/postgres_read.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "store/key.h"
#include "store/postgres/postgres_state.h"

enum {
    FIRST_PAGE = 64,   // records; most scans have fewer
    LARGE_PAGE = 1000, // what a visitor that ends early makes the server read in vain, at most
    CURSOR_BYTES = STORE_KEY_BYTES + 1,
};

static void
put_u16(unsigned char *to, uint16_t number)
{
    to[0] = (unsigned char)(number >> 8);
    to[1] = (unsigned char)number;
}

static void
add(struct postgres_parameters *parameters, const void *data, size_t size)
{
    parameters->values[parameters->count] = data;
    parameters->sizes[parameters->count++] = (int)size;
}

// Where a statement looks: the first two parameters.
struct place {
    unsigned char family[2], part[2];
};

static void
add_place(struct postgres_parameters *parameters, struct place *place, enum family family,
          uint16_t part)
{
    put_u16(place->family, (uint16_t)family);
    put_u16(place->part, part);
    add(parameters, place->family, sizeof place->family);
    add(parameters, place->part, sizeof place->part);
}

// What a failed read is; nothing about writes is unknown then.
static enum store_result
failure_of(const PGresult *result)
{
    if (!result)
        return STORE_UNAVAILABLE;
    session_log_refusal(result);
    return session_state(result)->result == STORE_BAD ? STORE_BAD : STORE_UNAVAILABLE;
}

static enum store_result
finish(session_t *session, enum store_result result, uint64_t deadline_ms)
{
    bool is_finished = session_finish(session, deadline_ms);
    return is_finished || result != STORE_OK ? result : STORE_UNAVAILABLE;
}

// --- one record ---

static enum store_result
take_record(const PGresult *result, store_version_t *ret_version, void **ret_value,
            size_t *ret_size)
{
    if (PQntuples(result) == 0)
        return STORE_ABSENT;
    size_t size = (size_t)PQgetlength(result, 0, 1);
    void *value = memory_take(size ? size : 1);
    memcpy(value, PQgetvalue(result, 0, 1), size);
    *ret_version = key_get_u64((const unsigned char *)PQgetvalue(result, 0, 0));
    *ret_value = value;
    *ret_size = size;
    return STORE_OK;
}

enum store_result
postgres_read_get(session_t *session, const struct store_address *address, uint64_t deadline_ms,
                  store_version_t *ret_version, void **ret_value, size_t *ret_size)
{
    struct postgres_parameters parameters = {0};
    struct place place;
    add_place(&parameters, &place, address->family, address->part);
    add(&parameters, address->key.size ? address->key.data : "", address->key.size);
    session_call(session, STATEMENT_GET, &parameters);
    if (!session_flush(session, deadline_ms))
        return STORE_UNAVAILABLE;
    owned(result_clear) PGresult *result = session_take(session, deadline_ms);
    if (!result || !session_is_good(result))
        return failure_of(result);
    if (!session_finish(session, deadline_ms))
        return STORE_UNAVAILABLE;
    return take_record(result, ret_version, ret_value, ret_size);
}

enum store_result
postgres_read_ping(session_t *session, uint64_t deadline_ms)
{
    session_call(session, STATEMENT_PING, NULL);
    if (!session_flush(session, deadline_ms))
        return STORE_UNAVAILABLE;
    owned(result_clear) PGresult *result = session_take(session, deadline_ms);
    if (!result || !session_is_good(result))
        return failure_of(result);
    bool may_write = PQntuples(result) == 1 && PQgetvalue(result, 0, 0)[0] == 1;
    return finish(session, may_write ? STORE_OK : STORE_UNAVAILABLE, deadline_ms);
}

// --- scans ---

// What is left to be read of one range.
struct cursor {
    unsigned char low[CURSOR_BYTES], high[CURSOR_BYTES];
    size_t low_size, high_size;
};

struct scanning {
    session_t *session;
    const struct store_scan *scan;
    uint64_t deadline_ms;
    store_visitor *visit;
    void *context;
    struct cursor cursor;
    size_t page; // records of the next one
    size_t *visited;
    bool is_ended;   // by the visitor, or at the limit
    bool is_passing; // over rows that are read again later
};

// The range that is visited as the nth.
static const struct store_range *
range_at(const struct store_scan *scan, size_t n)
{
    return &scan->ranges[scan->backward ? scan->range_count - 1 - n : n];
}

// No key is above a cursor's bytes: they are longer than a key can be, and all ff.
static void
cursor_begin(struct cursor *self, const struct store_range *range)
{
    self->low_size = range->low.size;
    if (range->low.size)
        memcpy(self->low, range->low.data, range->low.size);
    self->high_size = range->high.size;
    if (range->high.size)
        memcpy(self->high, range->high.data, range->high.size);
    else {
        self->high_size = CURSOR_BYTES;
        memset(self->high, 0xff, CURSOR_BYTES);
    }
}

// Behind the record that was visited last: the key with a zero more is the next that can be.
static void
cursor_pass(struct cursor *self, struct bytes key, bool backward)
{
    unsigned char *bound = backward ? self->high : self->low;
    size_t *size = backward ? &self->high_size : &self->low_size;
    if (key.size)
        memcpy(bound, key.data, key.size);
    *size = key.size;
    if (!backward)
        bound[(*size)++] = 0;
}

static void
call_page(struct scanning *self)
{
    struct postgres_parameters parameters = {0};
    struct place place;
    unsigned char most[8];
    const struct cursor *cursor = &self->cursor;
    key_put_u64(most, self->page);
    add_place(&parameters, &place, self->scan->family, self->scan->part);
    add(&parameters, cursor->low, cursor->low_size);
    add(&parameters, cursor->high, cursor->high_size);
    add(&parameters, most, sizeof most);
    session_call(self->session, self->scan->backward ? STATEMENT_DOWN : STATEMENT_UP, &parameters);
}

static void
visit_row(struct scanning *self, const PGresult *row)
{
    struct bytes key = {PQgetvalue(row, 0, 0), (size_t)PQgetlength(row, 0, 0)};
    struct bytes value = {PQgetvalue(row, 0, 2), (size_t)PQgetlength(row, 0, 2)};
    store_version_t version = key_get_u64((const unsigned char *)PQgetvalue(row, 0, 1));
    cursor_pass(&self->cursor, key, self->scan->backward);
    bool goes_on = self->visit(self->context, key, version, value);
    self->is_ended = ++*self->visited == self->scan->limit || !goes_on;
}

// Visits the rows of a page; those behind the one that ended the scan are passed over.
static enum store_result
take_page(struct scanning *self, size_t *ret_count)
{
    session_stream(self->session);
    for (*ret_count = 0;; ++*ret_count) {
        owned(result_clear) PGresult *row = session_take(self->session, self->deadline_ms);
        if (!row || !session_is_good(row))
            return failure_of(row);
        if (PQresultStatus(row) != PGRES_SINGLE_TUPLE)
            return STORE_OK;
        if (!self->is_ended && !self->is_passing)
            visit_row(self, row);
        if (self->deadline_ms && clock_left_ms(self->deadline_ms) == 0)
            return STORE_UNAVAILABLE;
    }
}

static void
choose_page(struct scanning *self, size_t page)
{
    size_t left = self->scan->limit ? self->scan->limit - *self->visited : page;
    self->page = left < page ? left : page;
}

static enum store_result
take_command(struct scanning *self)
{
    owned(result_clear) PGresult *result = session_take(self->session, self->deadline_ms);
    return result && session_is_good(result) ? STORE_OK : failure_of(result);
}

// Each further page is a pipeline of its own.
static enum store_result
read_rest(struct scanning *self)
{
    enum store_result result;
    size_t count;
    do {
        choose_page(self, LARGE_PAGE);
        call_page(self);
        if (!session_flush(self->session, self->deadline_ms))
            return STORE_UNAVAILABLE;
        result = take_page(self, &count);
        if (result == STORE_OK)
            result = finish(self->session, result, self->deadline_ms);
    } while (result == STORE_OK && count == self->page && !self->is_ended);
    return result;
}

// The first pages of all ranges are one pipeline, with what begins the transaction: most ranges
// that are asked for together have few records.
static bool
call_first_pages(struct scanning *self)
{
    session_call(self->session, STATEMENT_SNAPSHOT, NULL);
    session_call(self->session, STATEMENT_PATIENCE, NULL);
    for (size_t i = 0; i < self->scan->range_count; i++) {
        cursor_begin(&self->cursor, range_at(self->scan, i));
        choose_page(self, FIRST_PAGE);
        call_page(self);
    }
    return session_flush(self->session, self->deadline_ms);
}

// Visits them up to the first that is full; what comes behind that one is passed over, and read
// after the rest of its range. *ret_next is the range to go on with.
static enum store_result
take_first_pages(struct scanning *self, size_t *ret_next)
{
    enum store_result result = take_command(self);
    size_t full = self->scan->range_count;
    if (result == STORE_OK)
        result = take_command(self);
    for (size_t i = 0; i < self->scan->range_count && result == STORE_OK; i++) {
        size_t count;
        if (full < i)
            self->is_passing = true;
        else
            cursor_begin(&self->cursor, range_at(self->scan, i));
        result = take_page(self, &count);
        if (full == self->scan->range_count && count == self->page)
            full = i;
    }
    self->is_passing = false;
    *ret_next = full;
    return result == STORE_OK ? finish(self->session, result, self->deadline_ms) : result;
}

// From the second page of a range that was begun to the end of the last one.
static enum store_result
read_on(struct scanning *self, size_t at)
{
    enum store_result result = STORE_OK;
    while (at < self->scan->range_count && result == STORE_OK && !self->is_ended) {
        result = read_rest(self);
        if (++at < self->scan->range_count)
            cursor_begin(&self->cursor, range_at(self->scan, at));
    }
    return result;
}

static enum store_result
end_snapshot(struct scanning *self)
{
    session_call(self->session, STATEMENT_COMMIT, NULL);
    if (!session_flush(self->session, self->deadline_ms))
        return STORE_UNAVAILABLE;
    return finish(self->session, take_command(self), self->deadline_ms);
}

enum store_result
postgres_read_scan(session_t *session, const struct store_scan *scan, uint64_t deadline_ms,
                   store_visitor *visit, void *context, size_t *visited)
{
    struct scanning self = {.session = session,
                            .scan = scan,
                            .deadline_ms = deadline_ms,
                            .visit = visit,
                            .context = context,
                            .visited = visited};
    size_t next;
    if (!call_first_pages(&self))
        return STORE_UNAVAILABLE;
    enum store_result result = take_first_pages(&self, &next);
    if (result == STORE_OK)
        result = read_on(&self, next);
    return result == STORE_OK ? end_snapshot(&self) : result;
}
