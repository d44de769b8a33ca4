// joiner.h - scenes whose state is read before their events follow, without a gap or a double. The
// state is the first event of a scene's stream of server-sent events: it is whole, however large,
// and names the last event that it contains. One thread.
#ifndef DIORAMA_TOOLS_CLI_JOINER_H
#define DIORAMA_TOOLS_CLI_JOINER_H

#include "tools/cli/http_client.h"
#include "tools/cli/options.h"

typedef struct joiner joiner_t;

enum joining {
    JOINING_OLD,    // the state contains it already
    JOINING_NEXT,   // it follows the last one
    JOINING_BEHIND, // events are missing before it: read the state again
};

// `http` and the keys are borrowed. No state is known yet.
joiner_t *joiner_create(http_client_t *http, const struct option_texts *scenes);
void joiner_destroy(joiner_t **self);

// Reads the state of the scene, or of all if it is NULL, and appends a line for each to `out`:
// {"topic":"snapshot","scene":…,"epoch":…,"seq":…,"objects":[…],"properties":[…]}. A scene that
// does not exist has epoch 0, seq 0 and no entities. With `is_short` a line is SCENE SEQ snapshot
// -. A state that is known already adds no line. Asks a server that is not ready again for 10 s.
// Fails as event_client_first does.
fallible joiner_read(joiner_t *self, const char *scene, bool is_short, struct buffer *out);

// Compares an event of one of the scenes with its state. All events are old before the first state.
enum joining joiner_note(joiner_t *self, const char *scene, uint64_t epoch, uint64_t seq,
                         uint64_t msg_type);

#endif
