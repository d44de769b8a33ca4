// route.h - what a route is: one row of the table of routes (gateway/routes.c), and what a path
// that matches rows says. No handler sees whether a body is wrapped, what an array is called or
// what the envelope says: that is data of the row.
#ifndef DIORAMA_GATEWAY_REQUEST_ROUTE_H
#define DIORAMA_GATEWAY_REQUEST_ROUTE_H

#include "gateway/http/http.h"
#include "proto/base/buffer.h"
#include "proto/base/text.h"
#include "proto/message/operations.h"

// What a request may bring. Its records are those of the operation's request schema, which names
// the array. There are at most eight shapes: a ninth calls for a redesign, not for a flag.
enum body_shape {
    BODY_NONE,            // a body is read and ignored
    BODY_WRAPPED,         // {"scenes": […]}
    BODY_WRAPPED_OR_BARE, // or the one record itself
    BODY_FILTERS,         // wrapped; without array or body everything is asked for
    BODY_FILTERS_OR_BARE, // or the one filter itself
    BODY_BARE,            // the one record itself
    BODY_QUERY,           // no body: the query string is the one record, or filter
    BODY_UPLOAD, // the same, and a file: as multipart/form-data, or (image_most) as the body
    BODY_SHAPE_COUNT
};

// What an answer looks like. At most eight, as above.
enum reply_form {
    REPLY_ENVELOPE, // {"msg_type":…, "err_code":100, "num_records":…, "scenes":[…]}
    REPLY_RECORD,   // the first record itself; 404 where there is none
    REPLY_ARRAY,    // the records in a bare array
    REPLY_TEXT,     // text/plain: `word`, or the key of the first record
    REPLY_FILE,     // the bytes of an asset
    REPLY_SESSION,  // no body: the header has the token
    REPLY_PROBE,    // what `print` writes, or `serve` answers
    REPLY_STREAM,   // server-sent events, as long as the client stays
    REPLY_FORM_COUNT
};

// Which records an envelope shows.
enum shown_records {
    SHOWN_ALL,
    SHOWN_NONE,       // num_records 0 and an empty array
    SHOWN_IF_WRAPPED, // all; none if the request was bare
};

struct route;

// Rows that stand together; those of one path follow each other.
struct route_table {
    const struct route *rows;
    size_t count;
};

// What probes and pages tell about the server.
struct server_facts {
    const char *version; // NULL = unknown
    struct route_table routes;
    const struct config *config; // as the server was started
    uint64_t epoch, started_us;  // calendar
    int udp_port;
    const char *replica_endpoint; // where followers come to; NULL or "" = they cannot
    bool (*measure_disk)(const char *path, uint64_t *ret_free); // NULL: unknown
};

struct asker;

struct params;

// What a probe is asked, and by whom.
struct probe {
    const struct server_facts *facts;
    const struct asker *asker;
    const struct params *params; // of its query string
};

// Writes what a probe answers.
typedef enum error probe_print(const struct probe *probe, struct buffer *out);

struct answer_source;
struct http_answer;

// Makes the whole answer: body, type, coding, tag.
typedef enum error page_serve(const struct answer_source *source, struct http_answer *answer);

// The form, and what varies in it. Members up to `tells_destination` belong to envelopes.
struct reply_shape {
    enum reply_form form;
    const char *array; // name of the array, also in error answers; NULL = none
    const char *also;  // a second array with the same records; NULL = none
    enum shown_records shown;
    bool is_paged;          // says start_record
    bool tells_destination; // says where to send updates (registration)
    bool one_by_filter;     // of an array: a request with a filter gets the one record itself
    const char *page;       // of an array: its name in the paged form; NULL = it has none
    bool is_always_page;    // it has that form also where `after` is missing
    const char *word;       // of a text
    probe_print *print;     // of a probe
    page_serve *serve;      // of a probe that makes its answer whole, from records or a file
    const char *media_type; // of a probe
    const char *policy;     // Content-Security-Policy of a page that has a script
    bool may_change;        // of a file: its URI may have other bytes later
};

enum { NO_OPERATION = OPERATION_COUNT };

#define ERROR_BIT(error) (UINT32_C(1) << (error))

struct route {
    enum http_method method;
    const char
        *path; // segments, literal or {name of a member of struct params}; * = any that follow
    unsigned operation; // enum operation, or NO_OPERATION: no actor is asked
    const char *called; // its name in the description; NULL: from operation, or method and path
    enum access access; // of a route that asks no actor; else the operation's row has it
    enum body_shape body;
    struct reply_shape reply;
    const char *location; // pattern of the Location header, with {key} of the first record; or NULL
    unsigned page;        // num_records if the request does not say it; 0 = none
    unsigned page_most;   // and the most that it may say; 0 = LIMIT_RECORDS
    bool takes_any_page;  // whoever says more gets `page_most`
    bool is_exact;        // parameters that the row does not name are refused, and what is invalid
                          // is malformed, as OGC 17-069r4 has it (7.6)
    bool needs_accounts;  // not there without auth.enabled
    bool is_placed;    // its records have GeoPoses where they have a place, and `bbox` narrows them
    size_t body_limit; // bytes; 0 = LIMIT_BODY_BYTES
    size_t image_most; // of an upload: the body is a PNG or WebP image of so many bytes at most
    bool get_that_changes; // refused for HEAD and for other origins, as writes are
    bool for_operators;    // on loopback, with metrics.token, and for administrators
    bool keeps_answer;     // for repeats with its Idempotency-Key; its operation stores something
    bool is_tagged;        // the answer shows one whole record, or is constant, and has its tag
    bool may_lack_body;    // of a bare body: without one it is an older request
    bool takes_numerals; // numbers of its records may be texts, as a known web interface sends them
    uint64_t names;      // bit of the parameter of its path that is the key of all its records
    // Said only in the description of the interface; the contract test checks it.
    const char *sentence; // of a row without operation, which would say it
    uint64_t takes;       // bits of enum params_field: what its query string may say beside pages
    uint64_t needs;       // and must say
    uint32_t fails; // bits of enum error, beside those that its columns imply (route_catalogue.h)
};

enum { ROUTE_PARAMS_MAX = 4 };

struct route_param {
    const struct text *name;
    const struct text *value; // percent-decoded
};

// The rows that a path matches, and the texts in place of its parameters.
struct route_match {
    const struct route *rows; // `row_count` of them, one a method
    unsigned row_count;
    unsigned param_count;
    struct route_param params[ROUTE_PARAMS_MAX];
};

// Whether a request by this route changes something.
static inline bool
route_changes(const struct route *self)
{
    return self->method != HTTP_GET || self->get_that_changes;
}

// Whether what it does may rely on a lock.
static inline bool
route_takes_fence(const struct route *self)
{
    return self->fails & ERROR_BIT(ERR_LOCKED);
}

// Who may ask for it.
static inline enum access
route_access(const struct route *self)
{
    return self->operation < OPERATION_COUNT ? operation_rows[self->operation].access
                                             : self->access;
}

// The row of the operation, or NULL.
static inline const struct operation_row *
route_operation(const struct route *self)
{
    return self->operation < OPERATION_COUNT ? &operation_rows[self->operation] : NULL;
}

#endif
