// asset_thumbnail_test.c - the small pictures of assets, through the asset actor: their blobs stay
// as long as a record names them, and no longer.
#include <criterion/criterion.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "tests/support/library_service.h"

// SHA-256 of "abc" (FIPS 180-2, B.1).
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ANN "aaaaaaaaaaaaaaaaaaaaaaaa"
#define BOB "bbbbbbbbbbbbbbbbbbbbbbbb"

#define AS(user_) .role = CALLER_USER, .user = (user_)

enum { PATIENCE_MS = 10000 };

static bool
is_stored(struct library *library)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(&library->directory, "blobs/ba/" ABC, path);
    return access(path, F_OK) == 0;
}

static bool
goes(struct library *library)
{
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    while (is_stored(library) && clock_left_ms(deadline_ms) > 0)
        usleep(1000);
    return !is_stored(library);
}

static enum error
put(struct library *library, struct library_id asset, const char *bytes)
{
    return DO(library, THUMBNAIL_PUT, .asset = asset.chars,
              .records = "{'contentType':'image/png'}", .bytes = bytes, AS(ANN));
}

static struct library_id
make(struct library *library)
{
    return MAKE(library, ASSET_CREATE, .records = "{'name':'n'}", .bytes = "model", AS(ANN));
}

LIBRARY_TEST(asset_thumbnail, is_what_was_put_also_after_a_restart)
{
    struct library_id asset = make(library);
    cr_expect_eq(DO(library, THUMBNAIL_GET, .asset = asset.chars, AS(ANN)), ERR_NOT_FOUND);
    cr_assert_eq(put(library, asset, "abc"), OK);
    for (int round = 0; round < 2; round++) {
        struct message *answer = ASK(library, THUMBNAIL_GET, .asset = asset.chars, AS(ANN));
        const struct asset *picture = reply_asset(answer, 0);
        cr_expect_str_eq(text_chars(picture->sha256), ABC);
        cr_expect_str_eq(text_chars(picture->content_type), "image/png");
        cr_expect_eq(picture->size, 3);
        message_destroy(&answer);
        library_restart(library);
        cr_expect(is_stored(library));
    }
}

LIBRARY_TEST(asset_thumbnail, leaves_the_rest_of_the_record_and_its_bytes)
{
    struct library_id asset = make(library);
    cr_assert_eq(put(library, asset, "abc"), OK);
    struct message *answer = ASK(library, ASSET_GET, .asset = asset.chars, AS(ANN));
    cr_expect_str_eq(text_chars(reply_asset(answer, 0)->name), "n");
    cr_expect_eq(reply_asset(answer, 0)->size, 5);
    cr_expect_str_eq(text_chars(reply_asset(answer, 0)->thumbnail), ABC);
    message_destroy(&answer);
}

LIBRARY_TEST(asset_thumbnail, goes_when_another_takes_its_place)
{
    struct library_id asset = make(library);
    cr_assert_eq(put(library, asset, "abc"), OK);
    cr_assert_eq(put(library, asset, "other"), OK);
    cr_expect(goes(library));
}

LIBRARY_TEST(asset_thumbnail, goes_with_its_asset_and_not_with_another_that_has_the_same)
{
    struct library_id first = make(library), second = make(library);
    cr_assert_eq(put(library, first, "abc"), OK);
    cr_assert_eq(put(library, second, "abc"), OK);
    cr_assert_eq(DO(library, ASSET_DELETE, .asset = first.chars, AS(ANN)), OK);
    cr_expect(is_stored(library));
    cr_assert_eq(DO(library, ASSET_DELETE, .asset = second.chars, AS(ANN)), OK);
    cr_expect(goes(library));
}

LIBRARY_TEST(asset_thumbnail, that_was_not_stored_leaves_the_one_before)
{
    struct library_id asset = make(library);
    cr_assert_eq(put(library, asset, "abc"), OK);
    library_set_faults(library, "unavailable=1");
    cr_expect_eq(put(library, asset, "other"), ERR_UNAVAILABLE);
    library_set_faults(library, "");
    struct message *answer = ASK(library, THUMBNAIL_GET, .asset = asset.chars, AS(ANN));
    cr_expect_str_eq(text_chars(reply_asset(answer, 0)->sha256), ABC);
    message_destroy(&answer);
}

LIBRARY_TEST(asset_thumbnail, stays_with_the_version_whose_picture_it_is)
{
    struct library_id first = make(library);
    cr_assert_eq(put(library, first, "abc"), OK);
    struct library_id second = MAKE(library, ASSET_UPDATE, .asset = first.chars, .records = "{}",
                                    .bytes = "newer", AS(ANN));
    cr_expect_eq(DO(library, THUMBNAIL_GET, .asset = second.chars, AS(ANN)), ERR_NOT_FOUND);
    cr_expect_eq(DO(library, THUMBNAIL_GET, .asset = first.chars, AS(ANN)), OK);
}

LIBRARY_TEST(asset_thumbnail, is_put_by_who_may_change_the_asset_and_read_by_who_may_read_it)
{
    struct library_id hidden = make(library);
    struct library_id shown =
        MAKE(library, ASSET_CREATE, .records = "{'public':true}", .bytes = "m", AS(ANN));
    cr_assert_eq(put(library, hidden, "abc"), OK);
    cr_assert_eq(put(library, shown, "abc"), OK);
    cr_expect_eq(DO(library, THUMBNAIL_GET, .asset = hidden.chars, AS(BOB)), ERR_NOT_FOUND);
    cr_expect_eq(DO(library, THUMBNAIL_GET, .asset = shown.chars, AS(BOB)), OK);
    cr_expect_eq(
        DO(library, THUMBNAIL_PUT, .asset = shown.chars, .records = "{}", .bytes = "x", AS(BOB)),
        ERR_FORBIDDEN);
}
