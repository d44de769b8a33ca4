// stored_walk.c - one page after the other of one range after the other (stored_walk.h).
#include "actors/runtime/stored_walk.h"

#include "proto/base/clock.h"

enum { CALL_DEADLINE_MS = 10000 };

void
stored_walk_finish(struct stored_walk *self)
{
    record_page_destroy(&self->page);
}

static struct record_page *
begin(const struct stored_walk *self, const struct index_family *family,
      const struct index_kind *kind)
{
    struct record_page *page = record_page_of_kind(family, kind, 0);
    page->is_by_index = self->way.row != NULL;
    page->is_backward = self->is_backward;
    page->low = self->way.ranges[self->range].low;
    page->high = self->way.ranges[self->range].high;
    return page;
}

fallible
stored_walk_next(struct stored_walk *self, const struct index_family *family,
                 const struct index_kind *kind, store_t *store, size_t limit, bool *ret_is_over)
{
    if (self->page && !self->page->is_more) {
        record_page_destroy(&self->page);
        self->range++;
    }
    *ret_is_over = self->range == self->way.range_count;
    if (*ret_is_over)
        return OK;
    if (!self->page)
        self->page = begin(self, family, kind);
    self->page->limit = limit;
    record_page_read(self->page, store, clock_deadline_ms(CALL_DEADLINE_MS));
    enum store_result result = self->page->scanned;
    if (result == STORE_OK && self->page->result != STORE_BAD)
        result = self->page->result;
    self->looked += self->page->count;
    return store_error(result);
}

// The least of the words that begin as the filter says, in the order of keys.
static bool
least_word(const struct list_filter *filter, const struct words *words, const char **ret_word,
           size_t *ret_size)
{
    const char *word;
    size_t size;
    bool is_found = false;
    for (size_t at = 0; words_next(words->bytes, words->size, &at, &word, &size);) {
        if (size < filter->low_size || memcmp(word, filter->low, filter->low_size) != 0 ||
            (is_found && list_value_compare(word, size, *ret_word, *ret_size) > 0))
            continue;
        *ret_word = word;
        *ret_size = size;
        is_found = true;
    }
    return is_found;
}

bool
stored_walk_is_first(const struct stored_walk *self, const struct words *words, size_t index)
{
    const char *word;
    size_t size;
    struct arena arena = {0};
    const struct text *name = frozen_key(self->page->records[index]);
    if (!least_word(self->way.filter, words, &word, &size))
        return false;
    const struct key key = index_key_of_text(self->way.row, text_new(&arena, word, size),
                                             (struct bytes){text_bytes(name), text_size(name)});
    arena_finish(&arena);
    return key_compare(&key, &self->page->keys[index]) == 0;
}
