// console_file.h - one embedded file in all codings. The build writes the table
// (tools/console/build).
#ifndef DIORAMA_GATEWAY_CONSOLE_CONSOLE_FILE_H
#define DIORAMA_GATEWAY_CONSOLE_CONSOLE_FILE_H

#include "gateway/http/content_coding.h"

struct console_file {
    const char *name; // without folders
    const char *hash; // of its content, in hex
    struct {
        const void *data;
        size_t size; // bytes; 0: there is no such form
    } forms[CONTENT_CODING_COUNT];
};

extern const struct console_file console_files[];
extern const size_t console_files_count;

#endif
