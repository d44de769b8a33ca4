// image_type_test.c - images by their first bytes and by their names.
#include "gateway/request/image_type.h"

#include <criterion/criterion.h>
#include <string.h>

#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
#define WEBP "RIFF\x1a\0\0\0WEBP"
#define BYTES(literal) (literal), sizeof(literal) - 1

Test(image_type, is_told_by_the_first_bytes)
{
    cr_expect_str_eq(image_type_of(BYTES(PNG "more")), "image/png");
    cr_expect_str_eq(image_type_of(BYTES(WEBP "more")), "image/webp");
}

Test(image_type, of_every_shorter_beginning_is_unknown)
{
    for (size_t size = 0; size < sizeof(PNG) - 1; size++)
        cr_expect_null(image_type_of(PNG, size), "%zu", size);
    for (size_t size = 0; size < sizeof(WEBP) - 1; size++)
        cr_expect_null(image_type_of(WEBP, size), "%zu", size);
}

Test(image_type, of_other_bytes_is_unknown)
{
    cr_expect_null(image_type_of(BYTES("GIF89a and what follows")));
    cr_expect_null(image_type_of(BYTES("RIFF\x1a\0\0\0WAVEfmt ")));
    cr_expect_null(image_type_of(BYTES("<svg xmlns=\"http://www.w3.org/2000/svg\">")));
    cr_expect_null(image_type_of(BYTES("\x89PNG\r\n\x1a\n\0\0\0\rIDAT")));
}

Test(image_type, is_named_whatever_the_case_and_the_parameters)
{
    const char *png = image_type_of(BYTES(PNG)), *webp = image_type_of(BYTES(WEBP));
    cr_expect_eq(image_type_named("image/png"), png);
    cr_expect_eq(image_type_named("IMAGE/PNG; q=1"), png);
    cr_expect_eq(image_type_named("image/webp ;x=y"), webp);
    static const char *const others[] = {"",          "image/",    "image/pngx",
                                         "image/gif", "text/html", "image/svg+xml"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect_null(image_type_named(others[i]), "%s", others[i]);
}
