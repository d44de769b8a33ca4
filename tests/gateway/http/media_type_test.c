// media_type_test.c - which texts may stand in a header as a media type.
#include "gateway/http/media_type.h"

#include <criterion/criterion.h>
#include <string.h>

Test(media_type, media_types_are_tokens_with_printable_parameters)
{
    cr_expect(media_type_is_valid("model/gltf-binary"));
    cr_expect(media_type_is_valid("text/plain; charset=utf-8"));
    cr_expect_not(media_type_is_valid(""));
    cr_expect_not(media_type_is_valid("text"));
    cr_expect_not(media_type_is_valid("text/"));
    cr_expect_not(media_type_is_valid("/plain"));
    cr_expect_not(media_type_is_valid("text/plain\r\nX: 1"));
    cr_expect_not(media_type_is_valid("text/pl ain\x7f"));
    cr_expect_not(media_type_is_valid("text/<b>"));
}

Test(media_type, longest_one_has_255_bytes)
{
    char type[257] = "a/";
    memset(type + 2, 'b', 253);
    cr_expect(media_type_is_valid(type));
    type[255] = 'b';
    cr_expect_not(media_type_is_valid(type));
}

Test(media_type, files_of_pages_are_known_by_the_end_of_their_names)
{
    cr_assert_str_eq("text/html; charset=utf-8", media_type_by_name("index.html"));
    cr_assert_str_eq("application/json", media_type_by_name("main.js.map"));
    cr_assert_str_eq("image/svg+xml", media_type_by_name("a.b.svg"));
    cr_assert_str_eq("application/octet-stream", media_type_by_name("README"));
    cr_assert_str_eq("application/octet-stream", media_type_by_name("a.exe"));
    cr_assert_str_eq("application/octet-stream", media_type_by_name("a.HTML"));
}
