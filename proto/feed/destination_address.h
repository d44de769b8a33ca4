// destination_address.h - which addresses may be sent to, and which are proven. Pure: any thread.
#ifndef DIORAMA_PROTO_FEED_DESTINATION_ADDRESS_H
#define DIORAMA_PROTO_FEED_DESTINATION_ADDRESS_H

#include <stdbool.h>

enum { DESTINATION_ADDRESS_SIZE = 46 }; // of a numeric address as text, with its NUL

// A numeric address; IPv4-mapped IPv6 has become IPv4.
struct destination_address {
    int family;
    unsigned char bytes[16];
};

// Reads a dotted quad or the form of RFC 4291; false if the text is neither.
bool destination_address_read(const char *text, struct destination_address *ret_literal);

// Why nothing may be sent to the address ("a multicast address"); NULL if it is allowed. Loopback
// is open to peers that are on loopback themselves.
const char *destination_address_refusal(const struct destination_address *literal,
                                        bool peer_is_loopback);

// Whether anything may be sent to an address, depending on whether the peer is on loopback.
// IPv4-mapped IPv6 counts as IPv4.
bool destination_address_allowed(const char *address, bool peer_is_loopback);

// Whether the address is proven to want datagrams: it is that of the TCP peer who registered, or it
// is in one of `trusted_networks` (comma-separated CIDR). An address that is not proven gets no
// event.
bool destination_address_is_proven(const char *address, const char *peer,
                                   const char *trusted_networks);

#endif
