// origin.c - the part of an address by which it is limited (origin.h). Pure.
#include "proto/base/origin.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "proto/base/chars.h"

enum { PREFIX_BYTES = 8 };

void
origin_of(const char *peer, char ret_origin[ORIGIN_SIZE])
{
    unsigned char address[sizeof(struct in6_addr)];
    chars_copy(ret_origin, ORIGIN_SIZE, peer);
    if (!strchr(peer, ':') || inet_pton(AF_INET6, peer, address) != 1)
        return;
    for (int i = 0; i < PREFIX_BYTES; i++)
        snprintf(ret_origin + 2 * i, 3, "%02x", address[i]);
}
