// connection.h - which server a command talks to and with which token. The options, variables and
// profiles that say so stand in one order of precedence.
#ifndef DIORAMA_TOOLS_CLI_CONNECTION_H
#define DIORAMA_TOOLS_CLI_CONNECTION_H

#include "tools/cli/command.h"
#include "tools/cli/http_client.h"
#include "tools/cli/profiles.h"
#include "tools/cli/udp_socket.h"

// The options. --http is an older name of --url.
struct connection_values {
    const char *url;
    const char *profile;
};

// clang-format off
#define CONNECTION_URL(struct_, member_) \
    OPTION (struct_, member_.url, "url", "URL", "", "The server's HTTP interface [DIORAMA_URL, the profile's, http://127.0.0.1:8080].", .alias = "http")
#define CONNECTION_PROFILE(struct_, member_) \
    OPTION (struct_, member_.profile, "profile", "NAME", "", "Profile to use [DIORAMA_PROFILE, the current one].")
// clang-format on

// What was found. Texts are borrowed from `profiles`, the values and the environment.
struct connection {
    struct profiles profiles;
    struct profile *profile;  // NULL = none is in use
    const char *profile_name; // the one asked for; "default" if none was
    const char *url;
    const char *token; // "" = none
};

// URL: --url, DIORAMA_URL, the profile's, http://127.0.0.1:8080. Profile: --profile,
// DIORAMA_PROFILE, the current one. Token: DIORAMA_TOKEN, the profile's, which is sent to the
// profile's URL only. A profile that is asked for must exist unless `may_be_new`. Fails with
// ERR_INVALID, or as profiles_read does. Finish `ret_connection` in any case.
fallible connection_find(const struct connection_values *values, bool may_be_new,
                         struct connection *ret_connection);
void connection_finish(struct connection *self);

// Makes a client of the server that connection_find finds. Fails as connection_find does.
fallible connection_open(const struct connection_values *values, http_client_t **ret_http);

// The address of this machine towards the server that connection_find finds. Fails as that and
// udp_socket_own_address do.
fallible connection_own_address(const struct connection_values *values,
                                char ret_address[UDP_SOCKET_ADDRESS_BYTES]);

// Reports why there is no connection: command_failed with the outcome that fits.
enum outcome connection_failed(const char *command, enum error error);

#endif
