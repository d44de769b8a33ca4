// repeats.h - requests with an Idempotency-Key, for every actor that stores something. The answer
// of such a request is kept in the commit of its write, so that there are both or none. When the
// request comes again it gets that answer, and does nothing. No handler knows of it: what comes in
// is admitted, what is answered is settled, and the pipeline keeps what is durable.
//
//   admit ── its first request runs ──▶ 409
//         ├─ no answer is kept ───────▶ runs; its answer is kept
//         └─ one is kept: RECALL ─────▶ another path or body: 422
//                                       else the first answer, or the rest of the work
//
// In memory are the requests that run, and an index of what is kept, which has a limit. Answers are
// on the disk; the committer reads them.
#ifndef DIORAMA_ACTORS_RUNTIME_REPEATS_H
#define DIORAMA_ACTORS_RUNTIME_REPEATS_H

#include "actors/runtime/actor.h"
#include "actors/runtime/repeat_index.h"
#include "actors/runtime/request_settings.h"
#include "actors/runtime/staging.h"
#include "proto/base/limits.h"

// Embedded in the state of its actor.
struct repeats {
    struct actor_admission base;
    actor_t *actor;
    struct staging *staging;
    const char *committer; // its mailbox
    struct repeat_index index;
    size_t recalls;             // questions that the committer has not answered
    struct table running;       // struct repeat by id: requests that are admitted and not settled
    struct repeat_found *found; // at the start: what was read, until repeats_begin
    size_t found_count, found_capacity;
};

// `committer` lives as long as the actor.
void repeats_init(struct repeats *self, actor_t *actor, struct staging *staging,
                  const char *committer, const struct request_settings *settings);
void repeats_finish(struct repeats *self);

// Reads what is kept in a part, at the start; then repeats_begin, once. Fails with ERR_UNAVAILABLE
// if the store cannot be read now.
fallible repeats_read(struct repeats *self, store_t *store, uint16_t part);
// The same of one record, for an actor that reads several kinds of records in one scan.
void repeats_enter(struct repeats *self, uint16_t part, struct bytes key, struct bytes value);
void repeats_begin(struct repeats *self);

// What a request stages besides because its answer is kept: the answer, and its place in the index.
static inline struct room
repeats_room(const struct message *message)
{
    enum { ANSWER_BYTES = LIMIT_KEPT_ANSWER_BYTES + 1024 };
    if (!message->repeat)
        return room_for_removals(0);
    return room_for_both(room_for_records(1, ANSWER_BYTES), room_for_removals(1));
}

// Keeps the answer of a request that has staged its writes: its reply is complete. Does nothing for
// others.
void repeats_keep(struct repeats *self, struct message *message);

// A change under KEY_ANSWER is durable, or failed.
void repeats_committed(struct repeats *self, const struct change *change);
void repeats_dropped(struct repeats *self, const struct change *change);

// Removes what has left the index, with other writes. At the end of each turn.
void repeats_turn(struct repeats *self);

// Stages the end of all answers that are kept for a user, in slices: the message pauses, or waits
// for room, or for the requests of the user that run: these must be refused already. Sets `*found`
// where there are some.
fallible repeats_erase(struct repeats *self, struct message *message, const struct text *user,
                       bool *found);

// The row of an actor. RECALLED: the answer of the committer.
actor_handler repeats_recalled;

// A request that goes to several scenes has one kept answer: its claim. REPEAT_CLAIM is answered
// with the seed that the request has whenever it comes, from which its parts are known
// (message->seed), and with `progress` 1 where all parts were made. REPEAT_DONE (scene: the key,
// repeat_print, repeat_seed) keeps that they are: its handler stages nothing else. REPEAT_RELEASE:
// nothing was made.
enum error repeats_claim_remade(actor_t *actor, struct message *message, uint32_t count);
fallible repeats_end_claim(struct repeats *self, struct message *message);
actor_handler repeats_release;

#endif
