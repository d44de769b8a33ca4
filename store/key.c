// key.c - composes and takes apart store keys; pure, any thread (layout: store/README.md).
#include "store/key.h"

#include <string.h>

enum { TAG_SIZE = 1, ID_SIZE = 8 };

static void
key_put(struct key *self, const void *bytes, size_t size)
{
    size_t room = sizeof self->data - self->size;
    // Cut: stored keys end well before KEY_MAX, so a cut key finds nothing (README, decisions).
    size_t taken = size < room ? size : room;
    memcpy(self->data + self->size, bytes, taken);
    self->size += taken;
}

struct key
key_of_tag(enum key_tag tag)
{
    return (struct key){.data = {(unsigned char)tag}, .size = TAG_SIZE};
}

struct key
key_of_text(enum key_tag tag, const struct text *text)
{
    struct key key = key_of_tag(tag);
    key_put(&key, text_chars(text), text_size(text));
    return key;
}

struct key
key_of_scene_id(enum key_tag tag, uint64_t scene_id)
{
    struct key key = key_of_tag(tag);
    key_put_u64(key.data + key.size, scene_id);
    key.size += ID_SIZE;
    return key;
}

struct key
key_in_scene(enum key_tag tag, uint64_t scene_id, const struct text *text)
{
    struct key key = key_of_scene_id(tag, scene_id);
    key_put(&key, text_chars(text), text_size(text));
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
key_text_in_scene(struct arena *arena, struct bytes key)
{
    return text_from_byte(arena, key, TAG_SIZE + ID_SIZE);
}

const struct text *
key_text(struct arena *arena, struct bytes key)
{
    return text_from_byte(arena, key, TAG_SIZE);
}

bool
key_scene_id(struct bytes key, uint64_t *ret_scene_id)
{
    if (key.size < TAG_SIZE + ID_SIZE)
        return false;
    *ret_scene_id = key_get_u64((const unsigned char *)key.data + TAG_SIZE);
    return true;
}

void
key_put_u64(unsigned char *ret_bytes, uint64_t value)
{
    for (int i = ID_SIZE - 1; i >= 0; i--, value >>= 8)
        ret_bytes[i] = (unsigned char)value;
}

uint64_t
key_get_u64(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < ID_SIZE; i++)
        value = value << 8 | bytes[i];
    return value;
}
