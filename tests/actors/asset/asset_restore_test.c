// asset_restore_test.c - an old version becomes the current one again, through the asset actor:
// when commits wait, fail and follow each other.
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/library_service.h"

#define ANN "aaaaaaaaaaaaaaaaaaaaaaaa"
#define BOB "bbbbbbbbbbbbbbbbbbbbbbbb"

#define AS(user_) .role = CALLER_USER, .user = (user_)

static struct library_id
make(struct library *library, const char *record, const char *bytes)
{
    return MAKE(library, ASSET_CREATE, .records = record, .bytes = bytes, AS(ANN));
}

static struct library_id
update(struct library *library, struct library_id of, const char *bytes)
{
    return MAKE(library, ASSET_UPDATE, .asset = of.chars, .records = "{}", .bytes = bytes, AS(ANN));
}

static const char *
naming(struct library_id version)
{
    static char record[64];
    snprintf(record, sizeof record, "{'version':'%s'}", version.chars);
    return record;
}

static uint64_t
send(struct library *library, struct library_id current, struct library_id version)
{
    return SEND(library, ASSET_RESTORE, .asset = current.chars, .records = naming(version),
                AS(ANN));
}

static size_t
count_versions(struct library *library, struct library_id asset)
{
    struct message *answer = ASK(library, HISTORY_GET, .asset = asset.chars, AS(ANN));
    cr_assert_eq(answer->reply.count, 1);
    size_t count = texts_count(
        ((const struct history *)(const void *)reply_record(&answer->reply, 0))->asset_ids);
    message_destroy(&answer);
    return count;
}

LIBRARY_TEST(asset_restore, brings_back_the_bytes_and_keeps_owner_and_access)
{
    struct library_id first = make(library, "{'name':'n','public':true}", "abc");
    struct library_id second =
        MAKE(library, ASSET_UPDATE, .asset = first.chars, .records = "{'name':'m','public':false}",
             .bytes = "d", AS(ANN));
    struct message *answer = ASK(library, ASSET_RESTORE, .asset = second.chars,
                                 .records = naming(first), .role = CALLER_ADMIN, .user = BOB);
    cr_assert_eq(answer->reply.count, 1);
    const struct asset *asset = reply_asset(answer, 0);
    cr_expect_eq(asset->size, 3);
    cr_expect_str_eq(text_chars(asset->name), "n");
    cr_expect_str_eq(text_chars(asset->user), ANN);
    cr_expect_not(asset->is_public);
    message_destroy(&answer);
}

LIBRARY_TEST(asset_restore, that_failed_changed_nothing)
{
    struct library_id first = make(library, "{}", "abc"), second = update(library, first, "d");
    library_set_faults(library, "unavailable=1");
    cr_expect_eq(asker_outcome(&library->asker, send(library, second, first)), ERR_UNAVAILABLE);
    library_set_faults(library, "");
    cr_expect_eq(count_versions(library, first), 2);
    cr_expect_eq(asker_outcome(&library->asker, send(library, second, first)), OK);
    cr_expect_eq(count_versions(library, first), 3);
}

LIBRARY_TEST(asset_restore, and_update_of_one_version_do_not_both_succeed)
{
    struct library_id first = make(library, "{}", "abc"), second = update(library, first, "d");
    gate_close(library->store, GATE_COMMITS);
    uint64_t updated =
        SEND(library, ASSET_UPDATE, .asset = second.chars, .records = "{}", .bytes = "e", AS(ANN));
    uint64_t restored = send(library, second, first);
    gate_open(library->store, GATE_COMMITS);
    cr_expect_eq(asker_outcome(&library->asker, updated), OK);
    cr_expect_eq(asker_outcome(&library->asker, restored), ERR_CONFLICT);
    cr_expect_eq(count_versions(library, first), 3);
}

LIBRARY_TEST(asset_restore, keeps_the_bytes_of_a_version_that_is_deleted_in_the_same_commit)
{
    struct library_id first = make(library, "{}", "abc"), second = update(library, first, "d");
    gate_close(library->store, GATE_COMMITS);
    uint64_t held = SEND(library, ASSET_CREATE, .records = "{}", .bytes = "f", AS(ANN));
    cr_assert(gate_await(library->store, GATE_COMMITS));
    uint64_t restored = send(library, second, first);
    uint64_t deleted = SEND(library, ASSET_DELETE, .asset = first.chars, AS(ANN));
    gate_open(library->store, GATE_COMMITS);
    struct message *answer = asker_answer(&library->asker, restored);
    struct blob_hash hash;
    const struct text *sha256 = reply_asset(answer, 0)->sha256;
    cr_assert(blob_hash_from_hex(text_bytes(sha256), text_size(sha256), &hash));
    message_destroy(&answer);
    cr_expect_eq(asker_outcome(&library->asker, held), OK);
    cr_expect_eq(asker_outcome(&library->asker, deleted), OK);
    int file;
    uint64_t size;
    cr_assert_eq(blob_open(library->blobs, &hash, &file, &size), OK);
    cr_expect_eq(size, 3);
    close(file);
}

LIBRARY_TEST(asset_restore, takes_older_versions_of_the_asset_alone)
{
    struct library_id first = make(library, "{}", "abc"), second = update(library, first, "d");
    struct library_id other = make(library, "{}", "e");
    const struct library_id wrong[] = {second, other, {"000000000000000000000000"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_expect_eq(asker_outcome(&library->asker, send(library, second, wrong[i])), ERR_INVALID);
    cr_expect_eq(asker_outcome(&library->asker, send(library, first, second)), ERR_CONFLICT);
    cr_expect_eq(DO(library, ASSET_RESTORE, .asset = second.chars, .records = "{}", AS(ANN)),
                 ERR_MISSING);
}

LIBRARY_TEST(asset_restore, is_for_who_may_change_the_asset)
{
    struct library_id first = make(library, "{'public':true}", "abc");
    struct library_id second = update(library, first, "d");
    cr_expect_eq(
        DO(library, ASSET_RESTORE, .asset = second.chars, .records = naming(first), AS(BOB)),
        ERR_FORBIDDEN);
}
