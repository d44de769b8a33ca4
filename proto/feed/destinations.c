// destinations.c - reads what a device asks for, and says what of it is refused (destinations.h).
// Pure: any thread.

#include "proto/feed/destinations.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    FIRST_ALLOWED_PORT = 1024,
    LAST_PORT = 65535,
    PLACE_SIZE = sizeof((struct fault *)0)->pointer,
};

// What a device asks for, not checked yet.
struct requested {
    char host[DESTINATION_HOST_SIZE];
    int64_t port;
    enum feed_form form;
    unsigned rate_hz;
    bool is_sealed;
    bool has_tail;
    bool has_filler;
    bool has_indices;
    bool hears_asks;
    char object[DESTINATION_OBJECT_SIZE];
    uint8_t source;
    const char *host_member; // "/hostname" or "/connection_string", named in a refusal
    const char *port_member;
};

bool
destination_port_allowed(int64_t port)
{
    return port >= FIRST_ALLOWED_PORT && port <= LAST_PORT;
}

static bool
is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool
is_hex_digit(char byte)
{
    return is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f');
}

static bool
is_name_byte(char byte)
{
    return is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte == '.' ||
           byte == '-';
}

// Whether a resolver could read the name as an old-style IPv4 address (127.1, 0x7f.1, 2130706433):
// its last label is a number. A dot at the end does not count.
static bool
name_ends_in_number(const char *name, size_t size)
{
    if (size && name[size - 1] == '.')
        size--;
    size_t first = size;
    while (first && name[first - 1] != '.')
        first--;
    const char *label = name + first;
    size_t left = size - first;
    bool is_hex = left >= 2 && label[0] == '0' && (label[1] | 0x20) == 'x';
    for (size_t i = is_hex ? 2 : 0; i < left; i++)
        if (!(is_hex ? is_hex_digit(label[i]) : is_digit(label[i])))
            return false;
    return left > 0;
}

// What is wrong with a host that is not a literal, or NULL.
static const char *
name_check(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if (!is_name_byte(name[i]))
            return "must be an address or a name of letters, digits, dots and hyphens";
    if (name_ends_in_number(name, size))
        return "must be written as a dotted quad or in the RFC 4291 form";
    return NULL;
}

static bool
host_copy(const char *data, size_t size, char *ret_host)
{
    if (size >= DESTINATION_HOST_SIZE || memchr(data, '\0', size))
        return false;
    memcpy(ret_host, data, size);
    ret_host[size] = '\0';
    return true;
}

// The decimal number at the beginning of `*text`; -1 if there are no digits or more than
// `digits_limit`. The rest stays in `*text`.
static int64_t
digits_read(const char **text, size_t digits_limit)
{
    const char *first = *text;
    size_t digits = strspn(first, "0123456789");
    if (digits == 0 || digits > digits_limit)
        return -1;
    *text += digits;
    return strtol(first, NULL, 10);
}

static bool
rate_read(const char **text, struct requested *requested)
{
    int64_t rate_hz = digits_read(text, 3);
    requested->rate_hz = (unsigned)rate_hz;
    return requested->form != FEED_PLAIN && rate_hz >= 1 && rate_hz <= PACKED_RATE_MAXIMUM_HZ;
}

// Whether the value is `word`, the only one that there is.
static bool
word_read(const char **text, const char *word, bool *ret_is_wanted)
{
    size_t size = strlen(word);
    *ret_is_wanted = strncmp(*text, word, size) == 0;
    *text += *ret_is_wanted ? size : 0;
    return *ret_is_wanted;
}

static bool
tail_read(const char **text, struct requested *requested)
{
    return requested->form != FEED_TRACK && word_read(text, "1", &requested->has_tail);
}

static bool
events_read(const char **text, struct requested *requested)
{
    return requested->form != FEED_TRACK && word_read(text, "all", &requested->hears_asks);
}

static bool
keys_read(const char **text, struct requested *requested)
{
    return requested->form == FEED_PACKED && word_read(text, "index", &requested->has_indices);
}

// The key of an object, which is a generated one.
static bool
object_read(const char **text, struct requested *requested)
{
    size_t size = strspn(*text, "0123456789abcdef");
    if (requested->form != FEED_TRACK || size != DESTINATION_OBJECT_SIZE - 1)
        return false;
    memcpy(requested->object, *text, size);
    *text += size;
    return true;
}

static bool
source_read(const char **text, struct requested *requested)
{
    int64_t source = digits_read(text, 3);
    requested->source = (uint8_t)source;
    return requested->form == FEED_TRACK && source >= 1 && source <= 200;
}

// What may follow the port, each once. A reader moves `*text` behind the value.
static const struct wish {
    const char *name;
    bool (*read)(const char **text, struct requested *requested);
} wishes[] = {
    {"rate=", rate_read}, {"tail=", tail_read},     {"events=", events_read},
    {"keys=", keys_read}, {"object=", object_read}, {"source=", source_read},
};

enum { WISHES = sizeof wishes / sizeof wishes[0] };

// Reads `?rate=60&tail=1&events=all&keys=index`, in any order, or nothing.
static bool
wishes_read(const char *text, struct requested *requested)
{
    unsigned seen = 0;
    for (char before = '?'; *text == before; before = '&') {
        unsigned i = 0;
        text++;
        while (i < WISHES && strncmp(text, wishes[i].name, strlen(wishes[i].name)) != 0)
            i++;
        if (i == WISHES || (seen & 1U << i))
            return false;
        seen |= 1U << i;
        text += strlen(wishes[i].name);
        if (!wishes[i].read(&text, requested))
            return false;
    }
    return *text == '\0';
}

// Reads `host:port` or `[v6]:port` and what may follow it.
static bool
authority_read(const char *host, struct requested *requested)
{
    const char *colon = strrchr(host, ':');
    if (!colon)
        return false;
    size_t size = (size_t)(colon - host);
    bool bracketed = size >= 2 && host[0] == '[' && host[size - 1] == ']';
    if (bracketed) {
        host++;
        size -= 2;
    }
    bool has_colon = memchr(host, ':', size) != NULL;
    const char *rest = colon + 1;
    requested->port = digits_read(&rest, 5);
    return requested->port >= 0 && size > 0 && has_colon == bracketed &&
           host_copy(host, size, requested->host) && wishes_read(rest, requested) &&
           (requested->form != FEED_TRACK || requested->object[0]);
}

struct scheme {
    const char *prefix;
    const char *wanted; // the refusal of a malformed one
    enum feed_form form;
    unsigned rate_hz;
    bool is_sealed;
    bool has_filler;
};

// clang-format off
static const struct scheme schemes[] = {
    {"udp://",         "must be udp://host:port, or with ?tail=1&events=all",             FEED_PLAIN,  0,                      false, false},
    {"udp+base64://",  "must be udp+base64://host:port, or with ?tail=1&events=all",      FEED_PLAIN,  0,                      false, true},
    {"udp+msgpack://", "must be udp+msgpack://host:port?rate=60, the rate from 1 to 240", FEED_PACKED, PACKED_RATE_DEFAULT_HZ, false, false},
    {"udp+sealed://",  "must be udp+sealed://host:port?rate=60, the rate from 1 to 240",  FEED_PACKED, PACKED_RATE_DEFAULT_HZ, true,  false},
    {"opentrackio://", "must be opentrackio://host:port?object=KEY&rate=60&source=1, the rate from 1 to 240, the source from 1 to 200", FEED_TRACK, PACKED_RATE_DEFAULT_HZ, false, false},
};
// clang-format on

// A connection string of another scheme changes nothing: it is only stored and echoed.
static fallible
requested_from_connection_string(const struct text *text, const char *pointer,
                                 struct requested *requested)
{
    const char *chars = text_bytes(text);
    size_t size = text_size(text);
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        const struct scheme *scheme = &schemes[i];
        size_t prefix_size = strlen(scheme->prefix);
        if (strncmp(chars, scheme->prefix, prefix_size) != 0)
            continue;
        requested->form = scheme->form;
        requested->rate_hz = scheme->rate_hz;
        requested->is_sealed = scheme->is_sealed;
        requested->has_filler = scheme->has_filler;
        requested->source = scheme->form == FEED_TRACK;
        if (scheme->is_sealed && size == prefix_size)
            return OK; // hostname and port say where, or nothing does
        requested->host_member = requested->port_member = "/connection_string";
        if (size != strlen(chars) || !authority_read(chars + prefix_size, requested))
            return fail(ERR_INVALID, pointer, "%s", scheme->wanted);
    }
    return OK;
}

// An empty host in `ret_requested` means that no datagrams are requested.
static fallible
requested_read(const struct device *device, const char *pointer, struct requested *ret_requested)
{
    char place[PLACE_SIZE];
    *ret_requested = (struct requested){.host_member = "/hostname", .port_member = "/port"};
    snprintf(place, sizeof place, "%s/connection_string", pointer);
    TRY(requested_from_connection_string(device->connection_string, place, ret_requested));
    if (ret_requested->host[0] || text_size(device->hostname) == 0 ||
        !record_has(&device->base, DEVICE_PORT))
        return OK;
    snprintf(place, sizeof place, "%s/hostname", pointer);
    if (!host_copy(text_bytes(device->hostname), text_size(device->hostname), ret_requested->host))
        return fail(ERR_INVALID, place, "must have at most %d bytes", DESTINATION_HOST_SIZE - 1);
    ret_requested->port = device->port;
    return OK;
}

static fallible
port_judge(int64_t port, const uint16_t *own_ports, size_t own_port_count, const char *place)
{
    if (!destination_port_allowed(port))
        return fail(ERR_INVALID, place, "must be a port from %d to %d", FIRST_ALLOWED_PORT,
                    LAST_PORT);
    for (size_t i = 0; i < own_port_count; i++)
        if (own_ports[i] == port)
            return fail(ERR_INVALID, place, "port %d is this server's own", (int)port);
    return OK;
}

bool
destination_is_sealed(const struct device *device)
{
    struct requested requested;
    return requested_read(device, "", &requested) == OK && requested.is_sealed;
}

fallible
destination_need_sealed(const struct device *device, const char *pointer)
{
    struct requested requested;
    char place[PLACE_SIZE];
    TRY(requested_read(device, pointer, &requested));
    if (!requested.host[0] || requested.is_sealed)
        return OK;
    snprintf(place, sizeof place, "%s%s", pointer, requested.host_member);
    return fail(
        ERR_INVALID, place,
        "asks for a feed in the clear, and udp.require_sealed is on: connection_string must "
        "be udp+sealed://host:port");
}

static bool
is_localhost(const char *host)
{
    return strcasecmp(host, "localhost") == 0 || strcasecmp(host, "localhost.") == 0;
}

// Loopback in the peer's own address family.
static const char *
localhost_of(const struct caller *caller)
{
    struct destination_address peer;
    bool is_v6 = destination_address_read(caller->peer, &peer) && peer.family == AF_INET6;
    return is_v6 ? "::1" : "127.0.0.1";
}

static fallible
host_judge(const char *host, const struct caller *caller, const char *place,
           enum destination_kind *ret_kind, char *ret_address)
{
    struct destination_address literal;
    if (!destination_address_read(is_localhost(host) ? localhost_of(caller) : host, &literal)) {
        const char *wrong = name_check(host);
        if (wrong)
            return fail(ERR_INVALID, place, "%s", wrong);
        *ret_kind = DESTINATION_NAME;
        return OK;
    }
    const char *refusal = destination_address_refusal(&literal, caller->loopback);
    if (refusal)
        return fail(ERR_INVALID, place, "may not be %s", refusal);
    inet_ntop(literal.family, literal.bytes, ret_address, DESTINATION_ADDRESS_SIZE);
    *ret_kind = DESTINATION_ADDRESS;
    return OK;
}

fallible
destination_choose(const struct device *device, const struct caller *caller,
                   const uint16_t *own_ports, size_t own_port_count, const char *pointer,
                   enum destination_kind *ret_kind, char *ret_address, int *ret_port)
{
    struct requested requested;
    TRY(requested_read(device, pointer, &requested));
    if (!requested.host[0]) {
        *ret_kind = DESTINATION_NONE;
        return OK;
    }
    char place[PLACE_SIZE];
    snprintf(place, sizeof place, "%s%s", pointer, requested.port_member);
    TRY(port_judge(requested.port, own_ports, own_port_count, place));
    snprintf(place, sizeof place, "%s%s", pointer, requested.host_member);
    TRY(host_judge(requested.host, caller, place, ret_kind, ret_address));
    *ret_port = (int)requested.port;
    return OK;
}

bool
destination_of(const struct device *device, struct destination *ret_destination)
{
    struct requested requested;
    if (requested_read(device, "", &requested) != OK || !requested.host[0] ||
        port_judge(requested.port, NULL, 0, "") != OK)
        return false;
    *ret_destination = (struct destination){.port = (int)requested.port,
                                            .form = requested.form,
                                            .rate_hz = requested.rate_hz,
                                            .is_sealed = requested.is_sealed,
                                            .has_tail = requested.has_tail,
                                            .has_filler = requested.has_filler,
                                            .has_indices = requested.has_indices,
                                            .hears_asks = requested.hears_asks,
                                            .source = requested.source};
    memcpy(ret_destination->host, requested.host, sizeof requested.host);
    memcpy(ret_destination->object, requested.object, sizeof requested.object);
    return true;
}
