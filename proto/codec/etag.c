// etag.c - hashes and lists of entity tags. Pure. The hash resists collisions on purpose: several
// clients write into one scene, and none of them must be able to make two states with one tag.
#include "proto/codec/etag.h"

#include <stdlib.h>
#include <string.h>

#include "proto/codec/record_json.h"

enum { HASH_BYTES = (ETAG_SIZE - 1) / 2, HASH_DIGITS = ETAG_SIZE - 1 };

void
etag_of_json(const char *json, size_t size, struct etag *ret_etag)
{
    unsigned char hash[HASH_BYTES];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)json, size, NULL, 0);
    sodium_bin2hex(ret_etag->chars, sizeof ret_etag->chars, hash, sizeof hash);
}

void
etag_of_record(const struct record *record, const struct view *view, struct etag *ret_etag)
{
    struct buffer json = {0};
    record_to_json(record, view, &json);
    etag_of_json(json.data, json.size, ret_etag);
    buffer_finish(&json);
}

static crypto_generichash_state *
state_create(void)
{
    enum { ALIGNMENT = 64 };
    size_t size = (crypto_generichash_statebytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    crypto_generichash_state *self = aligned_alloc(ALIGNMENT, size);
    if (!self)
        abort();
    crypto_generichash_init(self, NULL, 0, HASH_BYTES);
    return self;
}

void
etag_parts_add(struct etag_parts *self, const char *json, size_t size)
{
    if (!self->hash)
        self->hash = state_create();
    crypto_generichash_update(self->hash, (const unsigned char *)json, size);
}

void
etag_parts_end(struct etag_parts *self, struct etag *ret_etag)
{
    unsigned char hash[HASH_BYTES];
    crypto_generichash_final(self->hash, hash, sizeof hash);
    sodium_bin2hex(ret_etag->chars, sizeof ret_etag->chars, hash, sizeof hash);
    etag_parts_finish(self);
}

void
etag_parts_finish(struct etag_parts *self)
{
    free(self->hash);
    self->hash = NULL;
}

// Empty members are allowed: `, "a",, "b"`.
static const char *
skip_commas(const char *at)
{
    return at + strspn(at, ", \t");
}

bool
etag_next(const char **list, struct etag_item *ret_item)
{
    const char *at = *list = skip_commas(*list);
    struct etag_item item = {.chars = at};
    if (*at == '*') {
        item.is_any = true;
        at++;
    } else {
        item.is_weak = at[0] == 'W' && at[1] == '/';
        at += item.is_weak ? 2 : 0;
        const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
        if (!end)
            return false;
        item.chars = at + 1;
        item.size = (size_t)(end - item.chars);
        at = end + 1;
    }
    if (*at && !strchr(", \t", *at))
        return false;
    *list = skip_commas(at);
    *ret_item = item;
    return true;
}

bool
etag_list_is_valid(const char *list)
{
    struct etag_item item;
    size_t count = 0;
    bool has_any = false;
    while (etag_next(&list, &item)) {
        has_any |= item.is_any;
        count++;
    }
    return *list == '\0' && count > 0 && (!has_any || count == 1);
}

bool
etag_item_names(const struct etag_item *item, const struct etag *etag,
                enum etag_comparison comparison)
{
    if (item->is_any)
        return true;
    if (item->size < HASH_DIGITS || (item->is_weak && comparison == ETAG_STRONG))
        return false;
    return memcmp(item->chars, etag->chars, HASH_DIGITS) == 0 &&
           (item->size == HASH_DIGITS || item->chars[HASH_DIGITS] == '-');
}

bool
etag_list_names(const char *list, const struct etag *etag, enum etag_comparison comparison)
{
    struct etag_item item;
    while (etag_next(&list, &item))
        if (etag_item_names(&item, etag, comparison))
            return true;
    return false;
}

bool
etag_item_coding(const struct etag_item *item, const struct etag *etag, const char **ret_coding,
                 size_t *ret_size)
{
    *ret_coding = item->chars;
    *ret_size = 0;
    if (item->is_any || item->size < HASH_DIGITS)
        return item->is_any;
    const char *at = item->chars + HASH_DIGITS, *end = item->chars + item->size;
    size_t length = etag->variant ? strlen(etag->variant) : 0;
    if (length && (end - at <= (ptrdiff_t)length || memcmp(at + 1, etag->variant, length) != 0))
        return false;
    at += length ? length + 1 : 0;
    if (at < end && *at != '-')
        return false;
    *ret_coding = at < end ? at + 1 : end;
    *ret_size = (size_t)(end - *ret_coding);
    return true;
}
