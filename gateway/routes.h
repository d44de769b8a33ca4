// routes.h - THE table of routes: method, path, operation, body shape, reply shape, extras.
// No handler sees whether a body is wrapped, how an array is called or what the envelope says.
#ifndef DIORAMA_GATEWAY_ROUTES_H
#define DIORAMA_GATEWAY_ROUTES_H

#include "gateway/gateway.h"
#include "gateway/http.h"
#include "proto/operations.h"

// What a body may look like. Its array is named by the operation's request schema.
enum body_shape {
    BODY_NONE,            // whatever comes is read and ignored
    BODY_WRAPPED,         // {"scenes": […]}
    BODY_WRAPPED_OR_BARE, // or the one record itself
    BODY_FILTERS,         // wrapped; array and body may be missing: everything is asked for
    BODY_FILTERS_OR_BARE, // or the one filter itself
    BODY_SHAPE_COUNT
};

// What an answer looks like.
enum reply_kind {
    REPLY_KIND_WRAPPED,    // the envelope, and the records in its array
    REPLY_KIND_PAGED,      // and start_record
    REPLY_KIND_REGISTERED, // and where to send updates
    REPLY_KIND_FOLLOWS,    // wrapped; a bare request gets num_records 0 and an empty array
    REPLY_KIND_EMPTY,      // num_records 0 and an empty array
    REPLY_KIND_PROBE,      // what `print` writes
};

typedef void probe_print(const struct gateway_surroundings *around, struct buffer *out);

struct reply_shape {
    enum reply_kind kind;
    const char *array;      // name of the array, also in error answers; NULL = none
    probe_print *print;     // of a probe
    const char *media_type; // of a probe
};

enum { NO_OPERATION = OPERATION_COUNT };

struct route {
    enum http_method method;
    const char *path;   // segments, literal or {name of a member of struct params}
    unsigned operation; // enum operation, or NO_OPERATION: no actor is asked
    enum body_shape body;
    struct reply_shape reply;
    const char *location; // pattern of the Location header, with {key} of the first record; or NULL
    unsigned page;        // num_records where the request says nothing; 0 = none
    size_t body_limit;    // bytes; 0 = LIMIT_BODY_BYTES
    bool get_that_changes; // refused for HEAD and for other origins, as writes are
    bool for_operators;    // on loopback, or with metrics.token
    bool is_tagged;        // the answer shows one whole record: it gets its entity tag
};

// Rows of one path stand together; rows with a literal stand before those with a parameter there.
extern const struct route routes[];
extern const size_t routes_count;

// Whether a request by this route changes something.
static inline bool
route_changes(const struct route *self)
{
    return self->method != HTTP_GET || self->get_that_changes;
}

#endif
