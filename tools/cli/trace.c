// trace.c - `diorama trace`: what is known of one request: the lines of the audit log that name it,
// and those of a log of the server.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"
#include "tools/cli/sheet.h"
#include "tools/cli/terminal_text.h"

struct trace_options {
    struct connection_values connection;
    const char *request, *log;
};

// clang-format off
static const struct option_row options[] = {
    OPTION (struct trace_options, request, "REQUEST-ID", NULL, NULL, "The X-Request-Id of its answer; `request_id` of an error.", .is_operand = true),
    OPTION (struct trace_options, log,     "log",  "FILE", "", "Look into this log of the server too; - is standard input."),
    CONNECTION_URL (struct trace_options, connection),
    CONNECTION_PROFILE (struct trace_options, connection),
};

static const char *const columns[] = {"time", "operation", "outcome", "kind", "key", "user", "address"};
// clang-format on

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void
add_line(struct sheet *sheet, const struct json *line)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        char outcome[24];
        const char *cell = json_value_chars(line, columns[i], "");
        if (strcmp(columns[i], "outcome") == 0) {
            snprintf(outcome, sizeof outcome, "%" PRIu64, json_value_unsigned(line, "outcome", 0));
            cell = outcome;
        }
        sheet_add(sheet, cell, strlen(cell));
    }
}

// The lines of the audit log, as a table.
static fallible
show_audit(const struct trace_options *values, http_client_t *http, size_t *ret_found)
{
    owned(buffer_finish) struct buffer path = {0};
    owned(sheet_finish) struct sheet sheet = {.columns = COLUMNS};
    const struct json *answer;
    buffer_put_chars(&path, "/v1/audit?request=");
    http_client_escape(&path, values->request);
    TRY(http_client_call(http, "GET", &path, NULL, &answer));
    *ret_found = answer && answer->type == JSON_ARRAY ? answer->count : 0;
    if (*ret_found == 0)
        return OK;
    for (size_t i = 0; i < COLUMNS; i++)
        sheet_add(&sheet, columns[i], strlen(columns[i]));
    for (uint32_t i = 0; i < answer->count; i++)
        add_line(&sheet, &answer->items[i]);
    sheet_print(&sheet, stdout);
    return OK;
}

// Whether the line has the id, as the server writes it in text and in JSON (log.format).
static bool
names(const char *line, const char *request)
{
    static const struct {
        const char *before, *after; // the id: these characters, and one of those
    } forms[] = {{" id=", " \r\n"}, {"\"id\":\"", "\""}};
    size_t size = strlen(request);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        for (const char *at = line; (at = strstr(at, forms[i].before)) != NULL; at++) {
            const char *id = at + strlen(forms[i].before);
            if (strncmp(id, request, size) == 0 && strchr(forms[i].after, id[size]))
                return true;
        }
    }
    return false;
}

static fallible
show_log(const struct trace_options *values, size_t *found)
{
    bool is_input = strcmp(values->log, "-") == 0;
    FILE *log = is_input ? stdin : fopen(values->log, "re");
    char *line = NULL;
    size_t capacity = 0;
    if (!log)
        return fail(ERR_INVALID, "", "%s: %s", values->log, strerror(errno));
    while (getline(&line, &capacity, log) >= 0) {
        if (!names(line, values->request))
            continue;
        owned(buffer_finish) struct buffer clean = {0};
        line[strcspn(line, "\r\n")] = '\0';
        terminal_text_put(&clean, line);
        printf("%s\n", clean.data);
        ++*found;
    }
    free(line);
    if (!is_input)
        fclose(log);
    return OK;
}

static enum outcome
trace_run(const void *untyped)
{
    const struct trace_options *values = untyped;
    owned(http_client_destroy) http_client_t *http = NULL;
    size_t found = 0;
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("trace", error);
    error = show_audit(values, http, &found);
    if (error != OK)
        return command_refused("trace", error);
    error = *values->log ? show_log(values, &found) : OK;
    if (error != OK)
        return command_failed("trace", error, OUTCOME_FILE);
    if (found > 0)
        return OUTCOME_DONE;
    error = fail(ERR_NOT_FOUND, "",
                 "nothing is known of %s; reads are logged with log.level=debug alone",
                 values->request);
    return command_failed("trace", error, OUTCOME_FAILED);
}

const struct command trace_command = {
    .name = "trace",
    .about = "Tell what is known of a request: who did what to what, and how it ended.",
    .more = "Needs an administrator's login, where users are enabled. The audit log has logins, "
            "failures and changes;\n"
            "of failures that were counted together it names the first and the last. A failure of "
            "the server (5xx) has\n"
            "its reason in the server's own log.\n",
    .examples = "trace 1f3a9c04-2b\n"
                "trace 1f3a9c04-2b --log=diorama.log\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct trace_options),
    .run = trace_run,
};
