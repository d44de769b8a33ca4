// replica_wire.h - the form of what a follower asks its leader, and of the answers: messages of
// ZeroMQ between a DEALER and a ROUTER, one answer for each request. Numbers are big-endian.
//
// A request is one frame: version (2), kind (1), id (8), then what its kind has:
//
//   LOG         epoch (8), after (8), wait_ms (4)
//   CHECKPOINT  nothing
//   FILE        checkpoint (8), offset (8), name: the rest
//   DONE        checkpoint (8)
//   BLOB        offset (8), SHA-256 (32)
//
// An answer is two frames: a head of version (2), kind (1), id of the request (8), outcome (1),
// epoch (8), position (8), time_us (8), checkpoint (8), size (8), sentence: the rest; and bytes:
//
//   LOG         commits, each its size (4) and a body of log_frame.h
//   CHECKPOINT  its files, each the size of its name (2), name, size (8)
//   FILE, BLOB  bytes of the file from the offset on
#ifndef DIORAMA_ACTORS_REPLICA_WIRE_H
#define DIORAMA_ACTORS_REPLICA_WIRE_H

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/message/blob.h"

enum {
    REPLICA_VERSION = 1, // another one is refused
    REPLICA_NAME_SIZE = 256,
    REPLICA_SENTENCE_SIZE = 256,
    REPLICA_REQUEST_BYTES = 512,     // at most
    REPLICA_CHUNK_BYTES = 1 << 20,   // of files and commits in an answer, about
    REPLICA_ANSWER_BYTES = 32 << 20, // at most: a commit has 16 MiB as a body
    REPLICA_WAIT_MS = 1000,          // that a LOG may wait for a commit, at most
};

enum replica_kind {
    REPLICA_LOG = 1,
    REPLICA_CHECKPOINT,
    REPLICA_FILE,
    REPLICA_DONE,
    REPLICA_BLOB,
};

enum replica_outcome {
    REPLICA_OK,
    REPLICA_GONE,    // LOG: what is behind that place is not kept, or never was here
    REPLICA_ABSENT,  // FILE, BLOB, DONE: there is no such file, blob or checkpoint
    REPLICA_REFUSED, // the sentence says why
};

// A place in the history of a store: how far, in the count of which start of the leader. Two
// servers at one place have the same records.
struct replica_place {
    uint64_t epoch;
    uint64_t position;
};

struct replica_request {
    enum replica_kind kind;
    uint64_t id;
    struct replica_place after;   // LOG
    uint32_t wait_ms;             // LOG
    uint64_t checkpoint;          // FILE, DONE
    uint64_t offset;              // FILE, BLOB
    char name[REPLICA_NAME_SIZE]; // FILE: that of a file, without a folder
    struct blob_hash hash;        // BLOB
};

struct replica_answer {
    enum replica_kind kind; // of the request
    uint64_t id;
    enum replica_outcome outcome;
    struct replica_place
        place;           // LOG, also GONE: the newest of the leader; CHECKPOINT: what is in it
    uint64_t time_us;    // LOG: of the leader's calendar, when it looked
    uint64_t checkpoint; // CHECKPOINT
    uint64_t size;       // FILE, BLOB: of all of it
    char sentence[REPLICA_SENTENCE_SIZE]; // REFUSED
};

#define REPLICA_BLOBS "blobs" // the file of a checkpoint that lists blobs, in rows

enum { REPLICA_BLOB_ROW = BLOB_HASH_BYTES + 8 }; // hash, size

struct replica_file {
    char name[REPLICA_NAME_SIZE];
    uint64_t size;
};

void replica_put_request(struct buffer *out, const struct replica_request *request);
void replica_put_answer(struct buffer *out, const struct replica_answer *answer);
void replica_put_file(struct buffer *out, const struct replica_file *file);

// Fails with ERR_INVALID on bytes that are no request; the sentence is meant for the other side.
// What could be read of kind and id is in *ret_request then.
fallible replica_read_request(const void *bytes, size_t size, struct replica_request *ret_request);
fallible replica_read_answer(const void *bytes, size_t size, struct replica_answer *ret_answer);

// The file at *at of a list, which moves on; false at the end and on what is no list: then *at is
// not `end`.
bool replica_read_file(const unsigned char **at, const unsigned char *end,
                       struct replica_file *ret_file);

// Whether it is the name of a file in a folder, and nothing else: no `/`, not `.` nor `..`.
bool replica_name_is_plain(const char *name);

#endif
