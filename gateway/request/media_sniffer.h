// media_sniffer.h - what kind of file bytes are: by their first bytes (libmagic) and by the end of
// their name. What nobody knows is application/octet-stream.
#ifndef DIORAMA_GATEWAY_REQUEST_MEDIA_SNIFFER_H
#define DIORAMA_GATEWAY_REQUEST_MEDIA_SNIFFER_H

#include <stdbool.h>
#include <stddef.h>

enum { SNIFF_TYPE_SIZE = 128, SNIFF_EXTENSION_SIZE = 32 };

struct sniffed {
    char media_type[SNIFF_TYPE_SIZE];
    char extension[SNIFF_EXTENSION_SIZE]; // without its dot; "" = unknown
};

// `extension` is that of the file's name, "" where it has none. Any thread; may take some
// milliseconds.
void media_sniff(const void *head, size_t size, const char *extension, struct sniffed *ret);

#endif
