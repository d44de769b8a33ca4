// header_fields.c - the rows of the table of header fields. Pure.
#include "gateway/http/header_fields.h"

#define SENT true, false
#define READ false, true
#define BOTH true, true
#define NEITHER false, false
#define UNTOLD NULL, NULL, NULL

// clang-format off
const struct header_field header_fields[HEADER_COUNT] = {
    [HEADER_REQUEST_ID]      = {"X-Request-Id",         BOTH,    "RequestId",  "string",  "Identifies the request in logs; that of the client if it sent one."},
    [HEADER_TAG]             = {"ETag",                 READ,    "Tag",        "string",  "A strong entity tag of the record shown; for If-Match and If-None-Match."},
    [HEADER_LOCATION]        = {"Location",             READ,    "Location",   "string",  "URI of the record."},
    [HEADER_REPLAYED]        = {"Idempotency-Replayed", READ,    "Replayed",   "string",  "true: the answer of an earlier request with the same Idempotency-Key."},
    [HEADER_WARNINGS]        = {"Diorama-Warnings",     READ,    "Warnings",   "string",  "What was taken although it is probably not meant: a JSON array of objects with pointer and detail; only if there is something."},
    [HEADER_RETRY_AFTER]     = {"Retry-After",          READ,    "RetryAfter", "integer", "Seconds until the client may try again."},
    [HEADER_CHALLENGE]       = {"WWW-Authenticate",     NEITHER, "Challenge",  "string",  "Bearer."},
    [HEADER_AUTHORIZATION]   = {"Authorization",        BOTH,    "Token",      "string",  "Bearer, and the token."},
    [HEADER_COOKIE]          = {"Set-Cookie",           NEITHER, "Cookie",     "string",  "access_token, for browsers."},
    [HEADER_IDEMPOTENCY_KEY] = {"Idempotency-Key",      SENT,    NULL,         NULL,      "Names the request, so that it can be sent again and is done once: for a day a repeat gets the "
                                                                                          "first answer, another request with the key 422, and a repeat while the first runs 409."},
    [HEADER_FENCE]           = {"X-Fence",              SENT,    NULL,         NULL,      "Fence of the lock that the client relies on: 423 if a newer lock of the object was given out, 422 if it never was."},
    [HEADER_CONTENT_TYPE]    = {"Content-Type",         SENT,    UNTOLD},
    [HEADER_IF_MATCH]        = {"If-Match",             SENT,    UNTOLD},
    [HEADER_IF_NONE_MATCH]   = {"If-None-Match",        SENT,    UNTOLD},
    [HEADER_LAST_EVENT]      = {"Last-Event-ID",        SENT,    UNTOLD},
    [HEADER_RANGE]           = {"Range",                SENT,    UNTOLD},
    [HEADER_IF_RANGE]        = {"If-Range",             SENT,    UNTOLD},
    [HEADER_CONTENT_RANGE]   = {"Content-Range",        READ,    "ContentRange", "string", "Of a range: which bytes of the file these are, and how many it has."},
};
// clang-format on

void
header_fields_put_names(struct buffer *out, bool sent)
{
    const char *comma = "";
    for (const struct header_field *row = header_fields; row < header_fields + HEADER_COUNT;
         row++) {
        if (!(sent ? row->is_sent : row->is_read))
            continue;
        buffer_put_chars(out, comma);
        buffer_put_chars(out, row->name);
        comma = ", ";
    }
}
