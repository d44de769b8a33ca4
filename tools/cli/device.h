// device.h - a device of the client's own: it is registered to a scene, and leaves it again.
#ifndef DIORAMA_TOOLS_CLI_DEVICE_H
#define DIORAMA_TOOLS_CLI_DEVICE_H

#include "tools/cli/http_client.h"

struct device_place {
    const char *scene; // created where it is absent
    const char *key;   // of the device
};

// Registers it; `members` (",\"port\":9000", or NULL) are those of its record beside the key. The
// answer is valid until the client's next request. Fails as http_client_call does.
fallible device_register(http_client_t *http, const struct device_place *place,
                         const struct buffer *members, const struct json **ret_answer);

// Fails as http_client_call does.
fallible device_deregister(http_client_t *http, const struct device_place *place);

// What the answer says of its feed: "active", "pending", "none", "unknown"; the token, "" where
// there is none.
const char *device_feed_state(const struct json *answer);
const char *device_feed_token(const struct json *answer);

#endif
