// demo_assets.h - uploads the models of `diorama demo` once, and finds them again.
#ifndef DIORAMA_TOOLS_CLI_DEMO_ASSETS_H
#define DIORAMA_TOOLS_CLI_DEMO_ASSETS_H

#include "tools/cli/demo_models.h"
#include "tools/cli/http_client.h"

enum { DEMO_KEY_BYTES = 64 };

// Keys of the models' assets.
struct demo_assets {
    char keys[DEMO_MODELS][DEMO_KEY_BYTES];
};

// Finds the assets of the demo in this scene, and uploads those that are not there. Fails as
// http_client_call does.
fallible demo_assets_make(http_client_t *http, const char *scene, struct demo_assets *ret_assets);

// Deletes them; those that are gone already are no error. Fails as http_client_call does.
fallible demo_assets_remove(http_client_t *http, const char *scene);

#endif
