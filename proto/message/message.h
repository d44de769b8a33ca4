// message.h - what crosses threads: a request, and the reply that its receiver writes into it. It
// has one owner at a time; ownership moves with the pointer (mailbox.h).
#ifndef DIORAMA_PROTO_MESSAGE_MESSAGE_H
#define DIORAMA_PROTO_MESSAGE_MESSAGE_H

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/message/operations.h"
#include "proto/record/record_packed.h"
#include "proto/record/warnings.h"
#include "proto/records/params.h"

enum { MAILBOX_NAME_SIZE = 24 };

enum caller_role {
    CALLER_TRUSTED,   // between actors, and everybody while auth.enabled is off
    CALLER_ANONYMOUS, // auth.enabled, and no good token
    CALLER_USER,
    CALLER_ADMIN,
};

enum {
    USER_ID_SIZE = 25,    // 24 hex characters and NUL
    SESSION_ID_SIZE = 65, // 64 hex characters and NUL
};

// The caller. `peer` is the numeric address of the TCP peer, "" between actors.
struct caller {
    char peer[46];
    bool loopback;
    enum caller_role role;
    char user[USER_ID_SIZE]; // id of the user who is logged in, "" = nobody; set without auth too
    char session[SESSION_ID_SIZE]; // of the token of the request (session.h), or ""
    int64_t revocations;           // how often that user had lost access when the session began
    bool takes_device;             // it names a device that belongs to another user
};

// The base of what messages between actors carry: a batch, a slice, events, datagrams.
struct parcel {
    void (*destroy)(struct parcel *self);
};

// What an actor answers: frozen records, one reference each; they may be packed. The first one may
// be loose: to freeze ten thousand devices takes longer than a turn may, and its asker does not
// need it.
struct reply {
    struct fault fault; // error OK = success
    const frozen_t **records;
    const struct record *loose; // the first one, which is NULL among them; in the arena; or NULL
    struct parcel *source;      // what that borrows from; owned, or NULL
    struct arena opened;        // packed ones that reply_record has opened
    struct arena lent;          // of packed ones that are lent to it
    const double *distances;    // of each from a point, km; infinite: of none. NULL; in the arena
    uint32_t count;
    uint32_t capacity;
    uint32_t more;           // ALL_SHARDS: 1 if this shard has more records than it sent
    struct record *envelope; // struct envelope, or NULL
    bool is_replayed;        // it is that of an earlier request with the same Idempotency-Key
    const bool *earlier;     // which records such a request made; NULL: it or none. In the arena
    bool has_keys_only;      // which was too large to be kept: its records are their keys
    const char *etag;        // and this the tag of the one; NULL = none. In the arena
};

struct message {
    enum operation operation;
    uint64_t id;                    // correlation: the sender chooses it, the reply has it too
    uint64_t deadline_ms;           // of clock.h; 0 = none
    char sender[MAILBOX_NAME_SIZE]; // mailbox that the reply goes to; set on receipt
    struct parcel *answers;         // or the box that it goes to (answer_box.h); owned, or NULL
    struct caller caller;
    struct arena arena;
    struct params *params;      // never NULL
    struct records *records;    // loose, in the arena; NULL if the request has none
    const char *array;          // name of the array of the records in the body; NULL = bare
    struct parcel *parcel;      // owned, or NULL
    struct parcel *learned;     // what its receiver heard of others meanwhile; owned, or NULL
    struct warnings warnings;   // about its body, in the arena
    struct parcel *share;       // of the memory of all bodies: what its arena takes; owned, or NULL
    struct parcel *work;        // of its receiver: where it goes on; owned, or NULL
    struct parcel *condition;   // the same: how far it is with If-Match
    uint32_t progress;          // of a request that runs in slices; 0 at first
    uint64_t scene_id;          // internal, of the scene that its slices go into
    bool makes_scene;           // which did not exist before
    struct repeat *repeat;      // of a request with an Idempotency-Key; NULL until its actor looks
    const unsigned char *seed;  // of the keys that it makes, KEY_SEED_SIZE bytes; NULL = random
    const struct text *awaited; // id of the effect that must be done before the answer, or NULL
    struct reply reply;
    bool is_decided;      // the reply stands, and waits until what it rests on is durable
    bool is_ending;       // it is done, and its reply is written in slices
    bool has_looked;      // an earlier slice has found something staged
    struct message *next; // for the one queue that holds it
    bool is_travelling;   // between two mailboxes, which own it
    uint16_t origin;      // metric_actor() of the sender
    uint16_t queue;       // metric_actor() of the receiver, while it waits there
};

struct message *message_create(enum operation operation);
// Takes it: *self becomes NULL. Accepts NULL.
void message_destroy(struct message **self);
// Its receiver has done it: what it kept to go on with belongs to the receiver's thread.
void message_end_work(struct message *self);

// A copy of the request (not of the reply) that shares no memory: for ALL_SHARDS.
struct message *message_clone(const struct message *self);

// A queue of waiting messages. Embedded; all zero is a valid empty queue.
struct message_queue {
    struct message *first;
    struct message *last;
    size_t count;
};

// Takes the message: *message becomes NULL.
void message_queue_push(struct message_queue *self, struct message **message);
// The oldest message, or NULL.
struct message *message_queue_pop(struct message_queue *self);
// Destroys what waits.
void message_queue_finish(struct message_queue *self);

// The partition that owns what the request is about, of an operation that goes to one scene actor;
// false where it names none.
bool message_partition(const struct message *self, uint16_t *ret_partition);

// A fresh key for record `index` of the request, owned by `partition`. A request with a seed gets
// the same keys whenever it runs.
const struct text *message_key(struct message *self, uint32_t index, uint16_t partition);

// Makes room for so many more records, so that the reply does not grow one by one.
void reply_reserve(struct reply *self, uint32_t more);
// Takes one reference to a frozen record into the reply.
void reply_add(struct message *self, const frozen_t *frozen);
// The same of a packed one. Of a small one the reply has a copy, beside the others: who reads many
// finds one behind the other, and does not wait for each. It is lent (record_packed.h).
void reply_add_packed(struct message *self, const packed_t *packed);
// Moves the reference to record `index` of another reply into the reply. The first one brings the
// memory of all records that are lent to the other reply, so that one must end before this one.
void reply_take(struct message *self, struct reply *from, uint32_t index);
// Adds a frozen copy of a loose record, of `schema` (record_freeze).
void reply_add_loose(struct message *self, const struct schema *schema, const struct record *loose);

// Makes `loose`, in the message's arena, the first record of the reply. *source, in the arena too,
// or NULL: it borrows from that, which is the reply's now.
void reply_begin_loose(struct message *self, const struct record *loose, struct parcel **source);

// Record `index` of the reply, borrowed. A packed one is opened each time, in memory that the reply
// keeps: who reads many has room of its own (reply_open).
const struct record *reply_record(const struct reply *self, uint32_t index);

// The same; a packed one is opened in `room`.
static inline const struct record *
reply_open(const struct reply *self, uint32_t index, struct opened *room)
{
    return index == 0 && self->loose ? self->loose : frozen_open(self->records[index], room);
}

// Its key.
static inline const struct text *
reply_key(const struct reply *self, uint32_t index)
{
    return index == 0 && self->loose ? record_key(self->loose) : frozen_key(self->records[index]);
}

// How far record `index` is from the point of a query, in km; infinite where there is no point.
static inline double
reply_distance(const struct reply *self, uint32_t index)
{
    return self->distances ? self->distances[index] : __builtin_inf();
}

// Record `index` of the reply frozen; a loose one is frozen now.
const frozen_t *reply_frozen(struct reply *self, uint32_t index);

// From now on no record is packed: for who replaces records by others.
void reply_unpack(struct reply *self);

// Makes the reply this failure, with the fault that this thread noted; drops the records.
void reply_fail(struct message *self, enum error error);

// Drops the records of the reply from the `count`-th on.
void reply_truncate(struct message *self, uint32_t count);

// The envelope of the reply; the first call makes it.
struct envelope *reply_envelope(struct message *self);

// The JSON Pointer of `member` ("/quaternion_rotation") of request record `index`, in the arena.
const char *message_pointer(struct message *self, size_t index, const char *member);

// Whether the records of a request that change one thing, one after another, are not too many: each
// may combine lists with those of the thing.
fallible message_check_edits(struct message *self);

#endif
