// record_copy_test.c - what a leader has committed, of a kind that is cached and that others are
// told of: each change comes with what was there before. A repository without a thread.
#include "actors/repository/record_copy.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/asset/asset_family.h"
#include "actors/repository/repository_fetch.h"
#include "actors/runtime/copied_batch.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/project.h"

enum { PROJECTS, MOST = 8 };

// What the hook was told: names of projects, "" of none.
static struct told {
    char before[8], after[8];
} told[MOST];
static size_t count;

static void
note(char name[8], const frozen_t *record)
{
    snprintf(name, 8, "%s",
             record ? text_chars(record_text(frozen_record(record), PROJECT_NAME)) : "");
}

static void
committed(struct repository *repository, const frozen_t *before, const frozen_t *after)
{
    (void)repository;
    note(told[count].before, before);
    note(told[count].after, after);
    count++;
}

static const struct repository_kind kinds[] = {
    [PROJECTS] = {.tag = KEY_PROJECT,
                  .schema = &project_schema,
                  .committed = committed,
                  .is_cached = true},
};

static struct repository repository;
static struct message *message;

static void
begin(void)
{
    const struct repository_settings settings = {
        .family = FAMILY_ASSET, .committer = "", .kinds = kinds, .kind_count = 1};
    repository_init(&repository, &settings);
    repository.cache.limit = 0;
    message = message_create(COPY_NEED);
    message->parcel = &copied_batch_create()->base;
}

static void
end(void)
{
    message_destroy(&message);
    repository_close(&repository.base);
}

TestSuite(record_copy, .init = begin, .fini = end);

static const struct text *
text(const char *chars)
{
    return text_from(&message->arena, chars);
}

static struct record *
project(const char *id, const char *name)
{
    struct record *record = record_new(&message->arena, &project_schema);
    record_set_text(record, PROJECT_ID, text(id));
    record_set_text(record, PROJECT_NAME, text(name));
    return record;
}

// It was read; NULL: there is none.
static void
know(const char *id, const char *name)
{
    const frozen_t *frozen = name ? record_freeze(&project_schema, project(id, name)) : NULL;
    record_cache_set(&repository.cache, record_cache_take(&repository.cache, PROJECTS, text(id)),
                     frozen);
    record_unref(&frozen);
}

// The leader put the project, or deleted it (NULL).
static void
put(const char *id, const char *name)
{
    struct buffer value = {0};
    const struct key key = key_of_text(KEY_PROJECT, text(id));
    if (name)
        record_to_stored(project(id, name), &value);
    const struct store_operation operation = {.address = {FAMILY_ASSET, 0, key_bytes(&key)},
                                              .is_delete = !name,
                                              .value = {value.data, value.size}};
    copied_batch_add((struct copied_batch *)(void *)message->parcel, &operation);
    buffer_finish(&value);
}

static bool
is_in_memory(const char *id)
{
    return record_cache_find(&repository.cache, PROJECTS, text(id)) != NULL;
}

static void
need_and_apply(void)
{
    cr_assert_eq(record_copy_need(&repository.base, message), OK);
    record_cache_trim(&repository.cache); // the turn ends
    message->progress = 0;
    cr_assert_eq(record_copy_apply(&repository.base, message), OK);
}

static void
expect(const struct told *expected, size_t expected_count)
{
    cr_assert_eq(count, expected_count, "%zu", count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_str_eq(told[i].before, expected[i].before, "%zu", i);
        cr_expect_str_eq(told[i].after, expected[i].after, "%zu", i);
    }
}

Test(record_copy, each_change_comes_with_what_was_there_before)
{
    know("a", "old");
    know("b", NULL);
    put("a", "new");
    put("b", "made");
    put("a", NULL);
    need_and_apply();
    expect((struct told[]){{"old", "new"}, {"", "made"}, {"new", ""}}, 3);
}

Test(record_copy, what_comes_again_in_the_window_that_ended_it_is_new)
{
    know("a", "old");
    put("a", NULL);
    put("a", "again");
    need_and_apply();
    expect((struct told[]){{"old", ""}, {"", "again"}}, 2);
}

Test(record_copy, what_is_needed_stays_until_it_is_applied_whatever_the_memory)
{
    know("a", "old");
    put("a", "new");
    cr_assert_eq(record_copy_need(&repository.base, message), OK);
    record_cache_trim(&repository.cache);
    record_cache_trim(&repository.cache);
    cr_assert(is_in_memory("a"));
    message->progress = 0;
    cr_assert_eq(record_copy_apply(&repository.base, message), OK);
    record_cache_trim(&repository.cache);
    cr_assert_not(is_in_memory("a"));
}

Test(record_copy, what_a_window_needed_that_was_not_stored_goes_with_the_next_one)
{
    know("a", "old");
    put("a", "new");
    cr_assert_eq(record_copy_need(&repository.base, message), OK);
    message_destroy(&message);
    message = message_create(COPY_NEED);
    message->parcel = &copied_batch_create()->base;
    know("b", "old");
    put("b", "new");
    cr_assert_eq(record_copy_need(&repository.base, message), OK);
    record_cache_trim(&repository.cache);
    cr_assert_not(is_in_memory("a"));
    cr_assert(is_in_memory("b"));
}
