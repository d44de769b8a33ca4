// effects.h - what an effect may do. It may come late, and it may come twice (outbox.h), when its
// key means something else already: a scene that was made again, a user who is active again. So it
// names a number on a scale that rises, and ends only what is older than that number.
//
// The table says the scale of each effect, and there is no other way to make one or to handle one:
// effect_new takes the number, effect_ends compares with it. effects_test.c delivers each effect of
// the table once more, after its key has come to mean something new.
#ifndef DIORAMA_ACTORS_RUNTIME_EFFECTS_H
#define DIORAMA_ACTORS_RUNTIME_EFFECTS_H

#include "proto/message/message.h"
#include "proto/records/effect.h"

enum { EFFECT_BYTES = 1024 }; // more than the entry of an effect takes

enum effect_scale {
    NO_EFFECT,
    BY_MOMENT,     // what happened at the scene actor that sends it (shard_moment)
    BY_REVOCATION, // how often the user had lost access (user.h)
    FOR_EVER,      // its key never means anything else: it ends everything
};

// The scale of the operation's effect; NO_EFFECT where the outbox cannot ask for it.
enum effect_scale effect_scale_of(enum operation operation);

// A loose effect in the message's arena that asks `operation` about `key`, and to end only what is
// older than `before` on the scale of the operation.
struct effect *effect_new(struct message *message, enum operation operation, const struct text *key,
                          int64_t before);

// The effect that a receiver is asked for.
const struct effect *effect_asked(const struct message *message);

// Whether the effect ends what was made at `made`, a number on that scale. An entry that an
// older server stored names no number, and ends everything.
bool effect_ends(const struct message *message, enum effect_scale scale, int64_t made);

#endif
