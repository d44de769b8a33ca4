// http_test.c - header fields and bodies of a request.
#include "gateway/http/http.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct http_request request = {
    .header_count = 4,
    .headers = {{"Host", "h"}, {"accept-encoding", "gzip"}, {"Accept-Encoding", "zstd"}, {"X", ""}},
};

Test(http, names_of_header_fields_ignore_case)
{
    cr_assert_str_eq(http_header(&request, "HOST"), "h");
    cr_assert_str_eq(http_header(&request, "Accept-Encoding"), "gzip"); // the first one
    cr_assert_str_eq(http_header(&request, "x"), "");
    cr_assert_null(http_header(&request, "Hos"));
}

Test(http, repeated_header_fields_are_counted)
{
    cr_assert_eq(http_header_count(&request, "Accept-Encoding"), 2);
    cr_assert_eq(http_header_count(&request, "Host"), 1);
    cr_assert_eq(http_header_count(&request, "Origin"), 0);
}

Test(http, repeated_header_fields_are_one_list)
{
    struct arena arena = {0};
    cr_assert_str_eq(http_header_list(&request, "accept-encoding", &arena), "gzip, zstd");
    cr_assert_str_eq(http_header_list(&request, "host", &arena), "h");
    cr_assert_null(http_header_list(&request, "origin", &arena));
    arena_finish(&arena);
}

static bool
has_body(const char *name, const char *value)
{
    const struct http_request with = {.header_count = 1, .headers = {{name, value}}};
    return http_has_body(&with);
}

Test(http, length_or_transfer_encoding_announces_a_body)
{
    cr_assert(has_body("Content-Length", "1"));
    cr_assert(has_body("Transfer-Encoding", "chunked"));
    cr_assert_not(has_body("Content-Length", "0"));
    cr_assert_not(has_body("Content-Type", "text/plain"));
}

Test(http, methods_have_names)
{
    cr_assert_str_eq(http_method_name(HTTP_GET), "GET");
    cr_assert_str_eq(http_method_name(HTTP_OPTIONS), "OPTIONS");
    cr_assert_str_eq(http_method_name(HTTP_METHOD_OTHER), "other");
}
