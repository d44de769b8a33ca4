// assets_test.c - stored files, their versions and who may have them, through the asset actor; what
// is left of their bytes when a commit fails.
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/records/asset.h"
#include "tests/support/library_service.h"

// SHA-256 of "abc" (FIPS 180-2, B.1).
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ANN "aaaaaaaaaaaaaaaaaaaaaaaa"
#define BOB "bbbbbbbbbbbbbbbbbbbbbbbb"

#define AS(user_) .role = CALLER_USER, .user = (user_)

enum { PATIENCE_MS = 10000, MANY = 900 };

static bool
has_bytes(struct library *library, const char *hex)
{
    char path[TEMPORARY_PATH_BYTES], name[128];
    snprintf(name, sizeof name, "blobs/%.2s/%s", hex, hex);
    temporary_path(&library->directory, name, path);
    return access(path, F_OK) == 0;
}

static bool
bytes_go(struct library *library, const char *hex)
{
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    while (has_bytes(library, hex) && clock_left_ms(deadline_ms) > 0)
        usleep(1000);
    return !has_bytes(library, hex);
}

static struct library_id
make(struct library *library, const char *bytes)
{
    return MAKE(library, ASSET_CREATE, .records = "{}", .bytes = bytes);
}

static struct library_id
update(struct library *library, struct library_id of, const char *bytes)
{
    return MAKE(library, ASSET_UPDATE, .asset = of.chars, .records = "{}", .bytes = bytes);
}

static enum error
try_to_relate(struct library *library, const char *asset, const char *related)
{
    char record[256];
    snprintf(record, sizeof record, "{'assetId':'%s','relatedId':'%s','relationshipType':'scene'}",
             asset, related);
    return DO(library, RELATIONSHIP_PUT, .records = record);
}

static void
relate(struct library *library, const char *asset, const char *related)
{
    cr_assert_eq(try_to_relate(library, asset, related), OK);
}

static uint32_t
count_related(struct library *library, const char *asset)
{
    struct message *answer = ASK(library, RELATIONSHIP_LIST, .asset = asset, .num_records = 10000);
    uint32_t count = answer->reply.count;
    cr_assert_eq(answer->reply.fault.error, OK);
    message_destroy(&answer);
    return count;
}

// How many versions its history has; 0 where it has none.
static size_t
count_versions(struct library *library, struct library_id asset)
{
    struct message *answer = ASK(library, HISTORY_GET, .asset = asset.chars);
    cr_assert_eq(answer->reply.fault.error, OK);
    size_t count = 0;
    if (answer->reply.count)
        count = texts_count(
            ((const struct history *)(const void *)reply_record(&answer->reply, 0))->asset_ids);
    message_destroy(&answer);
    return count;
}

LIBRARY_TEST(assets, what_is_known_of_the_bytes_is_what_they_are)
{
    struct message *answer =
        ASK(library, ASSET_CREATE, .records = "{'name':'n','size':9,'sha256':'x'}", .bytes = "abc");
    const struct asset *asset = reply_asset(answer, 0);
    cr_expect_str_eq(text_chars(asset->sha256), ABC);
    cr_expect_eq(asset->size, 3);
    cr_expect_str_eq(text_chars(asset->name), "n");
    cr_expect_eq(text_size(asset->created_timestamp), strlen("2026.11.21.10.00.00"));
    message_destroy(&answer);
    cr_expect(has_bytes(library, ABC));
}

LIBRARY_TEST(assets, none_is_made_without_bytes)
{
    cr_expect_eq(DO(library, ASSET_CREATE, .records = "{}"), ERR_MISSING);
}

LIBRARY_TEST(assets, bytes_go_with_a_commit_that_failed)
{
    library_set_faults(library, "unavailable=1");
    cr_expect_eq(DO(library, ASSET_CREATE, .records = "{}", .bytes = "abc"), ERR_UNAVAILABLE);
    cr_expect(bytes_go(library, ABC));
    library_set_faults(library, "");
    make(library, "abc");
    cr_expect(has_bytes(library, ABC));
}

LIBRARY_TEST(assets, bytes_stay_for_one_that_is_not_yet_durable_when_another_goes)
{
    struct library_id first = make(library, "abc");
    gate_close(library->store, GATE_COMMITS);
    uint64_t ends = SEND(library, ASSET_DELETE, .asset = first.chars);
    cr_assert(gate_await(library->store, GATE_COMMITS));
    uint64_t comes = SEND(library, ASSET_CREATE, .records = "{}", .bytes = "abc");
    gate_pass_one(library->store, GATE_COMMITS);
    cr_assert_eq(asker_outcome(&library->asker, ends), OK);
    cr_assert(gate_await(library->store, GATE_COMMITS));
    cr_expect(has_bytes(library, ABC));
    gate_open(library->store, GATE_COMMITS);
    cr_assert_eq(asker_outcome(&library->asker, comes), OK);
    cr_expect(has_bytes(library, ABC));
}

LIBRARY_TEST(assets, bytes_are_counted_again_after_a_restart)
{
    struct library_id first = make(library, "abc"), second = make(library, "abc");
    library_restart(library);
    cr_assert_eq(DO(library, ASSET_DELETE, .asset = first.chars), OK);
    cr_expect(has_bytes(library, ABC));
    cr_assert_eq(DO(library, ASSET_DELETE, .asset = second.chars), OK);
    cr_expect(bytes_go(library, ABC));
}

LIBRARY_TEST(assets, an_update_that_failed_changed_nothing)
{
    struct library_id first = make(library, "one");
    relate(library, first.chars, "hall");
    library_set_faults(library, "unavailable=1");
    cr_expect_eq(DO(library, ASSET_UPDATE, .asset = first.chars, .records = "{}", .bytes = "abc"),
                 ERR_UNAVAILABLE);
    library_set_faults(library, "");
    cr_expect(bytes_go(library, ABC));
    cr_expect_eq(count_related(library, first.chars), 1);
    cr_expect_eq(count_versions(library, first), 0);
    update(library, first, "two");
}

LIBRARY_TEST(assets, of_two_updates_of_one_version_one_is_refused)
{
    struct library_id first = make(library, "one");
    gate_close(library->store, GATE_COMMITS);
    uint64_t a = SEND(library, ASSET_UPDATE, .asset = first.chars, .records = "{}", .bytes = "a");
    uint64_t b = SEND(library, ASSET_UPDATE, .asset = first.chars, .records = "{}", .bytes = "abc");
    gate_open(library->store, GATE_COMMITS);
    cr_expect_eq(asker_outcome(&library->asker, a), OK);
    cr_expect_eq(asker_outcome(&library->asker, b), ERR_CONFLICT);
    cr_expect(bytes_go(library, ABC));
    cr_expect_eq(count_versions(library, first), 2);
}

LIBRARY_TEST(assets, updates_build_on_what_is_not_yet_durable)
{
    struct library_id first = make(library, "one");
    relate(library, first.chars, "hall");
    gate_close(library->store, GATE_COMMITS);
    uint64_t updated =
        SEND(library, ASSET_UPDATE, .asset = first.chars, .records = "{}", .bytes = "two");
    cr_assert(gate_await(library->store, GATE_COMMITS));
    uint64_t deleted = SEND(library, ASSET_DELETE, .asset = first.chars);
    gate_open(library->store, GATE_COMMITS);
    struct library_id second = library_id_of(asker_answer(&library->asker, updated));
    cr_expect_eq(asker_outcome(&library->asker, deleted), OK);
    cr_expect_eq(count_versions(library, second), 1);
    cr_expect_eq(count_related(library, second.chars), 1);
}

LIBRARY_TEST(assets, one_with_as_many_relationships_as_may_be_is_updated_and_takes_no_more)
{
    char related[16];
    struct library_id first = make(library, "one");
    for (int i = 0; i < MANY; i++) {
        snprintf(related, sizeof related, "s%d", i);
        relate(library, first.chars, related);
    }
    struct library_id second = update(library, first, "abc");
    cr_expect_eq(count_related(library, second.chars), MANY);
    snprintf(related, sizeof related, "s%d", MANY);
    cr_expect_eq(try_to_relate(library, second.chars, related), ERR_CONFLICT);
    cr_expect_eq(DO(library, ASSET_DELETE, .asset = second.chars), OK);
    cr_expect_eq(count_related(library, second.chars), 0);
}

LIBRARY_TEST(assets, they_are_private_unless_nobody_logs_in)
{
    struct message *answer = ASK(library, ASSET_CREATE, .records = "{}", .bytes = "a", AS(ANN));
    cr_expect_not(reply_asset(answer, 0)->is_public);
    cr_expect_str_eq(text_chars(reply_asset(answer, 0)->user), ANN);
    message_destroy(&answer);
    answer = ASK(library, ASSET_CREATE, .records = "{}", .bytes = "a");
    cr_expect(reply_asset(answer, 0)->is_public);
    message_destroy(&answer);
}

LIBRARY_TEST(assets, what_is_private_is_not_found_by_others_and_what_is_public_not_changed)
{
    struct library_id mine = MAKE(library, ASSET_CREATE, .records = "{}", .bytes = "a", AS(ANN));
    struct library_id shared =
        MAKE(library, ASSET_CREATE, .records = "{'public':true}", .bytes = "b", AS(ANN));
    static const struct {
        enum operation operation;
        enum error with_private, with_public;
    } cases[] = {
        {ASSET_GET, ERR_NOT_FOUND, OK},
        {HISTORY_GET, ERR_NOT_FOUND, OK},
        {ASSET_DELETE, ERR_NOT_FOUND, ERR_FORBIDDEN},
        {ASSET_UPDATE, ERR_NOT_FOUND, ERR_FORBIDDEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *record = cases[i].operation == ASSET_UPDATE ? "{}" : NULL;
        const char *bytes = cases[i].operation == ASSET_UPDATE ? "c" : NULL;
        cr_expect_eq(DO(library, cases[i].operation, .asset = mine.chars, .records = record,
                        .bytes = bytes, AS(BOB)),
                     cases[i].with_private, "%zu", i);
        cr_expect_eq(DO(library, cases[i].operation, .asset = shared.chars, .records = record,
                        .bytes = bytes, AS(BOB)),
                     cases[i].with_public, "%zu", i);
    }
    cr_expect_eq(DO(library, ASSET_GET, .asset = mine.chars, AS(ANN)), OK);
}

LIBRARY_TEST(assets, listings_leave_out_what_may_not_be_read)
{
    MAKE(library, ASSET_CREATE, .records = "{}", .bytes = "a", AS(ANN));
    struct library_id shared =
        MAKE(library, ASSET_CREATE, .records = "{'public':true}", .bytes = "b", AS(ANN));
    struct message *answer = ASK(library, ASSET_LIST, .num_records = 10, AS(BOB));
    cr_assert_eq(answer->reply.count, 1);
    cr_expect_str_eq(text_chars(reply_asset(answer, 0)->key), shared.chars);
    message_destroy(&answer);
    answer = ASK(library, ASSET_COUNT, AS(BOB));
    cr_assert_eq(answer->reply.count, 1);
    cr_expect_eq(((const struct count *)(const void *)reply_record(&answer->reply, 0))->count, 1);
    message_destroy(&answer);
}

LIBRARY_TEST(assets, a_new_version_stays_its_owners_whoever_makes_it)
{
    struct library_id mine =
        MAKE(library, ASSET_CREATE, .records = "{'name':'n'}", .bytes = "a", AS(ANN));
    struct message *answer =
        ASK(library, ASSET_UPDATE, .asset = mine.chars, .records = "{'description':'d'}",
            .bytes = "b", .role = CALLER_ADMIN, .user = BOB);
    cr_assert_eq(answer->reply.count, 1);
    const struct asset *asset = reply_asset(answer, 0);
    cr_expect_str_eq(text_chars(asset->user), ANN);
    cr_expect_not(asset->is_public);
    cr_expect_str_eq(text_chars(asset->name), "n");
    cr_expect_str_eq(text_chars(asset->description), "d");
    message_destroy(&answer);
}

LIBRARY_TEST(assets, the_order_of_creation_survives_updates_and_restarts)
{
    struct library_id first = make(library, "1"), second = make(library, "2");
    struct library_id third = update(library, first, "3");
    const char *const expected[] = {first.chars, second.chars, third.chars};
    for (int round = 0; round < 2; round++) {
        struct message *answer = ASK(library, ASSET_LIST, .num_records = 10);
        cr_assert_eq(answer->reply.count, 3);
        for (uint32_t i = 0; i < 3; i++)
            cr_expect_str_eq(text_chars(reply_asset(answer, i)->key), expected[i]);
        message_destroy(&answer);
        library_restart(library);
    }
}

LIBRARY_TEST(assets, a_hidden_history_is_answered_like_one_that_is_not_there)
{
    static const char unknown[] = "000000000000000000000000";
    struct library_id hidden = MAKE(library, ASSET_CREATE, .records = "{}", .bytes = "abc",
                                    .role = CALLER_USER, .user = "aaaaaaaaaaaaaaaaaaaaaaaa");
    const char *const keys[] = {unknown, hidden.chars};
    for (size_t i = 0; i < 2; i++) {
        struct message *answer = ASK(library, HISTORY_GET, .asset = keys[i], .role = CALLER_USER,
                                     .user = "bbbbbbbbbbbbbbbbbbbbbbbb");
        char expected[64];
        snprintf(expected, sizeof expected, "there is no asset %s", keys[i]);
        cr_expect_eq(answer->reply.fault.error, ERR_NOT_FOUND);
        cr_expect_str_eq(answer->reply.fault.detail, expected);
        message_destroy(&answer);
    }
}
