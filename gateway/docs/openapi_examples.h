// openapi_examples.h - an example of each operation: what was asked, and what was answered. They
// stand in examples.txt, which tests/system/openapi_examples_test.py writes from answers of the
// server and compares with them. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_OPENAPI_EXAMPLES_H
#define DIORAMA_GATEWAY_DOCS_OPENAPI_EXAMPLES_H

#include "proto/base/buffer.h"

// JSON, and how long it is; without a size there is none.
struct openapi_example {
    const char *json;
    size_t size;
};

// A part of the example of the operation `id`, as JSON; empty where it has none. Parts are
// "target" (a text without escapes), "request", "answer", and "path.NAME" and "query.NAME" of
// parameters. An alias has no example of its own.
struct openapi_example openapi_examples_find(const char *id, const char *part);

// Writes the member `example`, where there is that part.
void openapi_examples_put(const char *id, const char *part, struct buffer *out);

#endif
