// known_postings.c - see known_postings.h.
#include "tests/support/known_postings.h"

struct cached_record *
known_posting(struct repository *repository, const struct index_row *rows, unsigned row,
              const struct text *value)
{
    while (rows->id != row)
        rows++;
    const struct key prefix = index_prefix_of_text(rows, value);
    struct cached_record *entry = record_cache_take_posting(&repository->cache, key_bytes(&prefix));
    if (!entry->is_known)
        record_cache_posting_is_whole(&repository->cache, entry);
    return entry;
}
