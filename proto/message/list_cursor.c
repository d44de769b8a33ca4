// list_cursor.c - a cursor is base64url of: hash, total, value, key. The hash covers the print of
// the list, which is not in the cursor, and the rest.
#include "proto/message/list_cursor.h"

#include <sodium.h>
#include <string.h>

#include "proto/base/token.h"

enum {
    VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
    CHECK_BYTES = 16,
    TOTAL_BYTES = 3, // 0xffffff = more than are counted
    HEAD_BYTES = CHECK_BYTES + TOTAL_BYTES + 1,
    KEY_MOST = 1024,
    CURSOR_MOST = HEAD_BYTES + LIST_VALUE_BYTES + KEY_MOST,
    UNCOUNTED = 0xffffff,
};

static void
check_of(const struct list_print *print, const unsigned char *body, size_t size,
         unsigned char ret_check[CHECK_BYTES])
{
    const struct token_part parts[] = {{print->bytes, sizeof print->bytes}, {body, size}};
    token_digest_parts(parts, 2, ret_check, CHECK_BYTES);
}

const struct text *
list_cursor_write(struct arena *arena, const struct list_print *print,
                  const struct list_place *place, int64_t total)
{
    unsigned char bytes[CURSOR_MOST];
    char cursor[sodium_base64_ENCODED_LEN(CURSOR_MOST, VARIANT)];
    size_t key_size = text_size(place->key), size = HEAD_BYTES + place->size + key_size;
    uint32_t counted = total < 0 ? UNCOUNTED : (uint32_t)total;
    if (key_size > KEY_MOST)
        return NULL; // no key is that long
    for (int i = 0; i < TOTAL_BYTES; i++)
        bytes[CHECK_BYTES + i] = (unsigned char)(counted >> (8 * i));
    bytes[HEAD_BYTES - 1] = place->size;
    memcpy(bytes + HEAD_BYTES, place->value, place->size);
    memcpy(bytes + HEAD_BYTES + place->size, text_bytes(place->key), text_size(place->key));
    check_of(print, bytes + CHECK_BYTES, size - CHECK_BYTES, bytes);
    sodium_bin2base64(cursor, sizeof cursor, bytes, size, VARIANT);
    return text_from(arena, cursor);
}

static fallible
refuse(void)
{
    return fail(ERR_INVALID, "/after",
                "is no cursor of this list: `next` of a page is good for the same filters and the "
                "same order");
}

fallible
list_cursor_read(struct arena *arena, const struct list_print *print, const struct text *cursor,
                 struct list_place *ret_place, int64_t *ret_total)
{
    unsigned char bytes[CURSOR_MOST], check[CHECK_BYTES];
    size_t size;
    if (sodium_base642bin(bytes, sizeof bytes, text_bytes(cursor), text_size(cursor), NULL, &size,
                          NULL, VARIANT) != 0)
        return refuse();
    if (size < HEAD_BYTES || size < HEAD_BYTES + (size_t)bytes[HEAD_BYTES - 1] ||
        bytes[HEAD_BYTES - 1] > LIST_VALUE_BYTES)
        return refuse();
    check_of(print, bytes + CHECK_BYTES, size - CHECK_BYTES, check);
    if (memcmp(check, bytes, CHECK_BYTES) != 0)
        return refuse();
    uint32_t counted = 0;
    for (int i = 0; i < TOTAL_BYTES; i++)
        counted |= (uint32_t)bytes[CHECK_BYTES + i] << (8 * i);
    *ret_total = counted == UNCOUNTED ? -1 : (int64_t)counted;
    ret_place->size = bytes[HEAD_BYTES - 1];
    memcpy(ret_place->value, bytes + HEAD_BYTES, ret_place->size);
    size_t start = HEAD_BYTES + (size_t)ret_place->size;
    ret_place->key = text_new(arena, (const char *)bytes + start, size - start);
    return OK;
}
