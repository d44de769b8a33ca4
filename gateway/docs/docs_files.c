// docs_files.c - serves the files that are embedded for /docs. Any worker thread; all of it is
// constant.
#include "gateway/docs/docs_files.h"

#include <string.h>

#include "gateway/docs/embedded_file.h"
#include "gateway/http/media_type.h"

enum { PREFIX_SIZE = sizeof "/docs/" - 1 }; // of each path that is served here

const char docs_files_policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

fallible
docs_files_serve(const struct answer_source *source, struct http_answer *answer)
{
    const char *path = source->request->path;
    const char *name = strlen(path) > PREFIX_SIZE ? path + PREFIX_SIZE : "";
    for (size_t i = 0; i < page_files_count; i++) {
        const struct embedded_file *file = &page_files[i];
        if (strcmp(file->name, name) != 0)
            continue;
        answer->media_type = media_type_by_name(name);
        answer->policy = docs_files_policy;
        buffer_put(&answer->body, file->data, file->size);
        return OK;
    }
    return fail(ERR_NOT_FOUND, "", "there is nothing at this path; see /docs");
}
