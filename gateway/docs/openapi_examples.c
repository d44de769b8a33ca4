// openapi_examples.c - looks for a line of examples.txt: operation, part and JSON, with a space
// between them. Lines that begin with # say something about the file.
#include "gateway/docs/openapi_examples.h"

#include <string.h>

#include "gateway/docs/embedded_file.h"
#include "proto/base/owned.h"
#include "proto/codec/json_write.h"

struct openapi_example
openapi_examples_find(const char *id, const char *part)
{
    const char *lines = (const char *)example_files[0].data, *end = lines + example_files[0].size;
    owned(buffer_finish) struct buffer start = {0};
    buffer_put_format(&start, "\n%s %s ", id, part);
    const char *line = memmem(lines, (size_t)(end - lines), start.data, start.size);
    if (!line)
        return (struct openapi_example){0};
    const char *json = line + start.size, *stop = memchr(json, '\n', (size_t)(end - json));
    return (struct openapi_example){json, (size_t)((stop ? stop : end) - json)};
}

void
openapi_examples_put(const char *id, const char *part, struct buffer *out)
{
    const struct openapi_example example = openapi_examples_find(id, part);
    if (!example.size)
        return;
    json_write_value_begin(out, "example");
    buffer_put(out, example.json, example.size);
}
