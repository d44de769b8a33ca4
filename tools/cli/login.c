// login.c - `diorama login` and `diorama logout`: puts a token into the profile and removes it.
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"
#include "tools/cli/password.h"

struct login_values {
    struct connection_values connection;
    const char *username;
    const char *password_file;
};

struct logout_values {
    struct connection_values connection;
};

// clang-format off
static const struct option_row login_rows[] = {
    OPTION (struct login_values, username,      "USERNAME",      NULL,   "", "Account to log in [the profile's].", .is_operand = true),
    OPTION (struct login_values, password_file, "password-file", "FILE", "", "File whose first line is the password; - = standard input."),
    CONNECTION_URL (struct login_values, connection),
    CONNECTION_PROFILE (struct login_values, connection),
};
static const struct option_row logout_rows[] = {
    CONNECTION_URL (struct logout_values, connection),
    CONNECTION_PROFILE (struct logout_values, connection),
};
// clang-format on

static const char login_more[] =
    "Asks for the password without echo; if standard input is no terminal, its first line is the\n"
    "password. The token is stored in the profile, which is created if needed. Every other "
    "command\n"
    "sends it from there, only to the profile's URL.\n";

// Finds the profile for the token; creates it if absent.
static fallible
take_profile(struct connection *connection)
{
    if (connection->profile && strcmp(connection->profile->url, connection->url) == 0)
        return OK;
    if (connection->profile)
        return fail(ERR_INVALID, "", "profile %s is for %s; add another with diorama profile add",
                    connection->profile_name, connection->profile->url);
    const struct profile profile = {connection->profile_name, connection->url, "", ""};
    TRY(profiles_add(&connection->profiles, &profile));
    connection->profile = profiles_find(&connection->profiles, connection->profile_name);
    return OK;
}

// {"username":…,"password":…}
static fallible
put_body(struct buffer *body, const struct login_values *values, const struct profile *profile)
{
    owned(password_finish) struct buffer password = {0};
    if (!profile->username[0])
        return fail(ERR_INVALID, "", "USERNAME: must be given");
    TRY(password_read(values->password_file, false, &password));
    buffer_put_chars(body, "{\"username\":");
    json_value_put_chars(body, profile->username);
    buffer_put_chars(body, ",\"password\":");
    json_value_put_chars(body, password.data);
    buffer_put_char(body, '}');
    return OK;
}

static fallible
log_in(const char *url, const struct buffer *body, struct arena *arena, const char **ret_token)
{
    owned(buffer_finish) struct buffer path = {0};
    static const char scheme[] = "Bearer ";
    owned(http_client_destroy) http_client_t *http = http_client_create(url);
    buffer_put_chars(&path, "/v1/login");
    TRY(http_client_call(http, "POST", &path, body, NULL));
    const char *header = http_client_header(http, "Authorization");
    if (strncmp(header, scheme, strlen(scheme)) != 0)
        return fail(ERR_MALFORMED, "", "the server sent no token");
    *ret_token = arena_copy(arena, header + strlen(scheme), strlen(header) - strlen(scheme) + 1);
    return OK;
}

static enum outcome
login_run(const void *untyped)
{
    const struct login_values *values = untyped;
    owned(connection_finish) struct connection connection = {0};
    owned(password_finish) struct buffer body = {0};
    enum error error = connection_find(&values->connection, true, &connection);
    if (error == OK)
        error = take_profile(&connection);
    if (error == OK && values->username[0])
        connection.profile->username = values->username;
    if (error == OK)
        error = put_body(&body, values, connection.profile);
    if (error != OK)
        return connection_failed("login", error);
    error = log_in(connection.url, &body, &connection.profiles.arena, &connection.profile->token);
    if (error != OK)
        return command_refused("login", error);
    error = profiles_write(&connection.profiles);
    if (error != OK)
        return command_failed("login", error, OUTCOME_FILE);
    fprintf(stderr, "login: %s at %s, profile %s\n", connection.profile->username, connection.url,
            connection.profile_name);
    return OUTCOME_DONE;
}

// Ends the session at the server. A session that has ended already is no error.
static fallible
log_out(const struct connection *connection)
{
    owned(buffer_finish) struct buffer path = {0};
    owned(http_client_destroy) http_client_t *http = http_client_create(connection->url);
    buffer_put_chars(&path, "/v1/logout");
    http_client_authorize(http, connection->token);
    enum error error = http_client_call(http, "POST", &path, NULL, NULL);
    return error == ERR_UNAUTHENTICATED ? OK : error;
}

static enum outcome
logout_run(const void *untyped)
{
    const struct logout_values *values = untyped;
    owned(connection_finish) struct connection connection = {0};
    enum error error = connection_find(&values->connection, false, &connection);
    if (error == OK && !connection.token[0])
        error = fail(ERR_INVALID, "", "nobody is logged in at %s", connection.url);
    if (error != OK)
        return connection_failed("logout", error);
    error = log_out(&connection);
    if (error != OK)
        return command_refused("logout", error);
    if (!connection.profile || strcmp(connection.profile->token, connection.token) != 0)
        return OUTCOME_DONE; // the token came from the environment
    connection.profile->token = "";
    error = profiles_write(&connection.profiles);
    return error == OK ? OUTCOME_DONE : command_failed("logout", error, OUTCOME_FILE);
}

const struct command login_command = {
    .name = "login",
    .about = "Log in; the profile keeps the token.",
    .more = login_more,
    .options = login_rows,
    .option_count = sizeof login_rows / sizeof login_rows[0],
    .values_size = sizeof(struct login_values),
    .run = login_run,
};

const struct command logout_command = {
    .name = "logout",
    .about = "End the session and forget its token.",
    .options = logout_rows,
    .option_count = sizeof logout_rows / sizeof logout_rows[0],
    .values_size = sizeof(struct logout_values),
    .run = logout_run,
};
