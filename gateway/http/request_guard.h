// request_guard.h - refuses requests by their head alone, before anything else is done (decisions
// 1; architecture, gateway rules). Pure: a request in, a verdict out.
#ifndef DIORAMA_GATEWAY_HTTP_REQUEST_GUARD_H
#define DIORAMA_GATEWAY_HTTP_REQUEST_GUARD_H

#include "gateway/http/http.h"

struct request_guard_rules {
    bool loopback;       // the server listens on loopback only: Host must be a loopback name
    const char *origins; // comma-separated; other origins that may write
};

// Fails with ERR_MALFORMED on framing that two servers could read differently, a missing,
// double or odd Host and an encoded NUL; with ERR_HEADERS_TOO_LARGE, ERR_URI_TOO_LONG; with
// ERR_FORBIDDEN on a foreign Host (DNS rebinding).
fallible request_guard_check(const struct http_request *request,
                             const struct request_guard_rules *rules);

// For requests that change something: fails with ERR_FORBIDDEN if a page of another site sent it.
fallible request_guard_check_origin(const struct http_request *request,
                                    const struct request_guard_rules *rules);

// For requests that change something and are authenticated by a cookie, which browsers send for
// pages of any site: fails with ERR_FORBIDDEN unless a page of this origin or of a listed one sent
// it.
fallible request_guard_check_own_origin(const struct http_request *request,
                                        const struct request_guard_rules *rules);

// The request's Origin if the rules list it, else NULL.
const char *request_guard_listed_origin(const struct http_request *request,
                                        const struct request_guard_rules *rules);

// Whether `host` (with or without a port) names this machine: localhost, 127.0.0.0/8, ::1.
bool request_guard_is_loopback(const char *host);

// Whether the comma-separated `list` has `item`; case makes no difference.
bool request_guard_lists(const char *list, const char *item);

#endif
