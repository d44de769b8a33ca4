// user_export.c - `diorama user export`: page after page of each part of what a server stores about
// a user, written as it comes, so that neither side holds all of it.
#include "tools/cli/user_export.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/file_text.h"
#include "tools/cli/json_value.h"

enum { PAGE = 500 };

struct export_values {
    struct connection_values connection;
    const char *user;
    const char *out;
};

// A part of the document: its name, the end of its path, and the member of an item that the next
// page begins behind.
static const struct part {
    const char *name, *path, *cursor;
} parts[] = {
    {"account", "", "place"},
    {"scenes", "/scenes", "place"},
    {"library", "/library", "place"},
    {"audit", "/audit", "number"},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct export_values, user, "USER", NULL,   NULL, "Id of the account.", .is_operand = true),
    OPTION (struct export_values, out,  "out",  "FILE", "-",  "File that gets the document; - = standard output."),
    CONNECTION_URL (struct export_values, connection),
    CONNECTION_PROFILE (struct export_values, connection),
};
// clang-format on

static const char more[] =
    "For administrators, and for users about themselves. Prints one JSON document: account (with\n"
    "limits, device keys and sessions), scenes (owned ones; registrations and corrections in "
    "any),\n"
    "library (assets, collections, projects, relationships) and audit. What is in a scene and the\n"
    "bytes of assets are not in it: diorama object query, diorama asset download.\n";

struct writing {
    const struct export_values *values;
    http_client_t *http;
    FILE *out;
};

static void
put_json(FILE *out, const struct json *json)
{
    owned(buffer_finish) struct buffer text = {0};
    json_value_put(&text, json);
    fwrite(text.data, 1, text.size, out);
}

static void
take_cursor(const struct part *part, const struct json *item, struct buffer *cursor)
{
    uint64_t number = json_value_unsigned(item, part->cursor, 0);
    buffer_clear(cursor);
    if (number)
        buffer_put_format(cursor, "%" PRIu64, number);
    else
        buffer_put_chars(cursor, json_value_chars(item, part->cursor, ""));
    buffer_put_char(cursor, '\0');
}

// Writes the next page of the part, and tells how many items it had.
static fallible
write_page(struct writing *self, const struct part *part, struct buffer *cursor, bool is_first,
           uint32_t *ret_count)
{
    owned(buffer_finish) struct buffer path = {0};
    const struct json *page;
    buffer_put_chars(&path, "/v1/users/");
    http_client_escape(&path, self->values->user);
    buffer_put_format(&path, "/export%s?num_records=%d", part->path, PAGE);
    if (!is_first) {
        buffer_put_chars(&path, "&after=");
        http_client_escape(&path, cursor->data);
    }
    TRY(http_client_call(self->http, "GET", &path, NULL, &page));
    if (!page || page->type != JSON_ARRAY)
        return fail(ERR_MALFORMED, "", "the answer is no list");
    for (uint32_t i = 0; i < page->count; i++) {
        fputs(i || !is_first ? ",\n" : "\n", self->out);
        put_json(self->out, &page->items[i]);
    }
    if (page->count)
        take_cursor(part, &page->items[page->count - 1], cursor);
    *ret_count = page->count;
    return OK;
}

// A page may be short because its records are large: only an empty one is the end.
static fallible
write_part(struct writing *self, const struct part *part)
{
    owned(buffer_finish) struct buffer cursor = {0};
    bool is_first = true;
    uint32_t count;
    do {
        TRY(write_page(self, part, &cursor, is_first, &count));
        is_first = false;
    } while (count && !ferror(self->out));
    return OK;
}

static fallible
write_document(struct writing *self)
{
    owned(buffer_finish) struct buffer user = {0};
    json_value_put_chars(&user, self->values->user);
    fprintf(self->out, "{\"user\":%.*s", (int)user.size, user.data);
    for (size_t i = 0; i < PARTS; i++) {
        fprintf(self->out, ",\n\"%s\":[", parts[i].name);
        TRY(write_part(self, &parts[i]));
        fputc(']', self->out);
    }
    fputs("}\n", self->out);
    return OK;
}

// An incomplete file that only its owner may read; NULL with errno set.
static FILE *
open_part(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return file < 0 ? NULL : fdopen(file, "w");
}

static bool
close_out(FILE *out)
{
    bool is_written = fflush(out) == 0 && !ferror(out);
    if (out != stdout)
        is_written = fclose(out) == 0 && is_written;
    return is_written;
}

static enum outcome
write_to(struct writing *self, const char *path)
{
    if (!self->out)
        return command_failed("user export", file_text_failed(path), OUTCOME_FILE);
    enum error error = write_document(self);
    bool is_written = close_out(self->out);
    if (error != OK)
        return command_refused("user export", error);
    return is_written ? OUTCOME_DONE
                      : command_failed("user export", file_text_failed(path), OUTCOME_FILE);
}

// The file appears when it is complete.
static enum outcome
write_file(struct writing *self)
{
    owned(buffer_finish) struct buffer part = {0};
    buffer_put_format(&part, "%s.part%c", self->values->out, '\0');
    self->out = open_part(part.data);
    enum outcome outcome = write_to(self, part.data);
    if (outcome == OUTCOME_DONE && rename(part.data, self->values->out) != 0)
        outcome = command_failed("user export", file_text_failed(self->values->out), OUTCOME_FILE);
    if (outcome != OUTCOME_DONE)
        unlink(part.data);
    return outcome;
}

static enum outcome
export_run(const void *untyped)
{
    const struct export_values *values = untyped;
    owned(http_client_destroy) http_client_t *http = NULL;
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("user export", error);
    struct writing writing = {.values = values, .http = http, .out = stdout};
    return strcmp(values->out, "-") == 0 ? write_to(&writing, "standard output")
                                         : write_file(&writing);
}

const struct command user_export_command = {
    .name = "user export",
    .about = "Write everything that is stored about an account, as one JSON document.",
    .more = more,
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct export_values),
    .run = export_run,
};
