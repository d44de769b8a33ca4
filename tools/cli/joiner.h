// joiner.h - scenes whose state was read and whose events follow (live-feed: no gap, no double).
// The state is the first event of a scene's stream of server-sent events: one state, however large,
// and the event that it stands behind. One thread.
#ifndef DIORAMA_TOOLS_CLI_JOINER_H
#define DIORAMA_TOOLS_CLI_JOINER_H

#include "tools/cli/http_client.h"
#include "tools/cli/options.h"

typedef struct joiner joiner_t;

enum joining {
    JOINING_OLD,    // the state has it already
    JOINING_NEXT,   // it follows what was told before
    JOINING_BEHIND, // something is missing before it: the state is to be read again
};

// `http` and the keys are borrowed. No state is known yet.
joiner_t *joiner_create(http_client_t *http, const struct option_texts *scenes);
void joiner_destroy(joiner_t **self);

// Reads the state of the scene, NULL = of each in turn, and appends a line for each to `out`:
// {"topic":"snapshot","scene":…,"epoch":…,"seq":…,"objects":[…],"properties":[…]}; of a scene that
// is not there `"epoch":0,"seq":0` and no entities; with `is_short` SCENE SEQ snapshot -. A state
// that is known already gives no line. A server that is not ready is asked again for 10 s. Fails as
// http_client_event does.
fallible joiner_read(joiner_t *self, const char *scene, bool is_short, struct buffer *out);

// Where an event of one of the scenes stands. Anything is old before the first state.
enum joining joiner_note(joiner_t *self, const char *scene, uint64_t epoch, uint64_t seq,
                         uint64_t msg_type);

#endif
