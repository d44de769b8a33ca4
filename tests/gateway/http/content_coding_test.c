// content_coding_test.c - what Accept-Encoding asks for.
#include "gateway/http/content_coding.h"

#include <criterion/criterion.h>

enum { LARGE = 100000 };

// clang-format off
static const struct choice {
    const char *accept_encoding;
    enum content_coding coding; // of a large body
} choices[] = {
    {NULL,                                     CONTENT_CODING_IDENTITY},
    {"",                                       CONTENT_CODING_IDENTITY},
    {"gzip",                                   CONTENT_CODING_GZIP},
    {"GZip",                                   CONTENT_CODING_GZIP},
    {"x-gzip",                                 CONTENT_CODING_GZIP},
    {"zstd",                                   CONTENT_CODING_ZSTD},
    {"gzip, deflate, br, zstd",                CONTENT_CODING_ZSTD},
    {"br, deflate",                            CONTENT_CODING_IDENTITY},
    {"gzip;q=0.8, zstd;q=0.5",                 CONTENT_CODING_GZIP},
    {"gzip ; q=0.8 , zstd ; q=0.801",          CONTENT_CODING_ZSTD},
    {"gzip;q=0",                               CONTENT_CODING_IDENTITY},
    {"gzip;q=0.000",                           CONTENT_CODING_IDENTITY},
    {"*",                                      CONTENT_CODING_ZSTD},
    {"*;q=0.1",                                CONTENT_CODING_ZSTD},
    {"zstd;q=0, *",                            CONTENT_CODING_GZIP},
    {"zstd;q=0, *;q=0.5",                      CONTENT_CODING_GZIP},
    {"identity, gzip;q=0.5",                   CONTENT_CODING_IDENTITY},
    {"identity;q=0.5, gzip;q=0.5",             CONTENT_CODING_GZIP},
    {"identity;q=0.5, gzip",                   CONTENT_CODING_GZIP},
    {"identity;q=0",                           CONTENT_CODING_IDENTITY}, // better than no answer
    {"identity;q=0, gzip;q=0.001",             CONTENT_CODING_GZIP},
    {"*;q=0, gzip",                            CONTENT_CODING_GZIP},
    {"*;q=0",                                  CONTENT_CODING_IDENTITY},
    {"gzip;q=2",                               CONTENT_CODING_IDENTITY},
    {"gzip;q=1.001",                           CONTENT_CODING_IDENTITY},
    {"gzip;q=0.1234",                          CONTENT_CODING_IDENTITY},
    {"gzip;q=",                                CONTENT_CODING_IDENTITY},
    {"gzip;q",                                 CONTENT_CODING_IDENTITY},
    {"gzip;level=9",                           CONTENT_CODING_IDENTITY},
    {"gzip;q=nan, zstd",                       CONTENT_CODING_ZSTD},
    {",,gzip,,",                               CONTENT_CODING_GZIP},
    {"gzipped",                                CONTENT_CODING_IDENTITY},
};
// clang-format on

Test(content_coding, best_liked_coding_is_chosen)
{
    struct acceptance acceptance;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        content_coding_accept(choices[i].accept_encoding, &acceptance);
        cr_expect_eq(content_coding_choose(&acceptance, LARGE), choices[i].coding, "%s",
                     choices[i].accept_encoding);
    }
}

Test(content_coding, small_body_is_left_alone)
{
    struct acceptance acceptance;
    content_coding_accept("gzip", &acceptance);
    cr_assert_eq(content_coding_choose(&acceptance, 1023), CONTENT_CODING_IDENTITY);
    cr_assert_eq(content_coding_choose(&acceptance, 1024), CONTENT_CODING_GZIP);
}

Test(content_coding, small_body_is_coded_for_a_client_that_takes_nothing_else)
{
    struct acceptance acceptance;
    content_coding_accept("gzip, identity;q=0", &acceptance);
    cr_assert_eq(content_coding_choose(&acceptance, 1), CONTENT_CODING_GZIP);
}
