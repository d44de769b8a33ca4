// key.c - composes and takes apart store keys; pure, any thread (layout: store/README.md).
#include "store/key.h"

#include <string.h>

enum { TAG_SIZE = 1, NUMBER_SIZE = 8 };

static void
key_put(struct key *self, const void *bytes, size_t size)
{
    size_t room = sizeof self->data - self->size;
    // Cut: stored keys end before KEY_MAX, so a cut key finds nothing (README, decisions).
    size_t taken = size < room ? size : room;
    memcpy(self->data + self->size, bytes, taken);
    self->size += taken;
}

struct key
key_of_tag(key_tag_t tag)
{
    return (struct key){.data = {tag}, .size = TAG_SIZE};
}

struct key
key_of_text(key_tag_t tag, const struct text *text)
{
    struct key key = key_of_tag(tag);
    key_put(&key, text_bytes(text), text_size(text));
    return key;
}

struct key
key_of_name(key_tag_t tag, struct bytes name)
{
    struct key key = key_of_tag(tag);
    key_put(&key, name.data, name.size);
    return key;
}

struct key
key_of_number(key_tag_t tag, uint64_t number)
{
    struct key key = key_of_tag(tag);
    key_put_u64(key.data + key.size, number);
    key.size += NUMBER_SIZE;
    return key;
}

struct key
key_of_number_and_text(key_tag_t tag, uint64_t number, const struct text *text)
{
    struct key key = key_of_number(tag, number);
    key_put(&key, text_bytes(text), text_size(text));
    return key;
}

struct key
key_next(const struct key *self)
{
    struct key key = *self;
    key_put(&key, "", 1);
    return key;
}

struct key
key_after(const struct key *prefix)
{
    struct key key = *prefix;
    while (key.size && key.data[key.size - 1] == 0xff)
        key.size--;
    if (key.size)
        key.data[key.size - 1]++;
    return key;
}

static const struct text *
text_from_byte(struct arena *arena, struct bytes key, size_t start)
{
    if (key.size < start)
        return NULL;
    return text_new(arena, (const char *)key.data + start, key.size - start);
}

const struct text *
key_text_after_number(struct arena *arena, struct bytes key)
{
    return text_from_byte(arena, key, TAG_SIZE + NUMBER_SIZE);
}

const struct text *
key_text(struct arena *arena, struct bytes key)
{
    return text_from_byte(arena, key, TAG_SIZE);
}

bool
key_number(struct bytes key, uint64_t *ret_number)
{
    if (key.size < TAG_SIZE + NUMBER_SIZE)
        return false;
    *ret_number = key_get_u64((const unsigned char *)key.data + TAG_SIZE);
    return true;
}

void
key_put_u64(unsigned char *ret_bytes, uint64_t value)
{
    for (int i = NUMBER_SIZE - 1; i >= 0; i--, value >>= 8)
        ret_bytes[i] = (unsigned char)value;
}

uint64_t
key_get_u64(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < NUMBER_SIZE; i++)
        value = value << 8 | bytes[i];
    return value;
}

int
key_compare(const struct key *a, const struct key *b)
{
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}
