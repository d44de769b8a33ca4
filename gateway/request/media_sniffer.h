// media_sniffer.h - finds the media type of a file by its first bytes (libmagic) and the end of its
// name. An unknown one is application/octet-stream.
#ifndef DIORAMA_GATEWAY_REQUEST_MEDIA_SNIFFER_H
#define DIORAMA_GATEWAY_REQUEST_MEDIA_SNIFFER_H

#include <stdbool.h>
#include <stddef.h>

enum { SNIFF_TYPE_SIZE = 128, SNIFF_EXTENSION_SIZE = 32 };

struct sniffed {
    char media_type[SNIFF_TYPE_SIZE];
    char extension[SNIFF_EXTENSION_SIZE]; // without its dot; "" = unknown
};

// `extension` is that of the file's name, "" if it has none; then `ret` may know another one. Any
// thread; waits as long as magic_pool_ask does.
void media_sniff(const void *head, size_t size, const char *extension, struct sniffed *ret);

#endif
