// record_cache_test.c - what the cache knows, what it forgets first, and what it never forgets.
#include "actors/repository/record_cache.h"

#include <criterion/criterion.h>

#include "proto/records/asset.h"

enum { KIND = 2, OTHER = 3 };

static struct arena arena;
static struct record_cache cache;

static void
end(void)
{
    record_cache_finish(&cache);
    arena_finish(&arena);
}

TestSuite(record_cache, .fini = end);

static const struct text *
text(const char *chars)
{
    return text_from(&arena, chars);
}

// A history under this key is known.
static struct cached_record *
know(const char *key)
{
    struct record *record = record_new(&arena, &history_schema);
    record_set_text(record, HISTORY_ID, text(key));
    const frozen_t *frozen = record_freeze(&history_schema, record);
    struct cached_record *entry = record_cache_take(&cache, KIND, text(key));
    record_cache_set(&cache, entry, frozen);
    record_unref(&frozen);
    return entry;
}

static bool
is_there(const char *key)
{
    return record_cache_find(&cache, KIND, text(key)) != NULL;
}

Test(record_cache, a_record_is_found_by_kind_and_key)
{
    struct cached_record *entry = know("a");
    cr_assert_eq(record_cache_find(&cache, KIND, text("a")), entry);
    cr_assert(entry->is_known);
    cr_assert_str_eq(text_chars(frozen_key(entry->record)), "a");
    cr_assert_null(record_cache_find(&cache, OTHER, text("a")));
    cr_assert_null(record_cache_find(&cache, KIND, text("b")));
}

Test(record_cache, it_knows_that_there_is_no_record)
{
    struct cached_record *entry = know("a");
    cr_assert_not(record_cache_take(&cache, KIND, text("b"))->is_known);
    record_cache_set(&cache, entry, NULL);
    cr_assert(entry->is_known);
    cr_assert_null(entry->record);
}

Test(record_cache, the_least_recently_used_goes_first)
{
    know("a");
    know("b");
    know("c");
    cache.limit = cache.bytes - 1;
    cr_assert(is_there("a")); // used
    record_cache_trim(&cache);
    cr_assert_not(is_there("b"));
    cr_assert(is_there("a"));
    cr_assert(is_there("c"));
}

Test(record_cache, what_is_being_read_stays)
{
    struct cached_record *entry = record_cache_take(&cache, KIND, text("a"));
    entry->is_asked = true;
    know("b");
    cache.limit = 0;
    record_cache_trim(&cache);
    cr_assert(is_there("a"));
    cr_assert_not(is_there("b"));
    entry->is_asked = false;
    record_cache_trim(&cache);
    cr_assert_not(is_there("a"));
}

Test(record_cache, its_bytes_are_those_of_what_it_has)
{
    cr_assert_eq(cache.bytes, 0);
    struct cached_record *entry = know("a");
    size_t with = cache.bytes;
    cr_assert_gt(with, record_size(entry->record));
    know("a"); // replaces it
    cr_assert_eq(cache.bytes, with);
    record_cache_set(&cache, entry, NULL);
    cr_assert_lt(cache.bytes, with);
    record_cache_forget(&cache, entry);
    cr_assert_eq(cache.bytes, 0);
    cr_assert_null(cache.oldest);
    cr_assert_null(cache.newest);
}
