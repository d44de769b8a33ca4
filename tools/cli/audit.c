// audit.c - `diorama audit`: shows the lines of a server's audit log, or of a folder with its
// files, and checks that none was changed or taken away.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/owned.h"
#include "proto/base/token.h"
#include "proto/message/audit_reader.h"
#include "tools/cli/audit_chain.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"
#include "tools/cli/terminal_text.h"

enum { PAGE = 1000 };

struct audit_values {
    struct connection_values connection;
    const char *folder;
    const char *user, *operation, *key, *class, *after;
    bool json, check;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct audit_values, folder,    "FOLDER",    NULL,   "", "Read the files in this folder (data.dir/audit, a copy) instead of asking a server.", .is_operand = true),
    OPTION (struct audit_values, user,      "user",      "ID",   "", "Only what this user did."),
    OPTION (struct audit_values, operation, "operation", "NAME", "", "Only this: login, scene_delete, user_promote …"),
    OPTION (struct audit_values, key,       "key",       "KEY",  "", "Only what was done to this."),
    OPTION (struct audit_values, class,     "class",     "NAME", "", "Only these: security, failures or writes."),
    OPTION (struct audit_values, after,     "after",     "WHEN", "", "Only lines after this number, or after this time: 2026-11-22T10:00:00Z."),
    OPTION (struct audit_values, json,      "json",      NULL,   "no", "Print lines as JSON, one each."),
    OPTION (struct audit_values, check,     "check",     NULL,   "no", "Print no lines: only check them."),
    CONNECTION_URL (struct audit_values, connection),
    CONNECTION_PROFILE (struct audit_values, connection),
};
// clang-format on

static const char more[] =
    "Needs an administrator's login. The last lines of the output say, for each class, how many "
    "lines "
    "were read\n"
    "and the hash of the newest: keep it elsewhere to notice later that newer lines were cut off.\n"
    "Exit code 1: a line was changed, added or taken away. Filters do not apply to a FOLDER.\n";

// What is read, and what was read so far.
struct reading {
    const struct audit_values *values;
    struct audit_chain chains[AUDIT_CLASSES];
    uint64_t number; // of the last line
    bool may_skip;   // lines are filtered
};

static void
put_cell(struct buffer *out, const char *chars)
{
    struct buffer cell = {0};
    terminal_text_put(&cell, *chars ? chars : "-");
    buffer_put(out, cell.data, strlen(cell.data));
    buffer_put_char(out, ' ');
    buffer_finish(&cell);
}

static void
print_line(const struct json *line)
{
    static const char *const members[] = {"time", "operation"};
    static const char *const rest[] = {"kind", "key", "user", "address", "request"};
    owned(buffer_finish) struct buffer out = {0};
    buffer_put_format(&out, "%" PRIu64 " ", json_value_unsigned(line, "number", 0));
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        put_cell(&out, json_value_chars(line, members[i], ""));
    buffer_put_format(&out, "%" PRIu64 " ", json_value_unsigned(line, "outcome", 0));
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
        put_cell(&out, json_value_chars(line, rest[i], ""));
    uint64_t count = json_value_unsigned(line, "count", 0);
    if (count)
        buffer_put_format(&out, "x%" PRIu64 " ", count);
    printf("%.*s\n", (int)out.size - 1, out.data);
}

static fallible
take_line(struct reading *self, enum audit_class class, const struct json *line, const char *hash)
{
    if (self->values->json && !self->values->check) {
        owned(buffer_finish) struct buffer out = {0};
        json_value_put(&out, line);
        printf("%.*s\n", (int)out.size, out.data);
    } else if (!self->values->check) {
        print_line(line);
    }
    self->number = json_value_unsigned(line, "number", 0);
    return audit_chain_add(&self->chains[class], line, hash, self->may_skip);
}

// --- from a server ---

static void
put_param(struct buffer *path, const char *name, const char *value)
{
    if (!*value)
        return;
    buffer_put_format(path, "&%s=", name);
    http_client_escape(path, value);
}

static fallible
ask_page(struct reading *self, http_client_t *http, const char *after, size_t *ret_count)
{
    owned(buffer_finish) struct buffer path = {0};
    const struct json *answer;
    buffer_put_format(&path, "/v1/audit?num_records=%d", PAGE);
    put_param(&path, "user", self->values->user);
    put_param(&path, "operation", self->values->operation);
    put_param(&path, "key", self->values->key);
    put_param(&path, "class", self->values->class);
    put_param(&path, "after", after);
    TRY(http_client_call(http, "GET", &path, NULL, &answer));
    if (!answer || answer->type != JSON_ARRAY)
        return fail(ERR_MALFORMED, "", "the answer is no list");
    for (uint32_t i = 0; i < answer->count; i++) {
        const struct json *line = &answer->items[i];
        TRY(take_line(self, audit_class_named(json_value_chars(line, "class", "")), line,
                      json_value_chars(line, "hash", "")));
    }
    *ret_count = answer->count;
    return OK;
}

static fallible
ask_all(struct reading *self, http_client_t *http)
{
    char after[32] = "";
    size_t count;
    TRY(ask_page(self, http, self->values->after, &count));
    while (count == PAGE) {
        snprintf(after, sizeof after, "%" PRIu64, self->number);
        TRY(ask_page(self, http, after, &count));
    }
    return OK;
}

// --- from files ---

static fallible
read_folder(struct reading *self, const char *folder)
{
    owned(audit_reader_destroy) audit_reader_t *reader = NULL;
    struct audit_text line;
    TRY(audit_reader_create(folder, 0, &reader));
    while (audit_reader_next(reader, &line)) {
        char hash[AUDIT_HASH_SIZE];
        token_digest(line.chars, line.size, NULL, hash, sizeof hash);
        if (!line.json)
            return fail(ERR_MALFORMED, "", "what follows line %" PRIu64 " is no JSON", line.number);
        TRY(take_line(self, line.class, line.json, hash));
    }
    if (audit_reader_is_torn(reader))
        return fail(ERR_MALFORMED, "", "a last line was not written to its end");
    return OK;
}

static void
print_chain(const struct audit_chain *chain, const char *name, bool may_skip)
{
    if (chain->lines)
        fprintf(stderr, "%s: %" PRIu64 " lines, %s; the last is %" PRIu64 " %s\n", name,
                chain->lines, may_skip ? "neighbours fit" : "none changed or missing between them",
                chain->number, chain->hash);
}

static enum outcome
finish(const struct reading *self, enum error error)
{
    fflush(stdout);
    if (error == ERR_CONFLICT || error == ERR_MALFORMED)
        return command_failed("audit", error, OUTCOME_FAILED);
    if (error != OK && *self->values->folder)
        return command_failed("audit", error, OUTCOME_FILE);
    if (error != OK)
        return command_refused("audit", error);
    for (int i = 0; i < AUDIT_CLASSES; i++)
        print_chain(&self->chains[i], audit_class_rows[i].name, self->may_skip);
    return OUTCOME_DONE;
}

static enum outcome
audit_run(const void *untyped)
{
    const struct audit_values *values = untyped;
    struct reading reading = {.values = values,
                              .may_skip = *values->user || *values->operation || *values->key};
    owned(http_client_destroy) http_client_t *http = NULL;
    if (*values->folder)
        return finish(&reading, read_folder(&reading, values->folder));
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("audit", error);
    return finish(&reading, ask_all(&reading, http));
}

const struct command audit_command = {
    .name = "audit",
    .about = "Show who did what, from the audit log, and check that no line was changed.",
    .more = more,
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct audit_values),
    .run = audit_run,
};
