// request_guard_test.c - which requests the guard refuses, and which it lets through.
#include "gateway/http/request_guard.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/limits.h"

static const struct request_guard_rules loopback = {.loopback = true, .origins = ""};
static const struct request_guard_rules open_to_all = {.loopback = false, .origins = ""};

static struct http_request
request_with(unsigned count, const struct http_header *headers)
{
    struct http_request request = {
        .method = HTTP_POST, .minor = 1, .path = "/v1/scene", .query = "", .header_count = count};
    for (unsigned i = 0; i < count; i++)
        request.headers[i] = headers[i];
    return request;
}

#define REQUEST(...)                                                                               \
    request_with(sizeof((struct http_header[]){__VA_ARGS__}) / sizeof(struct http_header),         \
                 (struct http_header[]){__VA_ARGS__})

Test(request_guard, plain_request_passes)
{
    struct http_request request = REQUEST({"Host", "127.0.0.1:8080"}, {"Content-Length", "12"});
    cr_assert_eq(request_guard_check(&request, &loopback), OK);
}

Test(request_guard, length_and_chunks_together_are_refused)
{
    struct http_request request =
        REQUEST({"Host", "localhost"}, {"Content-Length", "3"}, {"transfer-encoding", "chunked"});
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED);
}

Test(request_guard, double_length_is_refused_though_equal)
{
    struct http_request request =
        REQUEST({"Host", "localhost"}, {"Content-Length", "3"}, {"Content-Length", "3"});
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED);
}

Test(request_guard, odd_lengths_are_refused)
{
    static const char *const odd[] = {"+3", "-1", "0x10", "3 ", "", "3,3", "9999999999999999999"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct http_request request = REQUEST({"Host", "localhost"}, {"Content-Length", odd[i]});
        cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED, "\"%s\" passed",
                     odd[i]);
    }
}

Test(request_guard, header_that_servers_read_differently_is_refused)
{
    struct http_request request = REQUEST({"Host", "localhost"}, {"Content-Length", "3"});
    request.is_odd = true;
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED);
}

Test(request_guard, field_whose_name_is_no_token_is_refused)
{
    static const char *const names[] = {"X(Y)", "\"X\"", "X,Y", "X/Y", "X@", "[X]", "X=", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct http_request request = REQUEST({"Host", "localhost"}, {names[i], "y"});
        cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED, "\"%s\" passed",
                     names[i]);
    }
    struct http_request request = REQUEST({"Host", "localhost"}, {"a!#$%&'*+-.^_`|~Z09", "y"});
    cr_assert_eq(request_guard_check(&request, &loopback), OK);
}

Test(request_guard, chunks_are_refused_on_http_1_0)
{
    struct http_request request = REQUEST({"Host", "localhost"}, {"Transfer-Encoding", "chunked"});
    request.minor = 0;
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED);
}

Test(request_guard, other_transfer_codings_are_refused)
{
    struct http_request request =
        REQUEST({"Host", "localhost"}, {"Transfer-Encoding", "gzip, chunked"});
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED);
}

Test(request_guard, host_is_needed_on_http_1_1_only)
{
    struct http_request request = REQUEST({"Accept", "*/*"});
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED);
    request.minor = 0;
    cr_assert_eq(request_guard_check(&request, &loopback), OK);
}

Test(request_guard, two_hosts_are_refused)
{
    struct http_request request = REQUEST({"Host", "localhost"}, {"Host", "localhost"});
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED);
}

Test(request_guard, foreign_host_is_refused_on_loopback_alone)
{
    struct http_request request = REQUEST({"Host", "evil.example:8080"});
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_FORBIDDEN);
    cr_assert_eq(request_guard_check(&request, &open_to_all), OK);
}

Test(request_guard, host_of_a_listed_origin_passes_on_loopback)
{
    const struct request_guard_rules rules = {.loopback = true,
                                              .origins = "https://scenes.example"};
    struct http_request request = REQUEST({"Host", "scenes.example"});
    cr_assert_eq(request_guard_check(&request, &rules), OK);
    request = REQUEST({"Host", "scenes.example.evil.example"});
    cr_assert_eq(request_guard_check(&request, &rules), ERR_FORBIDDEN);
}

Test(request_guard, host_that_is_none_is_malformed_wherever_the_server_listens)
{
    static const char *const odd[] = {"a:80:80", "[::1", "::1]", "a b", "a@b", "[]", ":80", "a#"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct http_request request = REQUEST({"Host", odd[i]});
        cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED, "%s", odd[i]);
        cr_assert_eq(request_guard_check(&request, &open_to_all), ERR_MALFORMED, "%s", odd[i]);
    }
    struct http_request request = REQUEST({"Host", "scenes_1.example:65535"});
    cr_assert_eq(request_guard_check(&request, &open_to_all), OK);
}

Test(request_guard, loopback_has_many_names)
{
    static const char *const names[] = {"localhost", "LOCALHOST:1",  "app.localhost:8080",
                                        "127.0.0.1", "127.9.8.7:80", "[::1]:8080",
                                        "[::1]",     "::1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert(request_guard_is_loopback(names[i]), "%s", names[i]);
}

Test(request_guard, other_names_are_not_loopback)
{
    static const char *const names[] = {"localhost.evil.example",
                                        "127.0.0.1.evil.example",
                                        "notlocalhost",
                                        "10.0.0.1",
                                        "[::2]:8080",
                                        "[::1",
                                        "",
                                        "0x7f.1",
                                        "[::1].evil.example",
                                        "[::1]:80x",
                                        "[::1]:",
                                        "localhost:80@evil.example",
                                        "localhost:65536",
                                        "user@localhost",
                                        "localhost/",
                                        "x@y.localhost"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert_not(request_guard_is_loopback(names[i]), "%s", names[i]);
}

Test(request_guard, sixty_four_headers_are_refused)
{
    struct http_request request = REQUEST({"Host", "localhost"});
    for (request.header_count = 1; request.header_count < HTTP_HEADERS_MAX - 1;
         request.header_count++)
        request.headers[request.header_count] = (struct http_header){"X-One-More", "1"};
    cr_assert_eq(request_guard_check(&request, &loopback), OK);
    request.headers[request.header_count++] = (struct http_header){"X-Last-Straw", "1"};
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_HEADERS_TOO_LARGE);
}

Test(request_guard, long_uri_is_refused)
{
    static char path[LIMIT_URI_BYTES + 2];
    struct http_request request = REQUEST({"Host", "localhost"});
    memset(path, 'a', LIMIT_URI_BYTES);
    request.path = path;
    cr_assert_eq(request_guard_check(&request, &loopback), OK);
    path[LIMIT_URI_BYTES] = 'a';
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_URI_TOO_LONG);
}

Test(request_guard, encoded_nul_is_refused)
{
    struct http_request request = REQUEST({"Host", "localhost"});
    request.path = "/v1/scene/a%00b";
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED);
    request.path = "/v1/scene/a";
    request.query = "device=%00";
    cr_assert_eq(request_guard_check(&request, &loopback), ERR_MALFORMED);
}

Test(request_guard, own_origin_may_write)
{
    struct http_request request =
        REQUEST({"Host", "localhost:8080"}, {"Origin", "http://localhost:8080"});
    cr_assert_eq(request_guard_check_origin(&request, &loopback), OK);
}

Test(request_guard, foreign_origin_may_not_write)
{
    static const char *const foreign[] = {"http://evil.example", "http://localhost:8081", "null"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        struct http_request request = REQUEST({"Host", "localhost:8080"}, {"Origin", foreign[i]});
        cr_assert_eq(request_guard_check_origin(&request, &loopback), ERR_FORBIDDEN, "%s",
                     foreign[i]);
    }
}

Test(request_guard, cross_site_fetch_may_not_write)
{
    struct http_request request =
        REQUEST({"Host", "localhost:8080"}, {"Sec-Fetch-Site", "cross-site"});
    cr_assert_eq(request_guard_check_origin(&request, &loopback), ERR_FORBIDDEN);
}

Test(request_guard, client_without_a_browser_may_write)
{
    struct http_request request = REQUEST({"Host", "localhost:8080"});
    cr_assert_eq(request_guard_check_origin(&request, &loopback), OK);
}

Test(request_guard, listed_origin_may_write)
{
    const struct request_guard_rules rules = {.origins = "https://a.example, https://b.example"};
    struct http_request request =
        REQUEST({"Host", "scenes.example"}, {"Origin", "https://b.example"},
                {"Sec-Fetch-Site", "cross-site"});
    cr_assert_eq(request_guard_check_origin(&request, &rules), OK);
    cr_assert_str_eq(request_guard_listed_origin(&request, &rules), "https://b.example");
}

Test(request_guard, part_of_a_listed_origin_is_not_listed)
{
    const struct request_guard_rules rules = {.origins = "https://a.example"};
    struct http_request request = REQUEST({"Host", "scenes.example"}, {"Origin", "https://a"});
    cr_assert_eq(request_guard_check_origin(&request, &rules), ERR_FORBIDDEN);
    cr_assert_null(request_guard_listed_origin(&request, &rules));
}

Test(request_guard, a_cookie_needs_a_page_of_this_origin_or_of_a_listed_one)
{
    const struct request_guard_rules rules = {.origins = "https://b.example"};
    static const struct {
        const char *origin, *site;
        enum error expected;
    } rows[] = {
        {"http://h:1", NULL, OK},
        {"http://h:1", "same-origin", OK},
        {NULL, "same-origin", OK},
        {"https://b.example", "cross-site", OK},
        {NULL, NULL, ERR_FORBIDDEN},
        {NULL, "same-site", ERR_FORBIDDEN},
        {NULL, "none", ERR_FORBIDDEN},
        {"http://h:2", NULL, ERR_FORBIDDEN},
        {"null", "same-origin", ERR_FORBIDDEN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct http_request request = REQUEST({"Host", "h:1"});
        if (rows[i].origin)
            request.headers[request.header_count++] =
                (struct http_header){"Origin", rows[i].origin};
        if (rows[i].site)
            request.headers[request.header_count++] =
                (struct http_header){"Sec-Fetch-Site", rows[i].site};
        cr_expect_eq(request_guard_check_own_origin(&request, &rules), rows[i].expected, "%zu", i);
    }
}
