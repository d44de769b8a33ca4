// known_postings.c - see known_postings.h.
#include "tests/support/known_postings.h"

#include "actors/repository/repository_fetch.h"

struct cached_record *
known_posting(struct repository *repository, const struct index_row *rows, unsigned row,
              const struct text *value)
{
    unsigned kind = 0;
    while (repository->settings.kinds[kind].stored != rows)
        kind++;
    repository_know_none(repository, kind, row, value);
    while (rows->id != row)
        rows++;
    const struct key prefix = index_prefix_of_text(rows, value);
    return record_cache_take_posting(&repository->cache, key_bytes(&prefix));
}
