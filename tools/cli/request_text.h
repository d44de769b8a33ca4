// request_text.h - path and body of a verb's request.
#ifndef DIORAMA_TOOLS_CLI_REQUEST_TEXT_H
#define DIORAMA_TOOLS_CLI_REQUEST_TEXT_H

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "tools/cli/options.h"
#include "tools/cli/verbs.h"

// What the arguments say about a request.
struct request_values {
    const char *operands[VERB_OPERANDS_MAX]; // in the order of the path
    struct option_texts members;             // NAME=VALUE
    const char *file;                        // JSON to start from, "-" = standard input; "" = none
    const char *password;                    // of the record, or NULL
    const char *device;                      // holder of the lock; "" = none
    const char *convention;                  // of the transforms sent and shown; "" = as stored
    const char *form;                        // of poses, besides; "" = none
    bool lenient;                            // take what is probably not meant, as old clients do
    int64_t limit, start;                    // of a paged answer; 0 = the server's default
};

// Writes "/v1/scene/{scene}/{noun}" over `out`, with "/{key}" where `key` is not NULL.
void request_scene_path(struct buffer *out, const char *scene, const char *noun, const char *key);

// Appends the path with its operands and parameters, percent-encoded, without a NUL.
void request_put_path(struct buffer *out, const struct verb *verb,
                      const struct request_values *values);

// Appends the body. The file holds a record, whose members the arguments overwrite; or an array of
// such records, if the row takes several; or the whole body, which takes no other members. Fails
// with ERR_INVALID, or as file_text_read does.
fallible request_put_body(struct buffer *out, const struct verb *verb,
                          const struct request_values *values);

#endif
