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

Test(record_cache, what_never_was_pushes_nothing_out)
{
    cache.limit = 1 << 20;
    know("a");
    for (unsigned i = 0; i < RECORD_ABSENCES_MOST + 2; i++) {
        const struct text *key = text_format(&arena, "none %u", i);
        record_cache_set(&cache, record_cache_take(&cache, KIND, key), NULL);
    }
    record_cache_trim(&cache);
    cr_assert_eq(RECORD_ABSENCES_MOST, cache.absences.count);
    cr_assert_eq(1, cache.uses.count);
    cr_assert(is_there("a"));
    cr_assert_not(is_there("none 1"));
    cr_assert(is_there("none 2"));
}

Test(record_cache, what_was_missing_and_is_written_is_no_absence_any_more)
{
    record_cache_set(&cache, record_cache_take(&cache, KIND, text("a")), NULL);
    cr_assert_eq(1, cache.absences.count);
    know("a");
    cr_assert_eq(0, cache.absences.count);
    cr_assert_eq(1, cache.uses.count);
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
    cr_assert_null(cache.uses.oldest);
    cr_assert_null(cache.uses.newest);
}

// --- postings ---

static const struct bytes prefix = {"N\x08hall", 7};

static const frozen_t *
frozen(const char *key, const char *asset)
{
    struct record *record = record_new(&arena, &history_schema);
    record_set_text(record, HISTORY_ID, text(key));
    record_set_text(record, HISTORY_ASSET, text(asset));
    return record_freeze(&history_schema, record);
}

static const char *
asset_in(const struct cached_record *entry, const char *key)
{
    const frozen_t *found = record_set_find(&entry->posting->set, text(key));
    return found ? text_chars(record_text(frozen_record(found), HISTORY_ASSET)) : "";
}

Test(record_cache, what_was_written_to_a_posting_while_it_was_read_wins)
{
    struct cached_record *entry = record_cache_take_posting(&cache, prefix);
    const frozen_t *old = frozen("a", "old"), *new = frozen("a", "new"), *gone = frozen("b", "old"),
                   *other = frozen("c", "old");
    record_cache_begin_read(&cache, entry);
    record_cache_post(&cache, entry, new);
    record_cache_unpost(&cache, entry, text("b"));
    record_cache_post_read(&cache, entry, old);
    record_cache_post_read(&cache, entry, gone);
    record_cache_post_read(&cache, entry, other);
    cr_assert_not(entry->is_known);
    record_cache_posting_is_whole(&cache, entry);
    record_cache_end_read(&cache, entry);
    cr_assert(entry->is_known);
    cr_assert_str_eq(asset_in(entry, "a"), "new");
    cr_assert_str_eq(asset_in(entry, "b"), "");
    cr_assert_str_eq(asset_in(entry, "c"), "old");
    cr_assert_eq(record_cache_peek_posting(&cache, prefix), entry);
    record_unref(&old);
    record_unref(&new);
    record_unref(&gone);
    record_unref(&other);
}

Test(record_cache, a_posting_with_nothing_in_it_is_an_absence)
{
    struct cached_record *entry = record_cache_take_posting(&cache, prefix);
    cr_assert_eq(0, cache.absences.count, "it is not read yet");
    record_cache_posting_is_whole(&cache, entry);
    cr_assert_eq(1, cache.absences.count);
    const frozen_t *record = frozen("a", "hall");
    record_cache_post(&cache, entry, record);
    record_unref(&record);
    cr_assert_eq(0, cache.absences.count);
    record_cache_unpost(&cache, entry, text("a"));
    cr_assert_eq(1, cache.absences.count);
}

Test(record_cache, a_posting_costs_what_is_in_it)
{
    struct cached_record *entry = record_cache_take_posting(&cache, prefix);
    size_t empty = cache.bytes;
    const frozen_t *one = frozen("a", "one");
    record_cache_post(&cache, entry, one);
    cr_assert_geq(cache.bytes, empty + record_size(one));
    record_cache_trim(&cache);
    cr_assert_eq(cache.bytes, 0);
    cr_assert_null(record_cache_peek_posting(&cache, prefix));
    record_unref(&one);
}

// Who waits for the second of two needs the first one as well, however small the cache is.
Test(record_cache, what_was_used_since_a_read_was_asked_for_stays)
{
    know("old");
    record_cache_trim(&cache);
    struct cached_record *first = know("first");
    struct cached_record *second = record_cache_take(&cache, KIND, text("second"));
    record_cache_begin_read(&cache, second);
    for (int turn = 0; turn < 3; turn++) {
        record_cache_trim(&cache);
        cr_assert_eq(cache.uses.oldest, first);
    }
    record_cache_end_read(&cache, second);
    record_cache_trim(&cache);
    cr_assert_not(is_there("first"));
    cr_assert_not(is_there("second"));
}

// --- held ---

Test(record_cache, what_is_held_stays_until_it_is_let_go)
{
    cache.limit = 0;
    record_cache_hold(&cache, know("a"));
    record_cache_hold(&cache, know("a"));
    know("b");
    record_cache_trim(&cache);
    cr_assert_not(is_there("b"));
    record_cache_trim(&cache);
    cr_assert(is_there("a"));
    record_cache_let_go(&cache);
    record_cache_trim(&cache);
    cr_assert_not(is_there("a"));
    cr_assert_eq(cache.bytes, 0);
}
