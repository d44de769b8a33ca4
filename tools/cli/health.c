// health.c - `diorama health`: tells supervisors by an exit code whether a server is ready.
#include <stdio.h>

#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"

struct health_values {
    struct connection_values connection;
};

// clang-format off
static const struct option_row rows[] = {
    CONNECTION_URL (struct health_values, connection),
    CONNECTION_PROFILE (struct health_values, connection),
};
// clang-format on

static enum outcome
health_run(const void *untyped)
{
    const struct health_values *values = untyped;
    owned(http_client_destroy) http_client_t *http = NULL;
    owned(buffer_finish) struct buffer path = {0};
    const struct json *answer;
    buffer_put_chars(&path, "/readyz");
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("health", error);
    error = http_client_call(http, "GET", &path, NULL, &answer);
    if (error != OK)
        return command_failed("health", error, OUTCOME_FAILED);
    printf("%s\n", json_value_chars(answer, "status", "ready"));
    return OUTCOME_DONE;
}

const struct command health_command = {
    .name = "health",
    .about = "Tell whether a server is ready: exit code 0, or 1 with the reason.",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct health_values),
    .run = health_run,
};
