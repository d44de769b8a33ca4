// embedded_file.h - files of the repository that the server has in itself (embed.cmake).
#ifndef DIORAMA_GATEWAY_DOCS_EMBEDDED_FILE_H
#define DIORAMA_GATEWAY_DOCS_EMBEDDED_FILE_H

#include <stddef.h>

struct embedded_file {
    const char *name; // without a folder
    const unsigned char *data;
    size_t size;
};

// The page of tools/examples/moving and what it loads; the script of /docs.
extern const struct embedded_file page_files[];
extern const size_t page_files_count;

// What was asked and answered, by operation (openapi_examples.h).
extern const struct embedded_file example_files[];
extern const size_t example_files_count;

#endif
