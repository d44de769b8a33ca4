// replica_source.c - see replica_source.h.
#include "actors/replica/replica_source.h"

#include <czmq.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/feed/curve.h"
#include "store/backup/log_frame.h"
#include "store/key.h"

enum {
    LOOK_MS = 50, // between two looks whether it must end
    ENDPOINT_SIZE = 256,
    RECONNECT_MS = 100,
    RECONNECT_MOST_MS = 1000,
    BUFFER_BYTES = 2 << 20, // of an answer; the memory of a larger one goes back
    FILES_MOST = 100000,    // of a checkpoint
};

struct replica_source {
    char endpoint[ENDPOINT_SIZE];
    bool (*must_end)(void *context);
    void *context;
    bool has_keys;
    struct curve_keys keys;
    char leader_key[CURVE_KEY_SIZE];
    zsock_t *socket; // NULL = the next call makes one
    uint64_t asked;  // the id of the last request
    struct buffer request, head, bytes;
    struct store_operation *operations; // of the commit that is read
    size_t capacity;
    struct log_frame frame;
};

// --- connection ---

static fallible
connect_to(replica_source_t *self)
{
    if (self->socket)
        return OK;
    zsock_t *socket = zsock_new(ZMQ_DEALER);
    if (!socket)
        return fail(ERR_UNAVAILABLE, "", "no socket left");
    zsock_set_linger(socket, 0);
    zsock_set_maxmsgsize(socket, REPLICA_ANSWER_BYTES);
    zsock_set_reconnect_ivl(socket, RECONNECT_MS);
    zsock_set_reconnect_ivl_max(socket, RECONNECT_MOST_MS);
    zsock_set_ipv6(socket, strchr(self->endpoint, '[') != NULL);
    if (self->has_keys) {
        zsock_set_curve_serverkey(socket, self->leader_key);
        zsock_set_curve_publickey(socket, self->keys.open);
        zsock_set_curve_secretkey(socket, self->keys.secret);
    }
    if (zsock_connect(socket, "%s", self->endpoint) != 0) {
        zsock_destroy(&socket);
        return fail(ERR_INVALID, "", "%.180s is no endpoint that can be connected to",
                    self->endpoint);
    }
    self->socket = socket;
    return OK;
}

static fallible
keys_take(replica_source_t *self, const struct replica_source_settings *settings)
{
    uint8_t raw[40];
    char path[1024];
    if (!settings->curve || !*settings->curve)
        return OK;
    if (!settings->leader_key || strlen(settings->leader_key) != CURVE_KEY_SIZE - 1 ||
        !zmq_z85_decode(raw, settings->leader_key))
        return fail(ERR_INVALID, "", "the leader's public key is no key of CURVE");
    if (snprintf(path, sizeof path, "%s/server.key", settings->curve) >= (int)sizeof path)
        return fail(ERR_INVALID, "", "%.100s…: the path is too long", settings->curve);
    TRY(curve_keys_find(path, &self->keys));
    strcpy(self->leader_key, settings->leader_key);
    self->has_keys = true;
    return OK;
}

fallible
replica_source_create(const struct replica_source_settings *settings, replica_source_t **ret_source)
{
    replica_source_t *self = memory_take_zeroed(sizeof *self);
    self->must_end = settings->must_end;
    self->context = settings->context;
    int size = snprintf(self->endpoint, sizeof self->endpoint, "%s", settings->endpoint);
    enum error error = keys_take(self, settings);
    if (size >= (int)sizeof self->endpoint)
        error = fail(ERR_INVALID, "", "the leader's endpoint is too long");
    if (error == OK)
        error = connect_to(self);
    if (error != OK)
        replica_source_destroy(&self);
    else
        *ret_source = self;
    return error;
}

void
replica_source_destroy(replica_source_t **self)
{
    replica_source_t *source = *self;
    if (!source)
        return;
    zsock_destroy(&source->socket);
    buffer_finish(&source->request);
    buffer_finish(&source->head);
    buffer_finish(&source->bytes);
    free(source->operations);
    sodium_memzero(source, sizeof *source);
    free(source);
    *self = NULL;
}

// --- one question ---

static fallible
await_message(replica_source_t *self, uint64_t deadline_ms)
{
    zmq_pollitem_t item = {.socket = zsock_resolve(self->socket), .events = ZMQ_POLLIN};
    for (;;) {
        int left_ms = clock_left_ms(deadline_ms);
        if (zmq_poll(&item, 1, left_ms < LOOK_MS ? left_ms : LOOK_MS) > 0)
            return OK;
        if (self->must_end && self->must_end(self->context))
            return fail(ERR_UNAVAILABLE, "", "told to end while the leader was asked");
        if (left_ms == 0)
            return fail(ERR_UNAVAILABLE, "", "the leader at %.180s does not answer",
                        self->endpoint);
    }
}

// False where another frame was due, or this one should be the last and is not.
static bool
receive_frame(replica_source_t *self, bool is_last, struct buffer *frame)
{
    zmq_msg_t part;
    zmq_msg_init(&part);
    bool is_there = zmq_msg_recv(&part, zsock_resolve(self->socket), ZMQ_DONTWAIT) >= 0;
    bool is_right = is_there && zmq_msg_more(&part) == !is_last;
    buffer_rest(frame, BUFFER_BYTES);
    if (is_right)
        buffer_put(frame, zmq_msg_data(&part), zmq_msg_size(&part));
    zmq_msg_close(&part);
    return is_right;
}

static fallible
receive(replica_source_t *self, struct replica_answer *ret_answer)
{
    if (!receive_frame(self, false, &self->head) || !receive_frame(self, true, &self->bytes))
        return fail(ERR_INVALID, "", "the leader's answer does not have two frames");
    return replica_read_answer(self->head.data, self->head.size, ret_answer);
}

static fallible
exchange(replica_source_t *self, struct replica_request *request, uint64_t deadline_ms,
         struct replica_answer *ret_answer)
{
    TRY(connect_to(self));
    request->id = ++self->asked;
    buffer_clear(&self->request);
    replica_put_request(&self->request, request);
    if (zmq_send(zsock_resolve(self->socket), self->request.data, self->request.size,
                 ZMQ_DONTWAIT) < 0)
        return fail(ERR_UNAVAILABLE, "", "the leader at %.180s takes nothing", self->endpoint);
    TRY(await_message(self, deadline_ms));
    TRY(receive(self, ret_answer));
    if (ret_answer->id != request->id || ret_answer->kind != request->kind)
        return fail(ERR_INVALID, "", "the leader answered something that was not asked");
    return OK;
}

// After a failure the connection is made anew: a late answer goes with the old one.
static fallible
ask(replica_source_t *self, struct replica_request *request, uint64_t deadline_ms,
    struct replica_answer *ret_answer)
{
    enum error error = exchange(self, request, deadline_ms, ret_answer);
    if (error != OK) {
        zsock_destroy(&self->socket);
        return error;
    }
    switch (ret_answer->outcome) {
    case REPLICA_OK:
        return OK;
    case REPLICA_GONE:
        return fail(ERR_NOT_FOUND, "", "the leader has no commits behind that place");
    case REPLICA_ABSENT:
        return fail(ERR_NOT_FOUND, "", "%s", ret_answer->sentence);
    case REPLICA_REFUSED:
    default:
        return fail(ERR_CONFLICT, "", "%s", ret_answer->sentence);
    }
}

static struct bytes
bytes_of(const replica_source_t *self)
{
    return (struct bytes){self->bytes.data, self->bytes.size};
}

// --- the log ---

fallible
replica_source_log(replica_source_t *self, struct replica_place after, uint32_t wait_ms,
                   uint64_t deadline_ms, struct replica_log *ret_log)
{
    struct replica_request request = {.kind = REPLICA_LOG, .after = after, .wait_ms = wait_ms};
    struct replica_answer answer;
    TRY(ask(self, &request, deadline_ms, &answer));
    *ret_log = (struct replica_log){.head = answer.place,
                                    .time_us = answer.time_us,
                                    .left = bytes_of(self),
                                    .last = after.position};
    return OK;
}

// A commit that the store of the leader could have made: store_commit would take it here.
static bool
change_is_sound(const struct store_change *change, uint64_t after)
{
    const struct store_commit commit = {.operations = change->operations,
                                        .operation_count = change->operation_count};
    return change->first == after + 1 && change->last >= change->first && change->time_us &&
           change->operation_count <= LIMIT_COMMIT_WRITES &&
           store_commit_fits(&commit, LIMIT_COMMIT_BYTES);
}

// The size and the bytes of the next body; false where they are not there.
static bool
take_body(struct bytes *left, struct bytes *ret_body)
{
    const unsigned char *at = left->data;
    size_t size = 0;
    if (left->size < LOG_SIZE_BYTES)
        return false;
    for (int i = 0; i < LOG_SIZE_BYTES; i++)
        size = size << 8 | at[i];
    if (size > left->size - LOG_SIZE_BYTES || size > LOG_BODY_BYTES)
        return false;
    *ret_body = (struct bytes){at + LOG_SIZE_BYTES, size};
    *left = (struct bytes){at + LOG_SIZE_BYTES + size, left->size - LOG_SIZE_BYTES - size};
    return true;
}

fallible
replica_source_next(replica_source_t *self, struct replica_log *log,
                    const struct store_change **ret_change)
{
    struct bytes body;
    *ret_change = NULL;
    if (!log->left.size)
        return OK;
    bool is_read =
        take_body(&log->left, &body) &&
        log_read_body(body.data, body.size, &self->operations, &self->capacity, &self->frame) &&
        self->frame.kind == LOG_CHANGE && change_is_sound(&self->frame.change, log->last);
    if (!is_read) {
        zsock_destroy(&self->socket);
        return fail(ERR_INVALID, "", "a commit of the leader behind position %llu is damaged",
                    (unsigned long long)log->last);
    }
    log->last = self->frame.change.last;
    *ret_change = &self->frame.change;
    return OK;
}

// --- checkpoints and blobs ---

static fallible
read_files(replica_source_t *self, struct replica_checkpoint *checkpoint)
{
    const unsigned char *at = (const unsigned char *)self->bytes.data, *end = at + self->bytes.size;
    struct replica_file file;
    size_t capacity = 0;
    while (checkpoint->file_count < FILES_MOST && replica_read_file(&at, end, &file)) {
        if (checkpoint->file_count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            checkpoint->files =
                memory_resize(checkpoint->files, capacity * sizeof *checkpoint->files);
        }
        checkpoint->files[checkpoint->file_count++] = file;
    }
    if (at == end && checkpoint->file_count)
        return OK;
    replica_checkpoint_finish(checkpoint);
    zsock_destroy(&self->socket);
    return fail(ERR_INVALID, "", "the leader's list of files is damaged");
}

fallible
replica_source_checkpoint(replica_source_t *self, uint64_t deadline_ms,
                          struct replica_checkpoint *ret_checkpoint)
{
    struct replica_request request = {.kind = REPLICA_CHECKPOINT};
    struct replica_answer answer;
    TRY(ask(self, &request, deadline_ms, &answer));
    struct replica_checkpoint checkpoint = {.id = answer.checkpoint, .place = answer.place};
    TRY(read_files(self, &checkpoint));
    *ret_checkpoint = checkpoint;
    return OK;
}

void
replica_checkpoint_finish(struct replica_checkpoint *self)
{
    free(self->files);
    *self = (struct replica_checkpoint){0};
}

// Asks for a piece; it must lie within the size that the leader says, and be no longer than asked.
static fallible
ask_piece(replica_source_t *self, struct replica_request *request, uint64_t deadline_ms,
          struct bytes *ret_bytes, uint64_t *ret_size)
{
    struct replica_answer answer;
    TRY(ask(self, request, deadline_ms, &answer));
    uint64_t left = request->offset < answer.size ? answer.size - request->offset : 0;
    uint64_t due = left < REPLICA_CHUNK_BYTES ? left : REPLICA_CHUNK_BYTES;
    if (self->bytes.size != due) {
        zsock_destroy(&self->socket);
        return fail(ERR_INVALID, "", "the leader's answer does not have the size that it says");
    }
    *ret_bytes = bytes_of(self);
    *ret_size = answer.size;
    return OK;
}

fallible
replica_source_file(replica_source_t *self, uint64_t checkpoint, const char *name, uint64_t offset,
                    uint64_t deadline_ms, struct bytes *ret_bytes, uint64_t *ret_size)
{
    struct replica_request request = {
        .kind = REPLICA_FILE, .checkpoint = checkpoint, .offset = offset};
    if (snprintf(request.name, sizeof request.name, "%s", name) >= (int)sizeof request.name)
        return fail(ERR_INVALID, "", "no file of a checkpoint has so long a name");
    return ask_piece(self, &request, deadline_ms, ret_bytes, ret_size);
}

fallible
replica_source_done(replica_source_t *self, uint64_t checkpoint, uint64_t deadline_ms)
{
    struct replica_request request = {.kind = REPLICA_DONE, .checkpoint = checkpoint};
    struct replica_answer answer;
    return ask(self, &request, deadline_ms, &answer);
}

fallible
replica_source_blob(replica_source_t *self, const struct blob_hash *hash, uint64_t offset,
                    uint64_t deadline_ms, struct bytes *ret_bytes, uint64_t *ret_size)
{
    struct replica_request request = {.kind = REPLICA_BLOB, .offset = offset, .hash = *hash};
    return ask_piece(self, &request, deadline_ms, ret_bytes, ret_size);
}

bool
replica_blobs_read(struct bytes rows, size_t index, struct replica_blob *ret_blob)
{
    const unsigned char *row = rows.data;
    if (index >= rows.size / REPLICA_BLOB_ROW)
        return false;
    row += index * REPLICA_BLOB_ROW;
    memcpy(ret_blob->hash.bytes, row, BLOB_HASH_BYTES);
    ret_blob->size = key_get_u64(row + BLOB_HASH_BYTES);
    return true;
}
