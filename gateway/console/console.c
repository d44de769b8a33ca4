// console.c - serves the console from memory or from a folder. Any worker thread; all but the
// folder is constant.
#include "gateway/console/console.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gateway/http/entity_tags.h"
#include "gateway/http/media_type.h"

enum { NAME_BYTES = 128, PATH_BYTES = 1024 };

static const char index_name[] = "index.html";
static const char prefix[] = "/console/";

// A page of the console may load what this server serves, and nothing else. blob: is for textures
// inside models; only addresses of our own scripts become workers (the policy `diorama`).
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "media-src 'self' blob:; connect-src 'self' blob:; worker-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types diorama";

void
console_init(struct console *self, bool is_enabled, const char *dir)
{
    *self = (struct console){
        .is_enabled = is_enabled,
        .dir = dir ? dir : "",
        .files = console_files,
        .count = console_files_count,
    };
}

bool
console_is_there(const struct console *self)
{
    return self->is_enabled && (self->count || self->dir[0]);
}

static fallible
check_there(const struct console *self)
{
    if (!self->is_enabled)
        return fail(ERR_NOT_FOUND, "", "the console is switched off (console.enabled)");
    if (!console_is_there(self))
        return fail(ERR_NOT_FOUND, "",
                    "this server was built without its console, because npm or its registry was "
                    "missing; everything else is here, and /docs describes it");
    return OK;
}

// The file that a path names: its only segment behind the prefix, if that can be one of ours.
static bool
name_of(const char *path, char ret_name[NAME_BYTES])
{
    const char *rest = strlen(path) >= sizeof prefix ? path + sizeof prefix - 1 : "";
    size_t size = strspn(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    if (size == 0 || size >= NAME_BYTES || rest[size] != '\0' || rest[0] == '.')
        return false;
    memcpy(ret_name, rest, size + 1);
    return true;
}

static const struct console_file *
find_file(const struct console *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->files[i].name, name) == 0)
            return &self->files[i];
    return NULL;
}

// What every answer of the console has.
static void
answer_as(struct http_answer *answer, const char *name)
{
    answer->media_type = media_type_by_name(name);
    if (strcmp(name, index_name) == 0)
        answer->policy = policy;
}

static fallible
serve_embedded(const struct answer_source *source, const char *name, struct http_answer *answer)
{
    const struct console *self = source->facts->console;
    const struct console_file *file = find_file(self, name);
    if (!file) {
        name = index_name;
        file = find_file(self, name);
    }
    if (!file)
        return fail(ERR_INTERNAL, "", "the console has no index.html");
    answer_as(answer, name);
    answer->is_immutable = answer->is_public = strcmp(name, index_name) != 0;
    enum content_coding coding =
        content_coding_choose(source->acceptance, file->forms[CONTENT_CODING_IDENTITY].size);
    if (file->forms[coding].size == 0)
        coding = CONTENT_CODING_IDENTITY;
    answer->coding = coding == CONTENT_CODING_IDENTITY ? NULL : content_coding_name(coding);
    answer->is_encoded = true;
    snprintf(answer->etag.chars, sizeof answer->etag.chars, "%s", file->hash);
    buffer_put(&answer->body, file->forms[coding].data, file->forms[coding].size);
    return OK;
}

// Appends a file of the folder; false if it cannot be read.
static bool
read_file(const char *dir, const char *name, struct buffer *out)
{
    char path[PATH_BYTES], piece[PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return false;
    size_t size;
    while ((size = fread(piece, 1, sizeof piece, file)) > 0)
        buffer_put(out, piece, size);
    bool is_whole = !ferror(file); // a folder opens, but cannot be read
    fclose(file);
    return is_whole;
}

static fallible
serve_folder(const char *dir, const char *name, struct http_answer *answer)
{
    if (!read_file(dir, name, &answer->body)) {
        name = index_name;
        answer->body.size = HTTP_HEAD_ROOM;
        if (!read_file(dir, name, &answer->body))
            return fail(ERR_NOT_FOUND, "", "console.dir has no index.html");
    }
    answer_as(answer, name);
    return OK;
}

fallible
console_serve(const struct answer_source *source, struct http_answer *answer)
{
    const struct console *self = source->facts->console;
    char name[NAME_BYTES];
    TRY(check_there(self));
    if (!name_of(source->request->path, name))
        snprintf(name, sizeof name, "%s", index_name);
    return self->dir[0] ? serve_folder(self->dir, name, answer)
                        : serve_embedded(source, name, answer);
}

// Browsers name HTML before everything else when somebody opens a page.
static bool
prefers_html(const struct http_request *request)
{
    const char *accept = http_header(request, "Accept");
    return accept && strncasecmp(accept, "text/html", 9) == 0;
}

fallible
console_redirect(const struct answer_source *source, struct http_answer *answer)
{
    if (!console_is_there(source->facts->console) || !prefers_html(source->request))
        return fail(ERR_NOT_FOUND, "", "there is nothing at this path; see /docs");
    answer->status = 302;
    answer->media_type = NULL;
    buffer_put_chars(&answer->location, prefix);
    return OK;
}
