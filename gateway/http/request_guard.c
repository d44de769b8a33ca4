// request_guard.c - checks target, header, framing, Host and Origin of a request. Pure.
#include "gateway/http/request_guard.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#include "proto/base/limits.h"

enum { LENGTH_DIGITS_MAX = 18, HOST_SIZE = 256, PORT_DIGITS_MAX = 5, PORT_MAX = 65535 };

static fallible
check_target(const struct http_request *request)
{
    if (strlen(request->path) + strlen(request->query) > LIMIT_URI_BYTES)
        return fail(ERR_URI_TOO_LONG, "", "the URI may have at most %d bytes", LIMIT_URI_BYTES);
    if (strstr(request->path, "%00") || strstr(request->query, "%00"))
        return fail(ERR_MALFORMED, "", "the URI must not have an encoded NUL");
    return OK;
}

static bool
is_length(const char *value)
{
    size_t digits = strspn(value, "0123456789");
    return digits > 0 && digits <= LENGTH_DIGITS_MAX && value[digits] == '\0';
}

// Two servers in a row that disagree about the end of a request can be made to see different
// requests. So everything unclear is refused.
static fallible
check_framing(const struct http_request *request)
{
    unsigned lengths = http_header_count(request, "Content-Length");
    unsigned encodings = http_header_count(request, "Transfer-Encoding");
    if (lengths > 1 || encodings > 1 || (lengths && encodings))
        return fail(ERR_MALFORMED, "",
                    "one of Content-Length and Transfer-Encoding is allowed, once");
    if (lengths && !is_length(http_header(request, "Content-Length")))
        return fail(ERR_MALFORMED, "", "Content-Length must be a number");
    if (encodings && (request->minor == 0 ||
                      strcasecmp(http_header(request, "Transfer-Encoding"), "chunked") != 0))
        return fail(ERR_MALFORMED, "", "Transfer-Encoding must be chunked, on HTTP/1.1");
    return OK;
}

static bool
is_ipv6(const char *name)
{
    struct in6_addr address;
    return inet_pton(AF_INET6, name, &address) == 1;
}

// Whether `end` is the end of an authority: nothing, or a port.
static bool
is_port(const char *end)
{
    if (*end != ':')
        return *end == '\0';
    unsigned digits = 0, port = 0;
    for (; isdigit((unsigned char)end[1 + digits]) && digits < PORT_DIGITS_MAX; digits++)
        port = port * 10 + (unsigned)(end[1 + digits] - '0');
    return digits > 0 && end[1 + digits] == '\0' && port <= PORT_MAX;
}

// The bytes at the beginning that are those of a name or an IPv4 address.
static size_t
name_size(const char *host)
{
    const char *at = host;
    while (isalnum((unsigned char)*at) || *at == '.' || *at == '-' || *at == '_')
        at++;
    return (size_t)(at - host);
}

// Copies the host of `name`, `name:port`, `[address]` or `[address]:port`, without brackets. False
// for anything else: a text that only begins like a host is none.
static bool
host_name(const char *host, char *ret_name)
{
    bool has_brackets = host[0] == '[';
    const char *start = host + has_brackets;
    size_t size = has_brackets ? strcspn(start, "]") : name_size(start);
    const char *end = start + size;
    if (size == 0 || size >= HOST_SIZE || (has_brackets && *end != ']'))
        return false;
    memcpy(ret_name, start, size);
    ret_name[size] = '\0';
    return is_port(end + has_brackets) && (!has_brackets || is_ipv6(ret_name));
}

static bool
ends_with(const char *name, const char *end)
{
    size_t size = strlen(name), end_size = strlen(end);
    return size >= end_size && strcasecmp(name + size - end_size, end) == 0;
}

bool
request_guard_is_loopback(const char *host)
{
    char name[HOST_SIZE];
    struct in_addr v4;
    struct in6_addr v6;
    // An address without brackets, as a setting has it.
    if (strchr(host, ':') && inet_pton(AF_INET6, host, &v6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&v6);
    if (!host_name(host, name))
        return false;
    if (strchr(name, ':') && inet_pton(AF_INET6, name, &v6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&v6);
    if (strncmp(name, "127.", 4) == 0 && inet_pton(AF_INET, name, &v4) == 1)
        return true;
    return strcasecmp(name, "localhost") == 0 || ends_with(name, ".localhost");
}

bool
request_guard_lists(const char *list, const char *item)
{
    size_t size = strlen(item);
    for (const char *at = list; *at;) {
        at += strspn(at, ", ");
        size_t length = strcspn(at, ", ");
        if (length == size && length && strncasecmp(at, item, size) == 0)
            return true;
        at += length;
    }
    return false;
}

// Whether `host` belongs to a listed origin: a proxy in front serves it there.
static bool
is_listed_host(const char *host, const struct request_guard_rules *rules)
{
    static const char *const schemes[] = {"http", "https"};
    char origin[HOST_SIZE];
    for (size_t i = 0; rules->origins && i < sizeof schemes / sizeof schemes[0]; i++) {
        snprintf(origin, sizeof origin, "%s://%s", schemes[i], host);
        if (request_guard_lists(rules->origins, origin))
            return true;
    }
    return false;
}

static fallible
check_host(const struct http_request *request, const struct request_guard_rules *rules)
{
    unsigned count = http_header_count(request, "Host");
    if (count > 1 || (count == 0 && request->minor == 1))
        return fail(ERR_MALFORMED, "", "exactly one Host header is needed");
    char name[HOST_SIZE];
    const char *host = http_header(request, "Host");
    if (host && *host && !host_name(host, name))
        return fail(ERR_MALFORMED, "", "Host must be a name or an address, with or without a port");
    if (rules->loopback && host && !request_guard_is_loopback(host) && !is_listed_host(host, rules))
        return fail(ERR_FORBIDDEN, "", "this server answers to loopback names only");
    return OK;
}

// A name as RFC 9110 has it.
static bool
is_token(const char *name)
{
    const char *at = name;
    while (isalnum((unsigned char)*at) || *at == '-' || (*at && strchr("!#$%&'*+.^_`|~", *at)))
        at++;
    return at > name && *at == '\0';
}

static fallible
check_headers(const struct http_request *request)
{
    size_t size = 0;
    for (unsigned i = 0; i < request->header_count; i++)
        size += strlen(request->headers[i].name) + strlen(request->headers[i].value);
    if (size > LIMIT_HEADER_BYTES)
        return fail(ERR_HEADERS_TOO_LARGE, "", "the header may have at most %d bytes",
                    LIMIT_HEADER_BYTES);
    if (request->header_count >= HTTP_HEADERS_MAX)
        return fail(ERR_HEADERS_TOO_LARGE, "", "at most %d header fields are allowed",
                    HTTP_HEADERS_MAX - 1);
    if (request->is_odd)
        return fail(ERR_MALFORMED, "", "a line of the header is no field that ends in CR LF");
    for (unsigned i = 0; i < request->header_count; i++)
        if (!is_token(request->headers[i].name))
            return fail(ERR_MALFORMED, "", "the name of a header field is no token");
    return OK;
}

fallible
request_guard_check(const struct http_request *request, const struct request_guard_rules *rules)
{
    TRY(check_target(request));
    TRY(check_headers(request));
    TRY(check_framing(request));
    return check_host(request, rules);
}

const char *
request_guard_listed_origin(const struct http_request *request,
                            const struct request_guard_rules *rules)
{
    const char *origin = http_header(request, "Origin");
    return origin && rules->origins && request_guard_lists(rules->origins, origin) ? origin : NULL;
}

// The scheme is left out: a proxy in front may have ended TLS.
static bool
is_own_origin(const struct http_request *request, const char *origin)
{
    const char *authority = strstr(origin, "://");
    const char *host = http_header(request, "Host");
    return authority && host && strcasecmp(authority + 3, host) == 0;
}

fallible
request_guard_check_origin(const struct http_request *request,
                           const struct request_guard_rules *rules)
{
    const char *origin = http_header(request, "Origin");
    const char *site = http_header(request, "Sec-Fetch-Site");
    if (request_guard_listed_origin(request, rules))
        return OK;
    // A GET has no Origin. Pages of the same site may be anybody's, as those of other sites.
    bool is_own_site =
        !site || strcasecmp(site, "same-origin") == 0 || strcasecmp(site, "none") == 0;
    if ((origin && !is_own_origin(request, origin)) || !is_own_site)
        return fail(ERR_FORBIDDEN, "", "pages of other origins may not change anything here");
    return OK;
}

fallible
request_guard_check_own_origin(const struct http_request *request,
                               const struct request_guard_rules *rules)
{
    const char *origin = http_header(request, "Origin");
    const char *site = http_header(request, "Sec-Fetch-Site");
    if (request_guard_listed_origin(request, rules) || (origin && is_own_origin(request, origin)) ||
        (!origin && site && strcasecmp(site, "same-origin") == 0))
        return OK;
    return fail(ERR_FORBIDDEN, "",
                "with a cookie only pages of this origin may change something; others send the "
                "token as Authorization: Bearer");
}
