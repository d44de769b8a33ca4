// demo_objects.h - brings the objects of a demo's scene to what they should be: creates what is
// missing, corrects what is elsewhere, deletes what is no longer wanted. Objects of others in the
// scene stay as they are.
#ifndef DIORAMA_TOOLS_CLI_DEMO_OBJECTS_H
#define DIORAMA_TOOLS_CLI_DEMO_OBJECTS_H

#include "tools/cli/demo_assets.h"
#include "tools/cli/demo_layout.h"

// The tag of all that the demo makes.
#define DEMO_TAG "diorama-demo"

struct demo_object {
    struct demo_thing thing;
    bool moves;               // it is where it is sent; where it was found does not matter
    char key[DEMO_KEY_BYTES]; // out
};

// Fails as http_client_call does.
fallible demo_objects_make(http_client_t *http, const char *scene, const struct demo_assets *assets,
                           struct demo_object *objects, size_t count);

// Whether the object is no longer where its thing says.
fallible demo_object_has_moved(http_client_t *http, const char *scene,
                               const struct demo_object *object, bool *ret_has_moved);

#endif
