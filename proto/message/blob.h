// blob.h - bytes of assets, as gateway and actors see them: a blob is named by the SHA-256 of its
// content, written once, read by many. This is an interface; store/blob implements it as an engine
// implements the store. Any thread.
//
// A blob stays while a record refers to it, somebody keeps it (blob_keep) or holds a pin on it.
// After the last of these it is removed. A message that makes a record of a blob carries a pin.
// Which blobs records refer to is not counted here: the index of the records says it (struct
// blob_records), so no second count can differ from it.
#ifndef DIORAMA_PROTO_MESSAGE_BLOB_H
#define DIORAMA_PROTO_MESSAGE_BLOB_H

#include "proto/message/message.h"

enum {
    BLOB_HASH_BYTES = 32,
    BLOB_HEX_SIZE = 2 * BLOB_HASH_BYTES + 1, // with its NUL
};

struct blob_hash {
    unsigned char bytes[BLOB_HASH_BYTES];
};

// What an engine has: its structs begin with these.
typedef struct blobs {
    const struct blob_engine *engine;
} blobs_t;

// A blob that is being written; only its writer sees it. One thread at a time.
typedef struct blob_writer {
    blobs_t *blobs;
} blob_writer_t;

// Holds a blob that is complete and durable. It can be the parcel of a message.
struct blob_pin {
    struct parcel parcel;
    blobs_t *blobs;
    struct blob_hash hash;
    uint64_t size;
};

// Is told of a blob that was finished.
typedef void blob_listener(void *context, const struct blob_hash *hash);

// Which blobs records refer to, as it is durable. Any thread may ask.
struct blob_records {
    // The first of them from `low` on, in their order, each once; *ret_count of at most `limit`,
    // fewer where there are no more.
    fallible (*list)(void *context, const struct blob_hash *low, size_t limit,
                     struct blob_hash *ret_hashes, size_t *ret_count);
    void *context; // borrowed until blobs_destroy
};

struct blob_engine {
    fallible (*begin)(blobs_t *self, uint64_t limit, blob_writer_t **ret_writer);
    fallible (*write)(blob_writer_t *self, const void *data, size_t size);
    fallible (*finish)(blob_writer_t *self, struct blob_pin **ret_pin);
    void (*abort)(blob_writer_t *self);
    fallible (*open)(blobs_t *self, const struct blob_hash *hash, int *ret_file,
                     uint64_t *ret_size);
    void (*keep)(blobs_t *self, const struct blob_hash *hash);
    void (*drop)(blobs_t *self, const struct blob_hash *hash);
    void (*unpin)(blobs_t *self, const struct blob_hash *hash);
    void (*refer)(blobs_t *self, const struct blob_hash *hash);
    void (*leave)(blobs_t *self, const struct blob_hash *hash);
    void (*sweep)(blobs_t *self, const struct blob_records *records);
    void (*hold)(blobs_t *self);
    void (*release)(blobs_t *self);
    void (*listen)(blobs_t *self, blob_listener *listener, void *context);
    void (*destroy)(blobs_t *self);
};

// Begins a blob of at most `limit` bytes. Fails with ERR_STORAGE_FULL if the disk has no room to
// spare, with ERR_UNAVAILABLE if it cannot be written.
fallible blob_begin(blobs_t *self, uint64_t limit, blob_writer_t **ret_writer);

// Appends bytes. Fails with ERR_TOO_LARGE beyond the limit, else as blob_begin.
fallible blob_write(blob_writer_t *self, const void *data, size_t size);

// Makes the bytes durable and pins the blob. The writer is taken also if this fails; then nothing
// is left of the blob. Equal bytes are one blob.
fallible blob_finish(blob_writer_t **self, struct blob_pin **ret_pin);

// Removes what was written. Accepts NULL.
void blob_abort(blob_writer_t **self);

// Releases a pin. Accepts NULL.
void blob_unpin(struct blob_pin **self);

// Opens a blob for reading; *ret_file is yours to close. The file stays readable if the blob is
// removed. Fails with ERR_NOT_FOUND; with ERR_INTERNAL, which is logged, if a record refers to it
// and it is missing or damaged: damaged bytes are never read.
fallible blob_open(blobs_t *self, const struct blob_hash *hash, int *ret_file, uint64_t *ret_size);

// One more, or one less, keeps the blob for as long as this process lives.
void blob_keep(blobs_t *self, const struct blob_hash *hash);
void blob_drop(blobs_t *self, const struct blob_hash *hash);

// A record that refers to the blob is durable. The blob is pinned, or another record did before.
void blob_refer(blobs_t *self, const struct blob_hash *hash);
// A record does not refer to the blob any more, and that is durable: the blob is removed unless
// another one does.
void blob_leave(blobs_t *self, const struct blob_hash *hash);

// At a start: from now on `records` (copied; NULL = there are none) says what records refer to;
// before, none do. Blobs that nobody needs are removed.
void blobs_sweep(blobs_t *self, const struct blob_records *records);

// From blobs_hold to blobs_release no blob that a record refers to at the beginning is removed,
// also if the record goes: who copies records and blobs finds the blobs of the records. Holds may
// overlap.
void blobs_hold(blobs_t *self);
void blobs_release(blobs_t *self);

// From now on the listener is told of each blob that is finished, before its writer can refer to
// it; the blob is kept then (blob_keep) in the name of the listener, who ends that by blob_drop. It
// must not call the blobs, and may be called on any thread. NULL: nobody listens.
void blobs_listen(blobs_t *self, blob_listener *listener, void *context);

// All writers and pins are gone by then. Accepts NULL.
void blobs_destroy(blobs_t **self);

// The order of two hashes, or of structs that begin with them; for qsort and trees.
int blob_hash_compare(const void *left, const void *right);

// The hash as 64 lower-case hex characters, and back; false if `hex` is not a hash.
void blob_hash_to_hex(const struct blob_hash *hash, char ret_hex[BLOB_HEX_SIZE]);
bool blob_hash_from_hex(const char *hex, size_t size, struct blob_hash *ret_hash);

#endif
