// log_frame.c - writes and reads the frames of a log (log_frame.h). Pure.
#include "store/backup/log_frame.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/message/partition.h"
#include "store/key.h"

// --- writing ---

static void
put_number(struct buffer *out, uint64_t number, size_t bytes)
{
    unsigned char all[8];
    key_put_u64(all, number);
    buffer_put(out, all + sizeof all - bytes, bytes);
}

void
log_put_header(struct buffer *out, const struct log_segment *segment)
{
    buffer_put_char(out, LOG_HEADER);
    put_number(out, LOG_FORM_NOW, 8);
    buffer_put(out, segment->chain, sizeof segment->chain);
    put_number(out, segment->number, 8);
    put_number(out, segment->after, 8);
    put_number(out, segment->started_us, 8);
    buffer_put(out, segment->before.bytes, sizeof segment->before.bytes);
    buffer_put_chars(out, segment->lineage);
}

void
log_put_change(struct buffer *out, const struct store_change *change)
{
    buffer_put_char(out, LOG_CHANGE);
    put_number(out, change->first, 8);
    put_number(out, change->last, 8);
    put_number(out, change->time_us, 8);
    put_number(out, change->id, 8);
    for (size_t i = 0; i < change->operation_count; i++) {
        const struct store_operation *operation = &change->operations[i];
        put_number(out, operation->address.family, 1);
        put_number(out, operation->is_delete, 1);
        put_number(out, operation->address.part, 2);
        put_number(out, operation->address.key.size, 2);
        put_number(out, operation->value.size, 4);
        buffer_put(out, operation->address.key.data, operation->address.key.size);
        buffer_put(out, operation->value.data, operation->value.size);
    }
}

void
log_put_blob(struct buffer *out, const struct blob_hash *hash, uint64_t size)
{
    buffer_put_char(out, LOG_BLOB);
    put_number(out, size, 8);
    buffer_put(out, hash->bytes, sizeof hash->bytes);
}

void
log_put_mark(struct buffer *out, enum log_kind kind, uint64_t last, uint64_t time_us)
{
    buffer_put_char(out, (char)kind);
    put_number(out, last, 8);
    put_number(out, time_us, 8);
}

static void
put_size(unsigned char ret_bytes[LOG_SIZE_BYTES], size_t size)
{
    for (int i = 0; i < LOG_SIZE_BYTES; i++)
        ret_bytes[i] = (unsigned char)(size >> (8 * (LOG_SIZE_BYTES - 1 - i)));
}

void
log_digest_next(const void *body, size_t size, struct log_digest *digest)
{
    crypto_generichash_state state;
    unsigned char size_bytes[LOG_SIZE_BYTES];
    put_size(size_bytes, size);
    crypto_generichash_init(&state, NULL, 0, sizeof digest->bytes);
    crypto_generichash_update(&state, digest->bytes, sizeof digest->bytes);
    crypto_generichash_update(&state, size_bytes, sizeof size_bytes);
    crypto_generichash_update(&state, body, size);
    crypto_generichash_final(&state, digest->bytes, sizeof digest->bytes);
}

// Each bit of the size changes one bit of it, and no single bit leads from it to 0, which would be
// none.
static unsigned char
check_of(size_t size)
{
    return (unsigned char)(0xc0 | ((size ^ size >> 6 ^ size >> 12 ^ size >> 18) & 0x3f));
}

void
log_put_head(unsigned char ret_head[LOG_SIZE_BYTES], size_t size)
{
    assert(size <= LOG_BODY_BYTES);
    put_size(ret_head, size);
    ret_head[0] = check_of(size);
}

bool
log_read_head(const unsigned char head[LOG_SIZE_BYTES], bool may_lack_check, size_t *ret_size)
{
    *ret_size = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    return *ret_size > 0 && (head[0] == check_of(*ret_size) || (may_lack_check && head[0] == 0));
}

void
log_put_frame(struct buffer *out, const struct buffer *body, struct log_digest *digest)
{
    unsigned char head[LOG_SIZE_BYTES];
    log_put_head(head, body->size);
    log_digest_next(body->data, body->size, digest);
    buffer_put(out, head, sizeof head);
    buffer_put(out, body->data, body->size);
    buffer_put(out, digest->bytes, sizeof digest->bytes);
}

// --- reading ---

struct cursor {
    const unsigned char *at, *end;
    bool is_short; // something was asked for that is not there
};

static const unsigned char *
take(struct cursor *self, size_t size)
{
    static const unsigned char none[LOG_LINEAGE_SIZE];
    if (size > (size_t)(self->end - self->at)) {
        self->is_short = true;
        return none;
    }
    self->at += size;
    return self->at - size;
}

static uint64_t
take_number(struct cursor *self, size_t bytes)
{
    const unsigned char *at = take(self, bytes);
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | at[i];
    return number;
}

bool
log_read_header(const unsigned char *body, size_t size, struct log_segment *ret_segment,
                uint64_t *ret_form)
{
    struct cursor cursor = {body + 1, body + size, false};
    if (size < 1 || body[0] != LOG_HEADER)
        return false;
    *ret_form = take_number(&cursor, 8);
    memcpy(ret_segment->chain, take(&cursor, LOG_CHAIN_BYTES), LOG_CHAIN_BYTES);
    ret_segment->number = take_number(&cursor, 8);
    ret_segment->after = take_number(&cursor, 8);
    ret_segment->started_us = take_number(&cursor, 8);
    memcpy(ret_segment->before.bytes, take(&cursor, LOG_DIGEST_BYTES), LOG_DIGEST_BYTES);
    size_t left = (size_t)(cursor.end - cursor.at);
    if (cursor.is_short || left >= LOG_LINEAGE_SIZE)
        return false;
    memcpy(ret_segment->lineage, cursor.at, left);
    ret_segment->lineage[left] = '\0';
    return true;
}

// False on what no store has.
static bool
read_operation(struct cursor *cursor, struct store_operation *ret_operation)
{
    ret_operation->address.family = (enum family)take_number(cursor, 1);
    ret_operation->is_delete = take_number(cursor, 1) != 0;
    ret_operation->address.part = (uint16_t)take_number(cursor, 2);
    size_t key_size = take_number(cursor, 2), value_size = take_number(cursor, 4);
    ret_operation->address.key = (struct bytes){take(cursor, key_size), key_size};
    ret_operation->value = (struct bytes){take(cursor, value_size), value_size};
    return (unsigned)ret_operation->address.family < FAMILY_COUNT &&
           ret_operation->address.part < PARTITION_COUNT && key_size <= STORE_KEY_BYTES &&
           !(ret_operation->is_delete && value_size);
}

static bool
read_change(struct cursor *cursor, struct store_operation **operations, size_t *capacity,
            struct store_change *ret_change)
{
    ret_change->first = take_number(cursor, 8);
    ret_change->last = take_number(cursor, 8);
    ret_change->time_us = take_number(cursor, 8);
    ret_change->id = take_number(cursor, 8);
    while (!cursor->is_short && cursor->at < cursor->end) {
        if (ret_change->operation_count == *capacity) {
            *capacity = *capacity ? 2 * *capacity : 64;
            *operations = memory_resize(*operations, *capacity * sizeof **operations);
        }
        if (!read_operation(cursor, &(*operations)[ret_change->operation_count++]))
            return false;
    }
    ret_change->operations = *operations;
    return !cursor->is_short && ret_change->id &&
           ret_change->last - ret_change->first + 1 == ret_change->operation_count;
}

bool
log_read_body(const unsigned char *body, size_t size, struct store_operation **operations,
              size_t *capacity, struct log_frame *ret_frame)
{
    struct cursor cursor = {body + 1, body + size, false};
    *ret_frame = (struct log_frame){0};
    if (size < 1)
        return false;
    ret_frame->kind = (enum log_kind)body[0];
    switch (ret_frame->kind) {
    case LOG_CHANGE:
        return read_change(&cursor, operations, capacity, &ret_frame->change);
    case LOG_BLOB:
        ret_frame->size = take_number(&cursor, 8);
        memcpy(ret_frame->hash.bytes, take(&cursor, BLOB_HASH_BYTES), BLOB_HASH_BYTES);
        break;
    case LOG_MARK:
    case LOG_CLOSE:
        ret_frame->last = take_number(&cursor, 8);
        ret_frame->time_us = take_number(&cursor, 8);
        break;
    case LOG_HEADER:
    default:
        return false;
    }
    return !cursor.is_short && cursor.at == cursor.end;
}

void
log_chain_to_hex(const unsigned char chain[LOG_CHAIN_BYTES], char ret_hex[LOG_CHAIN_HEX_SIZE])
{
    sodium_bin2hex(ret_hex, LOG_CHAIN_HEX_SIZE, chain, LOG_CHAIN_BYTES);
}
