// track_sources.c - reads the list of tracked cameras (track_sources.h).
#include "proto/config/track_sources.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum {
    DEFAULT_PORT = 55555, // of OpenTrackIO
    WORDS_MOST = 4,
};

static const char blanks[] = " \t";

// --- words ---

// The next word up to a blank or the end of the source; its size, 0 if there is none.
static size_t
next_word(const char **at, const char *end, const char **ret_word)
{
    while (*at < end && strchr(blanks, **at))
        (*at)++;
    *ret_word = *at;
    while (*at < end && !strchr(blanks, **at))
        (*at)++;
    return (size_t)(*at - *ret_word);
}

static bool
copy(const char *word, size_t size, char *ret_chars, size_t room)
{
    if (size == 0 || size >= room)
        return false;
    memcpy(ret_chars, word, size);
    ret_chars[size] = '\0';
    return true;
}

static bool
read_address(const char *word, size_t size, struct in_addr *ret_address)
{
    char chars[INET_ADDRSTRLEN];
    return copy(word, size, chars, sizeof chars) && inet_pton(AF_INET, chars, ret_address) == 1;
}

// address or address:port
static bool
read_place(const char *word, size_t size, struct track_source *source)
{
    char digits[6], *end;
    const char *colon = memchr(word, ':', size);
    size_t address_size = colon ? (size_t)(colon - word) : size;
    source->port = DEFAULT_PORT;
    if (colon) {
        if (!copy(colon + 1, size - address_size - 1, digits, sizeof digits) || *digits < '0' ||
            *digits > '9')
            return false;
        unsigned long port = strtoul(digits, &end, 10);
        if (*end || port == 0 || port > UINT16_MAX)
            return false;
        source->port = (uint16_t)port;
    }
    return read_address(word, address_size, &source->address) && source->address.s_addr != 0;
}

static int
hex_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit ? strchr(digits, digit | 0x20) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool
read_scene(const char *word, size_t size, char *ret_scene)
{
    size_t out = 0;
    for (size_t i = 0; i < size; i++, out++) {
        if (out == LIMIT_KEY_BYTES)
            return false;
        ret_scene[out] = word[i];
        if (word[i] != '%')
            continue;
        int high = i + 2 < size ? hex_value(word[i + 1]) : -1,
            low = i + 2 < size ? hex_value(word[i + 2]) : -1;
        if (high < 0 || low < 0 || high + low == 0)
            return false;
        ret_scene[out] = (char)(high * 16 + low);
        i += 2;
    }
    ret_scene[out] = '\0';
    return out > 0;
}

// The keys of objects are generated: 24 hex digits.
static bool
read_object(const char *word, size_t size, char *ret_object)
{
    return copy(word, size, ret_object, TRACK_OBJECT_KEY_SIZE) &&
           size == TRACK_OBJECT_KEY_SIZE - 1 && strspn(ret_object, "0123456789abcdef") == size;
}

static bool
read_senders(const char *word, size_t size, struct track_source *source)
{
    static const char name[] = "from=";
    const char *end = word + size;
    if (size < sizeof name || memcmp(word, name, sizeof name - 1) != 0)
        return false;
    for (const char *at = word + sizeof name - 1; at <= end; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t length = (size_t)((comma ? comma : end) - at);
        if (source->sender_count == TRACK_SENDERS_MOST ||
            !read_address(at, length, &source->senders[source->sender_count++]))
            return false;
        at += length;
    }
    return true;
}

// --- sources ---

static const char *
read_source(const char *at, const char *end, struct track_source *source)
{
    const char *words[WORDS_MOST], *rest;
    size_t sizes[WORDS_MOST];
    for (int i = 0; i < WORDS_MOST; i++)
        sizes[i] = next_word(&at, end, &words[i]);
    if (next_word(&at, end, &rest))
        return "has words behind its senders";
    if (!read_place(words[0], sizes[0], source))
        return "begins with no IPv4 address, or its port is none";
    if (!read_scene(words[1], sizes[1], source->scene))
        return "names no scene behind the address";
    if (!read_object(words[2], sizes[2], source->object))
        return "names no object behind the scene: its key has 24 hex digits";
    if (sizes[3] && !read_senders(words[3], sizes[3], source))
        return "has senders that are not from=ADDRESS,…, at most 8 of them";
    return NULL;
}

static bool
is_blank(const char *at, const char *end)
{
    while (at < end && strchr(blanks, *at))
        at++;
    return at == end;
}

bool
track_source_next(const char **list, struct track_source *ret_source, const char **ret_wrong)
{
    *ret_wrong = NULL;
    while (**list) {
        const char *at = *list, *end = at + strcspn(at, ";");
        *list = *end ? end + 1 : end;
        if (is_blank(at, end))
            continue;
        *ret_source = (struct track_source){0};
        *ret_wrong = read_source(at, end, ret_source);
        return !*ret_wrong;
    }
    return false;
}

bool
track_source_hears(const struct track_source *self, struct in_addr sender)
{
    bool is_heard = self->sender_count == 0;
    for (unsigned i = 0; i < self->sender_count; i++)
        is_heard |= self->senders[i].s_addr == sender.s_addr;
    return is_heard;
}

bool
track_address_is_group(struct in_addr address)
{
    return IN_MULTICAST(ntohl(address.s_addr));
}

static bool
is_loopback(struct in_addr address)
{
    return ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
}

struct in_addr
track_interface_of(const char *interface)
{
    struct in_addr address = {0};
    if (inet_pton(AF_INET, interface, &address) != 1)
        address.s_addr = 0;
    return address;
}

// Whether one datagram could be for both.
static bool
are_confused(const struct track_source *a, const struct track_source *b)
{
    bool is_confused = a->sender_count == 0 || b->sender_count == 0;
    if (a->address.s_addr != b->address.s_addr || a->port != b->port)
        return false;
    for (unsigned i = 0; i < a->sender_count; i++)
        is_confused |= track_source_hears(b, a->senders[i]);
    return is_confused;
}

static const char *
check_source(const struct track_source *sources, unsigned count, struct in_addr interface)
{
    const struct track_source *newest = &sources[count - 1];
    bool is_local =
        is_loopback(track_address_is_group(newest->address) ? interface : newest->address);
    if (!is_local && newest->sender_count == 0)
        return "can be reached from elsewhere, and a datagram has no secret: say from=ADDRESS of "
               "who may send";
    for (unsigned i = 0; i + 1 < count; i++)
        if (are_confused(&sources[i], newest))
            return "has the address, port and sender of an earlier one";
    return NULL;
}

// The sources have room for TRACK_SOURCES_MOST and one more.
static fallible
check_all(const char *list, struct in_addr interface, struct track_source *sources)
{
    const char *wrong;
    unsigned count = 0;
    while (!(count > TRACK_SOURCES_MOST) && track_source_next(&list, &sources[count], &wrong)) {
        const char *why = check_source(sources, ++count, interface);
        if (why)
            return fail(ERR_INVALID, "", "track.opentrackio: source %u %s", count, why);
    }
    if (count > TRACK_SOURCES_MOST)
        return fail(ERR_INVALID, "", "track.opentrackio: there may be %d sources at most",
                    TRACK_SOURCES_MOST);
    if (wrong)
        return fail(ERR_INVALID, "", "track.opentrackio: source %u %s", count + 1, wrong);
    return OK;
}

fallible
track_sources_check(const char *list, const char *interface)
{
    struct track_source *sources = memory_take_zeroed((TRACK_SOURCES_MOST + 1) * sizeof *sources);
    enum error error = check_all(list, track_interface_of(interface), sources);
    free(sources);
    return error;
}
