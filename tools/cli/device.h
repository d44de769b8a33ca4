// device.h - registers and deregisters a device of the client.
#ifndef DIORAMA_TOOLS_CLI_DEVICE_H
#define DIORAMA_TOOLS_CLI_DEVICE_H

#include "tools/cli/http_client.h"

struct device_place {
    const char *scene; // created if absent
    const char *key;   // of the device
};

// Registers the device; `members` (",\"port\":9000", or NULL) follow the key in its record. The
// answer is valid until the next request of the client. Fails as http_client_call does.
fallible device_register(http_client_t *http, const struct device_place *place,
                         const struct buffer *members, const struct json **ret_answer);

// Fails as http_client_call does.
fallible device_deregister(http_client_t *http, const struct device_place *place);

// The state of its feed in the answer: "active", "pending", "none", "unknown"; the token, "" if
// there is none.
const char *device_feed_state(const struct json *answer);
const char *device_feed_token(const struct json *answer);

#endif
