// demo_scene.h - the two scenes of `diorama demo` at a server, with all that is in them, and their
// end. Making them again finds what is there.
#ifndef DIORAMA_TOOLS_CLI_DEMO_SCENE_H
#define DIORAMA_TOOLS_CLI_DEMO_SCENE_H

#include <stdint.h>

#include "proto/base/limits.h"
#include "tools/cli/demo_layout.h"
#include "tools/cli/demo_objects.h"
#include "tools/cli/proof.h"

// Embedded; finish it in any case.
struct demo_scene {
    http_client_t *http;                         // borrowed
    char keys[DEMO_STAGES][LIMIT_KEY_BYTES + 1]; // of the scenes
    size_t people;
    struct demo_object *walkers;
    char token[PROOF_TOKEN_SIZE]; // of the device in whose name datagrams are sent; "" = none
    char host[256];               // where the server takes datagrams
    uint16_t port;
};

// `key` is that of the first scene; that of the second follows from it. Fails with ERR_INVALID if
// it is too long.
fallible demo_scene_init(struct demo_scene *self, http_client_t *http, const char *key);
void demo_scene_finish(struct demo_scene *self);

// Makes scenes, models, objects, devices and `people` walkers, as far as they are not there, and
// registers the devices. Fails with ERR_CONFLICT if a scene of this key is not of a demo, else as
// http_client_call does.
fallible demo_scene_make(struct demo_scene *self, size_t people, double time_s);

// Deletes the scenes and the models; `ret_was_there` tells whether there was any scene. Fails as
// demo_scene_make does.
fallible demo_scene_remove(struct demo_scene *self, bool *ret_was_there);

#endif
