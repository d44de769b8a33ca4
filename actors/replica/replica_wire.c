// replica_wire.c - writes and reads requests of followers and the answers (replica_wire.h). Pure.
#include "actors/replica/replica_wire.h"

#include <string.h>

#include "store/key.h"

// --- writing ---

static void
put_number(struct buffer *out, uint64_t number, size_t bytes)
{
    unsigned char all[8];
    key_put_u64(all, number);
    buffer_put(out, all + sizeof all - bytes, bytes);
}

static void
put_start(struct buffer *out, enum replica_kind kind, uint64_t id)
{
    put_number(out, REPLICA_VERSION, 2);
    put_number(out, kind, 1);
    put_number(out, id, 8);
}

void
replica_put_request(struct buffer *out, const struct replica_request *request)
{
    put_start(out, request->kind, request->id);
    switch (request->kind) {
    case REPLICA_LOG:
        put_number(out, request->after.epoch, 8);
        put_number(out, request->after.position, 8);
        put_number(out, request->wait_ms, 4);
        break;
    case REPLICA_CHECKPOINT:
        break;
    case REPLICA_FILE:
        put_number(out, request->checkpoint, 8);
        put_number(out, request->offset, 8);
        buffer_put_chars(out, request->name);
        break;
    case REPLICA_DONE:
        put_number(out, request->checkpoint, 8);
        break;
    case REPLICA_BLOB:
        put_number(out, request->offset, 8);
        buffer_put(out, request->hash.bytes, sizeof request->hash.bytes);
        break;
    }
}

void
replica_put_answer(struct buffer *out, const struct replica_answer *answer)
{
    put_start(out, answer->kind, answer->id);
    put_number(out, answer->outcome, 1);
    put_number(out, answer->place.epoch, 8);
    put_number(out, answer->place.position, 8);
    put_number(out, answer->time_us, 8);
    put_number(out, answer->checkpoint, 8);
    put_number(out, answer->size, 8);
    buffer_put_chars(out, answer->sentence);
}

void
replica_put_file(struct buffer *out, const struct replica_file *file)
{
    size_t size = strlen(file->name);
    put_number(out, size, 2);
    buffer_put(out, file->name, size);
    put_number(out, file->size, 8);
}

// --- reading ---

struct cursor {
    const unsigned char *at, *end;
    bool is_short; // something was asked for that is not there
};

static uint64_t
take_number(struct cursor *self, size_t bytes)
{
    uint64_t number = 0;
    if (bytes > (size_t)(self->end - self->at)) {
        self->is_short = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | *self->at++;
    return number;
}

// `size` bytes as chars with a NUL behind them, which has room in `ret_chars`.
static void
take_chars(struct cursor *self, size_t size, size_t room, char *ret_chars)
{
    if (size >= room || size > (size_t)(self->end - self->at)) {
        self->is_short = true;
        return;
    }
    memcpy(ret_chars, self->at, size);
    ret_chars[size] = '\0';
    self->at += size;
}

static void
take_rest(struct cursor *self, size_t room, char *ret_chars)
{
    take_chars(self, (size_t)(self->end - self->at), room, ret_chars);
}

static void
take_hash(struct cursor *self, struct blob_hash *ret_hash)
{
    for (size_t i = 0; i < sizeof ret_hash->bytes; i++)
        ret_hash->bytes[i] = (unsigned char)take_number(self, 1);
}

// The start of a request or an answer. It is the same in all versions.
static fallible
take_start(struct cursor *self, enum replica_kind *ret_kind, uint64_t *ret_id)
{
    uint64_t version = take_number(self, 2), kind = take_number(self, 1), id = take_number(self, 8);
    if (self->is_short)
        return fail(ERR_INVALID, "", "these bytes are no message of a follower or its leader");
    *ret_id = id;
    if (version != REPLICA_VERSION)
        return fail(ERR_INVALID, "",
                    "the other server speaks version %llu of the protocol of followers, this one "
                    "speaks %d: run the same version of both",
                    (unsigned long long)version, REPLICA_VERSION);
    if (kind < REPLICA_LOG || kind > REPLICA_BLOB)
        return fail(ERR_INVALID, "", "there is no request of kind %llu", (unsigned long long)kind);
    *ret_kind = (enum replica_kind)kind;
    return OK;
}

static void
take_request(struct cursor *self, struct replica_request *request)
{
    switch (request->kind) {
    case REPLICA_LOG:
        request->after.epoch = take_number(self, 8);
        request->after.position = take_number(self, 8);
        request->wait_ms = (uint32_t)take_number(self, 4);
        break;
    case REPLICA_CHECKPOINT:
        break;
    case REPLICA_FILE:
        request->checkpoint = take_number(self, 8);
        request->offset = take_number(self, 8);
        take_rest(self, sizeof request->name, request->name);
        break;
    case REPLICA_DONE:
        request->checkpoint = take_number(self, 8);
        break;
    case REPLICA_BLOB:
        request->offset = take_number(self, 8);
        take_hash(self, &request->hash);
        break;
    }
}

fallible
replica_read_request(const void *bytes, size_t size, struct replica_request *ret_request)
{
    const unsigned char *start = bytes;
    struct cursor cursor = {start, start + size, false};
    *ret_request = (struct replica_request){.kind = REPLICA_LOG};
    TRY(take_start(&cursor, &ret_request->kind, &ret_request->id));
    take_request(&cursor, ret_request);
    if (cursor.is_short || cursor.at != cursor.end)
        return fail(ERR_INVALID, "", "the request does not have the size of its kind");
    if (ret_request->kind == REPLICA_FILE && !replica_name_is_plain(ret_request->name))
        return fail(ERR_INVALID, "", "that is not the name of a file of a checkpoint");
    return OK;
}

fallible
replica_read_answer(const void *bytes, size_t size, struct replica_answer *ret_answer)
{
    const unsigned char *start = bytes;
    struct cursor cursor = {start, start + size, false};
    *ret_answer = (struct replica_answer){0};
    TRY(take_start(&cursor, &ret_answer->kind, &ret_answer->id));
    uint64_t outcome = take_number(&cursor, 1);
    ret_answer->outcome = (enum replica_outcome)outcome;
    ret_answer->place.epoch = take_number(&cursor, 8);
    ret_answer->place.position = take_number(&cursor, 8);
    ret_answer->time_us = take_number(&cursor, 8);
    ret_answer->checkpoint = take_number(&cursor, 8);
    ret_answer->size = take_number(&cursor, 8);
    take_rest(&cursor, sizeof ret_answer->sentence, ret_answer->sentence);
    if (cursor.is_short || outcome > REPLICA_REFUSED)
        return fail(ERR_INVALID, "", "the leader's answer is damaged");
    return OK;
}

bool
replica_read_file(const unsigned char **at, const unsigned char *end, struct replica_file *ret_file)
{
    struct cursor cursor = {*at, end, false};
    if (cursor.at == end)
        return false;
    take_chars(&cursor, take_number(&cursor, 2), sizeof ret_file->name, ret_file->name);
    ret_file->size = take_number(&cursor, 8);
    if (cursor.is_short || !replica_name_is_plain(ret_file->name))
        return false;
    *at = cursor.at;
    return true;
}

bool
replica_name_is_plain(const char *name)
{
    return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !strchr(name, '/');
}
