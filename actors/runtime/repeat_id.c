// repeat_id.c - a hash of payer, operation and key, and its text.
#include "actors/runtime/repeat_id.h"

#include <sodium.h>

#include "proto/base/token.h"

struct repeat_id
repeat_id_of(const struct message *message, const char *payer, enum operation operation,
             const struct text *key)
{
    struct repeat_id id = {.part = 0};
    const char *name = operation_rows[operation].name;
    const struct token_part parts[] = {
        {payer, strlen(payer)}, {name, strlen(name)}, {text_bytes(key), text_size(key)}};
    token_digest_parts(parts, sizeof parts / sizeof parts[0], id.bytes, sizeof id.bytes);
    message_partition(message, &id.part);
    return id;
}

const struct text *
repeat_id_text(struct arena *arena, const struct repeat_id *id)
{
    char hex[2 * REPEAT_ID_SIZE + 1];
    sodium_bin2hex(hex, sizeof hex, id->bytes, sizeof id->bytes);
    return text_from(arena, hex);
}

bool
repeat_id_from_text(const struct text *text, uint16_t part, struct repeat_id *ret_id)
{
    size_t size;
    ret_id->part = part;
    return sodium_hex2bin(ret_id->bytes, sizeof ret_id->bytes, text_bytes(text), text_size(text),
                          NULL, &size, NULL) == 0 &&
           size == sizeof ret_id->bytes;
}
