// origin.h - where a peer comes from, as far as limits by address need to know. Pure.
#ifndef DIORAMA_PROTO_BASE_ORIGIN_H
#define DIORAMA_PROTO_BASE_ORIGIN_H

enum { ORIGIN_SIZE = 64 };

// Writes the numeric address of `peer`; of an IPv6 address the first 64 bits alone, which is what
// one customer of a provider gets. Another text is copied.
void origin_of(const char *peer, char ret_origin[ORIGIN_SIZE]);

#endif
