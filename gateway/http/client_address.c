// client_address.c - finds the address of the client. Pure.
#include "gateway/http/client_address.h"

#include <arpa/inet.h>
#include <strings.h>

#include "gateway/http/request_guard.h"
#include "proto/base/chars.h"

static bool
is_address(const char *chars)
{
    struct in6_addr address;
    return inet_pton(AF_INET, chars, &address) == 1 || inet_pton(AF_INET6, chars, &address) == 1;
}

// Without the prefix of an IPv4 address inside IPv6.
static const char *
unmapped(const char *address)
{
    static const char prefix[] = "::ffff:";
    bool mapped = strncasecmp(address, prefix, sizeof prefix - 1) == 0 && strchr(address, '.');
    return mapped ? address + sizeof prefix - 1 : address;
}

// Copies the last item of the first `size` bytes of a comma-separated list. Returns the position of
// the comma before it, 0 if it is the only item.
static size_t
last_item(const char *list, size_t size, char *ret_item, size_t capacity)
{
    size_t start = size;
    while (start && list[start - 1] != ',')
        start--;
    size_t comma = start ? start - 1 : 0;
    while (start < size && (list[start] == ' ' || list[start] == '\t'))
        start++;
    while (size > start && (list[size - 1] == ' ' || list[size - 1] == '\t'))
        size--;
    size_t length = size - start < capacity ? size - start : capacity - 1;
    memcpy(ret_item, list + start, length);
    ret_item[length] = '\0';
    return comma;
}

// Walks one header from its right end; false if every address of it is a trusted proxy.
static bool
find_in(const char *list, const char *proxies, struct caller *caller)
{
    char item[sizeof caller->peer];
    for (size_t left = strlen(list); left;) {
        left = last_item(list, left, item, sizeof item);
        const char *address = unmapped(item);
        if (!is_address(address))
            return true; // nobody vouches for the items before it
        chars_copy(caller->peer, sizeof caller->peer, address);
        if (!request_guard_lists(proxies, address))
            return true;
    }
    return false;
}

void
client_address_find(const struct http_request *request, const char *proxies,
                    struct caller *ret_caller)
{
    const char *address = unmapped(request->peer);
    chars_copy(ret_caller->peer, sizeof ret_caller->peer, address);
    ret_caller->loopback = request_guard_is_loopback(address);
    if (!proxies || !request_guard_lists(proxies, address))
        return;
    for (unsigned i = request->header_count; i-- > 0;) {
        if (strcasecmp(request->headers[i].name, "X-Forwarded-For") != 0)
            continue;
        ret_caller->loopback = false;
        if (find_in(request->headers[i].value, proxies, ret_caller))
            return;
    }
}

bool
client_address_is_by_tls(const struct http_request *request, const char *proxies)
{
    const char *scheme = http_header(request, "X-Forwarded-Proto");
    return scheme && strcasecmp(scheme, "https") == 0 && proxies &&
           request_guard_lists(proxies, unmapped(request->peer));
}
