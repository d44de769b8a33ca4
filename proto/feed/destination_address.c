// destination_address.c - compares addresses with the ranges that are denied and with the networks
// that are trusted (destination_address.h).

#include "proto/feed/destination_address.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

// A range of addresses that never gets a datagram.
struct denied_range {
    int family;
    unsigned char prefix[16];
    unsigned bits;
    bool is_loopback; // allowed for peers that are on loopback themselves
    const char *about;
};

// The first row that matches decides, so ::1 stands before ::/96.
// clang-format off
static const struct denied_range denied_ranges[] = {
    {AF_INET,  {0},           8,   false, "an address of this network"},
    {AF_INET,  {127},         8,   true,  "a loopback address"},
    {AF_INET,  {169, 254},    16,  false, "a link-local address"},
    {AF_INET,  {224},         4,   false, "a multicast address"},
    {AF_INET,  {240},         4,   false, "a reserved or broadcast address"},
    {AF_INET6, {[15] = 1},    128, true,  "a loopback address"},
    {AF_INET6, {0},           96,  false, "an unspecified or IPv4-compatible address"},
    {AF_INET6, {0xfe, 0x80},  10,  false, "a link-local address"},
    {AF_INET6, {0xff},        8,   false, "a multicast address"},
};
// clang-format on

bool
destination_address_read(const char *text, struct destination_address *ret_literal)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    struct destination_address literal = {.family = AF_INET};
    if (inet_pton(AF_INET, text, literal.bytes) == 1) {
        *ret_literal = literal;
        return true;
    }
    if (inet_pton(AF_INET6, text, literal.bytes) != 1)
        return false;
    literal.family = AF_INET6;
    *ret_literal = literal;
    if (memcmp(literal.bytes, mapped, sizeof mapped) == 0) {
        *ret_literal = (struct destination_address){.family = AF_INET};
        memcpy(ret_literal->bytes, literal.bytes + sizeof mapped, 4);
    }
    return true;
}

static bool
range_covers(const struct denied_range *row, const struct destination_address *literal)
{
    if (row->family != literal->family)
        return false;
    unsigned whole = row->bits / 8, rest = row->bits % 8;
    if (memcmp(row->prefix, literal->bytes, whole) != 0)
        return false;
    return rest == 0 || ((row->prefix[whole] ^ literal->bytes[whole]) >> (8 - rest)) == 0;
}

const char *
destination_address_refusal(const struct destination_address *literal, bool peer_is_loopback)
{
    for (size_t i = 0; i < sizeof denied_ranges / sizeof denied_ranges[0]; i++)
        if (range_covers(&denied_ranges[i], literal))
            return denied_ranges[i].is_loopback && peer_is_loopback ? NULL : denied_ranges[i].about;
    return NULL;
}

bool
destination_address_allowed(const char *address, bool peer_is_loopback)
{
    struct destination_address literal;
    return destination_address_read(address, &literal) &&
           !destination_address_refusal(&literal, peer_is_loopback);
}

static bool
prefix_covers(const struct destination_address *network, unsigned bits,
              const struct destination_address *literal)
{
    struct denied_range row = {.family = network->family, .bits = bits};
    memcpy(row.prefix, network->bytes, sizeof row.prefix);
    return range_covers(&row, literal);
}

// Whether one `address/bits` of the list covers the literal. The settings were checked at the
// start.
static bool
network_covers(const char *network, size_t size, const struct destination_address *literal)
{
    char text[DESTINATION_ADDRESS_SIZE + sizeof "/128"];
    struct destination_address base;
    if (size >= sizeof text)
        return false;
    memcpy(text, network, size);
    text[size] = '\0';
    char *slash = strchr(text, '/');
    if (slash)
        *slash = '\0';
    if (!destination_address_read(text, &base))
        return false;
    unsigned all = base.family == AF_INET ? 32 : 128;
    unsigned long bits = slash ? strtoul(slash + 1, NULL, 10) : all;
    return bits <= all && prefix_covers(&base, (unsigned)bits, literal);
}

bool
destination_address_is_proven(const char *address, const char *peer, const char *trusted_networks)
{
    struct destination_address literal, peer_literal;
    if (!destination_address_read(address, &literal))
        return false;
    if (destination_address_read(peer, &peer_literal) && literal.family == peer_literal.family &&
        memcmp(literal.bytes, peer_literal.bytes, sizeof literal.bytes) == 0)
        return true;
    const char *network = trusted_networks;
    while (*network) {
        network += strspn(network, ", ");
        size_t size = strcspn(network, ", ");
        if (size && network_covers(network, size, &literal))
            return true;
        network += size;
    }
    return false;
}
