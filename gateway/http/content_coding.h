// content_coding.h - which content coding an answer gets (RFC 9110, 8.4 and 12.5.3). Pure.
#ifndef DIORAMA_GATEWAY_HTTP_CONTENT_CODING_H
#define DIORAMA_GATEWAY_HTTP_CONTENT_CODING_H

#include <stdbool.h>
#include <stddef.h>

// In the order of our preference: zstd needs a third of the time of gzip for the same size.
enum content_coding {
    CONTENT_CODING_ZSTD,
    CONTENT_CODING_GZIP,
    CONTENT_CODING_IDENTITY,
    CONTENT_CODING_COUNT
};

enum { CONTENT_CODING_SMALLEST = 1024 }; // bytes; smaller bodies are not compressed

// What a client accepts: a weight of each coding in thousandths, 0 = not at all.
struct acceptance {
    int weights[CONTENT_CODING_COUNT];
};

// Reads Accept-Encoding; NULL = no such header, which accepts identity. Members that are no coding
// with a weight are ignored.
void content_coding_accept(const char *accept_encoding, struct acceptance *ret_acceptance);

// The coding for a body of `size` bytes. Identity if the client accepts none: an answer that it may
// be able to read is better than none.
enum content_coding content_coding_choose(const struct acceptance *self, size_t size);

const char *content_coding_name(enum content_coding coding);

// Reads a name of `size` bytes; false if it is none of ours.
bool content_coding_from(const char *name, size_t size, enum content_coding *ret_coding);

#endif
