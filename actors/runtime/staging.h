// staging.h - what an actor has decided and the disk has not confirmed (actors/README.md, "The life
// of a write"). There are two stages: one *committing* (its batch is with the committer), one
// *filling*. Handlers write into the filling one; readers see neither. When the committing batch is
// durable, its changes are applied in order and its requests are answered. When it failed, its
// requests are answered with the error, and those of the filling stage, which may have built on it,
// run again from the start.
//
// What was decided may still be lost. So an answer that rests on it waits until it is durable: each
// look that finds something staged is noted (`shown`), and actor_answer goes by that.
#ifndef DIORAMA_ACTORS_RUNTIME_STAGING_H
#define DIORAMA_ACTORS_RUNTIME_STAGING_H

#include "actors/runtime/batch.h"
#include "actors/runtime/room.h"
#include "proto/base/table.h"

enum change_kind {
    CHANGE_STORED,   // becomes visible, with its event, once it is durable
    CHANGE_BEHIND,   // visible already (it arrived by UDP); only the disk is behind
    CHANGE_FOLLOWER, // arrived by UDP too, over a staged change: becomes visible when that does
};

// A request whose answer says which event made a change visible. It is in the arena of the request,
// which outlives the use of it: the request is among the messages of the filling stage, and those
// are answered, or run again, when the changes of that stage and of the one before are applied or
// dropped. Only who applies a change looks at its listeners.
struct listener {
    struct message *message;
    struct listener *next;
};

// One record as it will be.
struct change {
    struct change *next;
    enum change_kind kind;
    uint64_t visible_with;  // number of the stage whose commit makes it visible; set by staging_add
    key_tag_t tag;          // of the record
    uint16_t part;          // of KEY_OUTBOX
    void *owner;            // what the record belongs to, held; NULL where there is none
    bool is_owners;         // the record is the owner's own: its key alone finds it
    const frozen_t *record; // one reference; NULL = removed
    const frozen_t *before; // what it takes the place of, one reference; NULL = nothing
    uint8_t msg_type;       // of its event
    uint8_t reason;         // and why, as the event says
    bool restream;          // the scene's objects are streamed after it
    struct listener *listeners;
};

struct stage {
    struct batch *batch;
    size_t bytes; // what the records of the batch take in memory
    struct change *first, *last;
    struct message_queue messages; // to be answered when the batch is durable
    bool is_apart;                 // for the writes of one request alone
    bool is_closed;                // no other request joins the one that is in it
};

// Ends the hold that a change has on its owner.
typedef void owner_releaser(void *owner);

struct staging {
    enum family family;      // that everything is written into
    bool is_refused;         // nothing has room: the server follows another one
    owner_releaser *release; // NULL where changes have no owner
    struct stage filling;
    struct stage committing;
    bool is_committing;
    uint64_t submitted;           // how many stages were; the filling one has the next number
    size_t followers;             // in the filling stage
    struct room granted;          // how far the request that runs may fill the filling stage
    bool *shown;                  // set when somebody finds something staged; NULL = nobody asks
    size_t apart;                 // how many of the next requests have a commit of their own
    struct table latest;          // newest change of each record, committing or filling
    struct message_queue waiting; // for room in the filling stage, or for the commit to end
};

void staging_init(struct staging *self, enum family family, owner_releaser *release);
void staging_finish(struct staging *self);

// Whether this fits into the filling batch. A request asks before it stages anything, and stages no
// more than it asked for: staging_add asserts it.
bool staging_has_room(struct staging *self, struct room room);
// The same for a request that cannot be parted: where nothing is staged it may fill a commit with
// LIMIT_APART_OPERATIONS, which is for it alone then.
bool staging_has_room_apart(struct staging *self, struct room room);

// Another request runs: it has asked for nothing yet.
void staging_take_back_room(struct staging *self);

// Runs the message again once the filling stage is submitted. Takes it.
void staging_wait(struct staging *self, struct message **message);

// Puts a change, whose references it takes, at the end of the filling stage.
void staging_add(struct staging *self, const struct change *change);

// The newest change of a record that is not applied yet, or NULL. A key that is unique among all
// owners is looked for with `owner` NULL, others with their owner.
const struct change *staging_latest(const struct staging *self, key_tag_t tag, const void *owner,
                                    const struct text *key);

// Makes the request a listener of the newest change of a record; false: none is staged. The request
// must wait for the filling stage from now on, whatever else it finds.
bool staging_listen(struct staging *self, key_tag_t tag, const void *owner, const struct text *key,
                    struct message *message);

// The next of these changes with this tag, in no order, or NULL. `*cursor` is 0 at first.
const struct change *staging_next(const struct staging *self, key_tag_t tag, size_t *cursor);

// Notes that something staged was found, by other means than these functions.
void staging_show(const struct staging *self);

// Keeps a request that is decided until all that is staged now is durable: it is among the messages
// of a stage, with `is_decided`, and how it ends in the fault of its reply. Takes the message.
void staging_hold(struct staging *self, struct message **message, enum error error);

// After a commit: the first change of the filling stage behind `change` (NULL = from the start)
// that followed what has landed, or NULL. The caller makes it visible and says so: only the disk is
// behind then, and staging_latest does not find it.
struct change *staging_next_follower(const struct staging *self, struct change *change);
void staging_has_followed(struct staging *self, struct change *change);

// Whether something is staged or committing, or waits for room.
bool staging_is_busy(const struct staging *self);

// The filling stage becomes the committing one; its batch is yours. A new one fills.
struct batch *staging_submit(struct staging *self);

// Ends the commit. The stage is yours, to be applied or dropped; staging_latest does not find its
// changes any more.
struct stage staging_complete(struct staging *self);

// After a failed commit: the filling stage is yours as well, and nothing is staged any more. The
// next `apart` requests have a commit each (the failed one was too large).
struct stage staging_abandon(struct staging *self, size_t apart);

// Frees the changes and the batch of a stage that was handed out; its messages must have been taken
// out.
void staging_free_stage(const struct staging *self, struct stage *stage);

#endif
