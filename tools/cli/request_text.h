// request_text.h - path and body of the request that a row of the table stands for.
#ifndef DIORAMA_TOOLS_CLI_REQUEST_TEXT_H
#define DIORAMA_TOOLS_CLI_REQUEST_TEXT_H

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "tools/cli/options.h"
#include "tools/cli/verbs.h"

// What the arguments said of a request.
struct request_values {
    const char *operands[VERB_OPERANDS_MAX]; // in the order of the path
    struct option_texts members;             // NAME=VALUE
    const char *file;                        // JSON to begin with, "-" = standard input; "" = none
    const char *password;                    // of the record, or NULL
    const char *device;                      // whose lock permits it; "" = nobody's
    const char *convention;                  // of transforms, sent and shown; "" = the scenes'
    int64_t limit, start;                    // of a paged answer; 0 = the server's
};

// Appends the path with its operands and parameters, percent-encoded, without a NUL.
void request_put_path(struct buffer *out, const struct verb *verb,
                      const struct request_values *values);

// Appends the body. The file holds a record, which the members overwrite; or an array of records,
// where the row takes several, and the members overwrite each; or the whole body, without members.
// Fails with ERR_INVALID, or as file_text_read does.
fallible request_put_body(struct buffer *out, const struct verb *verb,
                          const struct request_values *values);

#endif
