// asset_history_test.c - which files are versions of one another, through the asset actor.
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/library_service.h"

static struct library_id
make(struct library *library)
{
    return MAKE(library, ASSET_CREATE, .records = "{}", .bytes = "a");
}

static struct library_id
update(struct library *library, struct library_id of)
{
    return MAKE(library, ASSET_UPDATE, .asset = of.chars, .records = "{}", .bytes = "b");
}

static void
expect_versions(struct library *library, struct library_id of, const struct library_id *keys,
                size_t count)
{
    struct message *answer = ASK(library, HISTORY_GET, .asset = of.chars);
    cr_assert_eq(answer->reply.count, count ? 1 : 0);
    const struct history *history =
        count ? (const struct history *)(const void *)reply_record(&answer->reply, 0) : NULL;
    cr_assert_eq(history ? texts_count(history->asset_ids) : 0, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(text_chars(history->asset_ids->items[i]), keys[i].chars);
    if (history)
        cr_expect_str_eq(text_chars(history->asset), keys[0].chars);
    message_destroy(&answer);
}

LIBRARY_TEST(asset_history, an_asset_that_was_never_updated_has_none)
{
    expect_versions(library, make(library), NULL, 0);
}

LIBRARY_TEST(asset_history, all_versions_know_it_newest_first_also_after_a_restart)
{
    struct library_id first = make(library), second = update(library, first);
    struct library_id third = update(library, second);
    const struct library_id expected[] = {third, second, first};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 3; i++)
            expect_versions(library, expected[i], expected, 3);
        library_restart(library);
    }
}

LIBRARY_TEST(asset_history, a_version_that_goes_leaves_it_to_the_others)
{
    struct library_id first = make(library), second = update(library, first);
    struct library_id third = update(library, second);
    cr_assert_eq(DO(library, ASSET_DELETE, .asset = third.chars), OK);
    const struct library_id left[] = {second, first};
    expect_versions(library, first, left, 2);
    struct library_id fourth = update(library, second);
    const struct library_id now[] = {fourth, second, first};
    expect_versions(library, first, now, 3);
}

// A key behind the end of its list is seen where that is the end of a chunk of the request's arena.
LIBRARY_TEST(asset_history, the_first_two_versions_have_room_wherever_their_keys_lie)
{
    enum { STEP = 16, STEPS = 160 };
    char request[STEP * STEPS + 64];
    for (int i = 0; i < STEPS; i++) {
        snprintf(request, sizeof request, "{\"description\":\"%0*d\"}", 1 + i * STEP, 0);
        struct library_id first = make(library);
        struct library_id second =
            MAKE(library, ASSET_UPDATE, .asset = first.chars, .records = request, .bytes = "b");
        const struct library_id expected[] = {second, first};
        expect_versions(library, first, expected, 2);
    }
}

LIBRARY_TEST(asset_history, what_was_replaced_is_not_replaced_again)
{
    struct library_id first = make(library);
    update(library, first);
    cr_expect_eq(DO(library, ASSET_UPDATE, .asset = first.chars, .records = "{}", .bytes = "c"),
                 ERR_CONFLICT);
}
