// example_page.h - the page of tools/examples/moving as answers: /docs/moving.html and what
// it loads.
#ifndef DIORAMA_GATEWAY_DOCS_EXAMPLE_PAGE_H
#define DIORAMA_GATEWAY_DOCS_EXAMPLE_PAGE_H

#include "gateway/reply/answer.h"

// An embedded file. The build writes the table (gateway/docs/embed.cmake).
struct example_file {
    const char *name;
    const unsigned char *data;
    size_t size; // bytes
};

extern const struct example_file example_files[];
extern const size_t example_files_count;

// Answers a path below /docs/ with the file that it names. Fails with ERR_NOT_FOUND.
fallible example_page_serve(const struct answer_source *source, struct http_answer *answer);

#endif
