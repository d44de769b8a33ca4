// docs_files.h - the files below /docs/ as answers: the script of the page, and the page of
// tools/examples/moving with what it loads.
#ifndef DIORAMA_GATEWAY_DOCS_DOCS_FILES_H
#define DIORAMA_GATEWAY_DOCS_DOCS_FILES_H

#include "gateway/reply/answer.h"

// The Content-Security-Policy of these pages and of /docs: what this server serves, and nothing
// else.
extern const char docs_files_policy[];

// Answers a path below /docs/ with the file that it names. Fails with ERR_NOT_FOUND.
fallible docs_files_serve(const struct answer_source *source, struct http_answer *answer);

#endif
