// blob_references.c - scans the keys of INDEX_ASSET_BLOB, which begin with the hash of a blob; no
// record is read (blob_references.h).
#include "actors/asset/blob_references.h"

#include "actors/asset/asset_index.h"
#include "proto/base/clock.h"

enum { DEADLINE_MS = 10000 };

// What scans find: each hash once.
struct found {
    size_t prefix; // bytes of a key before the hash
    struct blob_hash *hashes;
    size_t count, limit;
    size_t seen; // keys of this scan
};

// The first key of the blob, or the first behind all of its keys.
static struct key
place_of(const struct index_row *row, const struct blob_hash *hash, bool is_behind)
{
    char hex[BLOB_HEX_SIZE];
    struct arena arena = {0};
    blob_hash_to_hex(hash, hex);
    struct key key = index_prefix_of_text(row, text_from(&arena, hex));
    arena_finish(&arena);
    return is_behind ? key_after(&key) : key;
}

static bool
take(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct found *self = context;
    struct blob_hash hash;
    (void)version, (void)value;
    self->seen++;
    const char *hex = (const char *)key.data + self->prefix;
    bool is_hash = key.size >= self->prefix + BLOB_HEX_SIZE - 1 &&
                   blob_hash_from_hex(hex, BLOB_HEX_SIZE - 1, &hash);
    if (!is_hash)
        return true;
    if (self->count == 0 || blob_hash_compare(&self->hashes[self->count - 1], &hash) != 0)
        self->hashes[self->count++] = hash;
    return self->count < self->limit;
}

static fallible
list(void *context, const struct blob_hash *low, size_t limit, struct blob_hash *ret_hashes,
     size_t *ret_count)
{
    store_t *store = context;
    const struct index_row *row = index_row_with_id(asset_index, INDEX_ASSET_BLOB);
    const struct key all = index_prefix(row), high = key_after(&all);
    struct found found = {.prefix = all.size, .hashes = ret_hashes, .limit = limit};
    struct key from = place_of(row, low, false);
    *ret_count = 0;
    do {
        found.seen = 0;
        TRY(store_error(store_scan(store, FAMILY_ASSET, 0, key_bytes(&from), key_bytes(&high),
                                   false, limit, clock_deadline_ms(DEADLINE_MS), take, &found)));
        if (found.count)
            from = place_of(row, &ret_hashes[found.count - 1], true);
    } while (found.count < limit && found.seen == limit);
    *ret_count = found.count;
    return OK;
}

struct blob_records
blob_references(store_t *store)
{
    return (struct blob_records){list, store};
}
