// origin.c - the part of an address by which it is limited (origin.h). Pure.
#include "proto/base/origin.h"

#include <arpa/inet.h>
#include <stdio.h>

enum { PREFIX_BYTES = 8 };

void
origin_of(const char *peer, char ret_origin[ORIGIN_SIZE])
{
    unsigned char address[sizeof(struct in6_addr)];
    snprintf(ret_origin, ORIGIN_SIZE, "%s", peer);
    if (inet_pton(AF_INET6, peer, address) != 1)
        return;
    for (int i = 0; i < PREFIX_BYTES; i++)
        snprintf(ret_origin + 2 * i, 3, "%02x", address[i]);
}
