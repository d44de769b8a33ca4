// msgpack.h - msgpack to trees; its content may be hostile (diorama.h).
#ifndef DIORAMA_MSGPACK_H
#define DIORAMA_MSGPACK_H

#include "tools/sdk/c/memory.h"

struct dio_pack {
    struct diorama_arena *arena;
    const unsigned char *at;
    size_t left;
};

enum { DIO_PACK_DEPTH = 32 };

static bool dio_pack_value(struct dio_pack *self, unsigned depth, struct diorama_value *ret_value);

// A number of `size` bytes, big-endian.
static bool
dio_pack_bits(struct dio_pack *self, unsigned size, uint64_t *ret_bits)
{
    if (self->left < size)
        return false;
    *ret_bits = 0;
    for (unsigned i = 0; i < size; i++)
        *ret_bits = *ret_bits << 8 | self->at[i];
    self->at += size;
    self->left -= size;
    return true;
}

static bool
dio_pack_bytes(struct dio_pack *self, enum diorama_type type, uint64_t size,
               struct diorama_value *ret_value)
{
    if (self->left < size)
        return false;
    char *copy = dio_take(self->arena, (size_t)size + 1);
    if (!copy)
        return false;
    memcpy(copy, self->at, (size_t)size);
    copy[size] = '\0';
    self->at += size;
    self->left -= (size_t)size;
    *ret_value = (struct diorama_value){.type = type, .count = (size_t)size, .of.text = copy};
    return true;
}

static bool
dio_pack_array(struct dio_pack *self, uint64_t count, unsigned depth,
               struct diorama_value *ret_value)
{
    if (count > self->left)
        return false;
    struct diorama_value *items = dio_take_items(self->arena, (size_t)count + 1, sizeof *items);
    if (!items)
        return false;
    *ret_value =
        (struct diorama_value){.type = DIORAMA_ARRAY, .count = (size_t)count, .of.items = items};
    for (size_t i = 0; i < count; i++)
        if (!dio_pack_value(self, depth + 1, &items[i]))
            return false;
    return true;
}

static bool
dio_pack_map(struct dio_pack *self, uint64_t count, unsigned depth, struct diorama_value *ret_value)
{
    if (count > self->left)
        return false;
    struct diorama_pair *pairs = dio_take_items(self->arena, (size_t)count + 1, sizeof *pairs);
    if (!pairs)
        return false;
    *ret_value =
        (struct diorama_value){.type = DIORAMA_MAP, .count = (size_t)count, .of.pairs = pairs};
    for (size_t i = 0; i < count; i++) {
        if (!dio_pack_value(self, depth + 1, &pairs[i].name) ||
            !dio_pack_value(self, depth + 1, &pairs[i].value))
            return false;
        if (pairs[i].name.type != DIORAMA_TEXT && pairs[i].name.type != DIORAMA_NUMBER)
            return false;
    }
    return true;
}

static void
dio_pack_number(double number, struct diorama_value *ret_value)
{
    *ret_value = (struct diorama_value){.type = DIORAMA_NUMBER, .of.number = number};
}

// A signed number of `size` bytes.
static double
dio_signed(uint64_t bits, unsigned size)
{
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return bits & sign ? -(double)((size == 8 ? 0 : 2 * sign) - bits) : (double)bits;
}

static bool
dio_pack_fixed(struct dio_pack *self, unsigned head, struct diorama_value *ret_value)
{
    uint64_t bits;
    unsigned size = head < 0xcc ? 4U << (head - 0xca) : 1U << ((head - 0xcc) & 3);
    if (!dio_pack_bits(self, size, &bits))
        return false;
    if (head == 0xca) {
        uint32_t narrow = (uint32_t)bits;
        float number;
        memcpy(&number, &narrow, sizeof number);
        dio_pack_number((double)number, ret_value);
    } else if (head == 0xcb) {
        double number;
        memcpy(&number, &bits, sizeof number);
        dio_pack_number(number, ret_value);
    } else {
        dio_pack_number(head >= 0xd0 ? dio_signed(bits, size) : (double)bits, ret_value);
    }
    return true;
}

// Values whose head does not say their size.
static bool
dio_pack_long(struct dio_pack *self, unsigned head, unsigned depth, struct diorama_value *ret_value)
{
    uint64_t size;
    if (head >= 0xc4 && head <= 0xc6)
        return dio_pack_bits(self, 1U << (head - 0xc4), &size) &&
               dio_pack_bytes(self, DIORAMA_BINARY, size, ret_value);
    if (head >= 0xd9 && head <= 0xdb)
        return dio_pack_bits(self, 1U << (head - 0xd9), &size) &&
               dio_pack_bytes(self, DIORAMA_TEXT, size, ret_value);
    if (head == 0xdc || head == 0xdd)
        return dio_pack_bits(self, 2U << (head - 0xdc), &size) &&
               dio_pack_array(self, size, depth, ret_value);
    if (head == 0xde || head == 0xdf)
        return dio_pack_bits(self, 2U << (head - 0xde), &size) &&
               dio_pack_map(self, size, depth, ret_value);
    return false;
}

static bool
dio_pack_value(struct dio_pack *self, unsigned depth, struct diorama_value *ret_value)
{
    uint64_t bits;
    if (depth > DIO_PACK_DEPTH || !dio_pack_bits(self, 1, &bits))
        return false;
    unsigned head = (unsigned)bits;
    *ret_value = (struct diorama_value){0};
    if (head < 0x80 || head >= 0xe0)
        dio_pack_number(head < 0x80 ? (double)head : (double)head - 256, ret_value);
    else if (head < 0x90)
        return dio_pack_map(self, head & 15, depth, ret_value);
    else if (head < 0xa0)
        return dio_pack_array(self, head & 15, depth, ret_value);
    else if (head < 0xc0)
        return dio_pack_bytes(self, DIORAMA_TEXT, head & 31, ret_value);
    else if (head == 0xc2 || head == 0xc3)
        *ret_value = (struct diorama_value){.type = DIORAMA_BOOL, .of.boolean = head == 0xc3};
    else if (head >= 0xca && head <= 0xd3)
        return dio_pack_fixed(self, head, ret_value);
    else
        return head == 0xc0 || dio_pack_long(self, head, depth, ret_value);
    return true;
}

bool
diorama_read_msgpack(struct diorama_arena *arena, const void *data, size_t size,
                     struct diorama_value *ret_value)
{
    struct dio_pack self = {arena, data, size};
    return dio_pack_value(&self, 0, ret_value) && self.left == 0;
}

#endif
