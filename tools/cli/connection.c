// connection.c - finds server and token: options win over environment, profile and defaults.
#include "tools/cli/connection.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/owned.h"

static const char default_url[] = "http://127.0.0.1:8080";

// The value of the option, else of the variable of the environment, else "".
static const char *
given(const char *option, const char *variable)
{
    const char *value = getenv(variable);
    if (option[0])
        return option;
    return value ? value : "";
}

static fallible
find_profile(struct connection *self, const char *wanted, bool may_be_new)
{
    const char *name = wanted[0] ? wanted : self->profiles.current;
    self->profile_name = name ? name : "default";
    self->profile = name ? profiles_find(&self->profiles, name) : NULL;
    if (wanted[0] && !self->profile && !may_be_new)
        return fail(ERR_INVALID, "", "there is no profile %s; make one with diorama profile add",
                    wanted);
    return OK;
}

fallible
connection_find(const struct connection_values *values, bool may_be_new,
                struct connection *ret_connection)
{
    struct connection *self = ret_connection;
    const char *url = given(values->url, "DIORAMA_URL");
    const char *token = given("", "DIORAMA_TOKEN");
    TRY(profiles_read(&self->profiles));
    TRY(find_profile(self, given(values->profile, "DIORAMA_PROFILE"), may_be_new));
    const struct profile *profile = self->profile;
    if (!url[0])
        url = profile ? profile->url : default_url;
    TRY(profiles_take_url(&self->profiles, url, &self->url));
    bool is_its_server = profile && strcmp(self->url, profile->url) == 0;
    self->token = !token[0] && is_its_server ? profile->token : token;
    if (strpbrk(self->token, "\r\n"))
        return fail(ERR_INVALID, "", "DIORAMA_TOKEN: a token must be one line");
    return OK;
}

void
connection_finish(struct connection *self)
{
    profiles_finish(&self->profiles);
}

fallible
connection_open(const struct connection_values *values, http_client_t **ret_http)
{
    owned(connection_finish) struct connection found = {0};
    TRY(connection_find(values, false, &found));
    *ret_http = http_client_create(found.url);
    http_client_authorize(*ret_http, found.token);
    return OK;
}

// Copies the host of a URL that profiles_take_url took, without the brackets of an IPv6 address.
static fallible
copy_host(const char *url, char *ret_host, size_t size)
{
    const char *host = strstr(url, "://") + 3;
    size_t length = strcspn(host, host[0] == '[' ? "]" : ":/");
    if (host[0] == '[') {
        host++;
        length--;
    }
    if (length >= size)
        return fail(ERR_INVALID, "", "the name of the host is too long: %s", url);
    memcpy(ret_host, host, length);
    ret_host[length] = '\0';
    return OK;
}

fallible
connection_own_address(const struct connection_values *values,
                       char ret_address[UDP_SOCKET_ADDRESS_BYTES])
{
    char host[256];
    owned(connection_finish) struct connection found = {0};
    TRY(connection_find(values, false, &found));
    TRY(copy_host(found.url, host, sizeof host));
    return udp_socket_own_address(host, ret_address);
}

enum outcome
connection_failed(const char *command, enum error error)
{
    return command_failed(command, error, error == ERR_INVALID ? OUTCOME_USAGE : OUTCOME_FILE);
}
