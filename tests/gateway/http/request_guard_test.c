// request_guard_test.c - what the gate lets through and what it refuses.
#include <criterion/criterion.h>
#include <stdio.h>
#include "gateway/http/request_guard.h"
#include "proto/base/limits.h"

static const struct gate_rules loopback = {.loopback = true, .origins = ""};
static const struct gate_rules open_to_all = {.loopback = false, .origins = ""};

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

Test(gate, plain_request_passes)
{
    struct http_request request = REQUEST({"Host", "127.0.0.1:8080"}, {"Content-Length", "12"});
    cr_assert_eq(gate_check(&request, &loopback), OK);
}

Test(gate, length_and_chunks_together_are_refused)
{
    struct http_request request =
        REQUEST({"Host", "localhost"}, {"Content-Length", "3"}, {"transfer-encoding", "chunked"});
    cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED);
}

Test(gate, double_length_is_refused_though_equal)
{
    struct http_request request =
        REQUEST({"Host", "localhost"}, {"Content-Length", "3"}, {"Content-Length", "3"});
    cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED);
}

Test(gate, odd_lengths_are_refused)
{
    static const char *const odd[] = {"+3", "-1", "0x10", "3 ", "", "3,3", "9999999999999999999"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct http_request request = REQUEST({"Host", "localhost"}, {"Content-Length", odd[i]});
        cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED, "\"%s\" passed", odd[i]);
    }
}

Test(gate, header_that_servers_read_differently_is_refused)
{
    struct http_request request = REQUEST({"Host", "localhost"}, {"Content-Length", "3"});
    request.is_odd = true;
    cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED);
}

Test(gate, field_whose_name_is_no_token_is_refused)
{
    static const char *const names[] = {"X(Y)", "\"X\"", "X,Y", "X/Y", "X@", "[X]", "X=", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct http_request request = REQUEST({"Host", "localhost"}, {names[i], "y"});
        cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED, "\"%s\" passed", names[i]);
    }
    struct http_request request = REQUEST({"Host", "localhost"}, {"a!#$%&'*+-.^_`|~Z09", "y"});
    cr_assert_eq(gate_check(&request, &loopback), OK);
}

Test(gate, chunks_are_refused_on_http_1_0)
{
    struct http_request request = REQUEST({"Host", "localhost"}, {"Transfer-Encoding", "chunked"});
    request.minor = 0;
    cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED);
}

Test(gate, other_transfer_codings_are_refused)
{
    struct http_request request =
        REQUEST({"Host", "localhost"}, {"Transfer-Encoding", "gzip, chunked"});
    cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED);
}

Test(gate, host_is_needed_on_http_1_1_only)
{
    struct http_request request = REQUEST({"Accept", "*/*"});
    cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED);
    request.minor = 0;
    cr_assert_eq(gate_check(&request, &loopback), OK);
}

Test(gate, two_hosts_are_refused)
{
    struct http_request request = REQUEST({"Host", "localhost"}, {"Host", "localhost"});
    cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED);
}

Test(gate, foreign_host_is_refused_on_loopback_alone)
{
    struct http_request request = REQUEST({"Host", "evil.example:8080"});
    cr_assert_eq(gate_check(&request, &loopback), ERR_FORBIDDEN);
    cr_assert_eq(gate_check(&request, &open_to_all), OK);
}

Test(gate, host_of_a_listed_origin_passes_on_loopback)
{
    const struct gate_rules rules = {.loopback = true, .origins = "https://scenes.example"};
    struct http_request request = REQUEST({"Host", "scenes.example"});
    cr_assert_eq(gate_check(&request, &rules), OK);
    request = REQUEST({"Host", "scenes.example.evil.example"});
    cr_assert_eq(gate_check(&request, &rules), ERR_FORBIDDEN);
}

Test(gate, loopback_has_many_names)
{
    static const char *const names[] = {"localhost", "LOCALHOST:1",  "app.localhost:8080",
                                        "127.0.0.1", "127.9.8.7:80", "[::1]:8080",
                                        "[::1]",     "::1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert(gate_is_loopback(names[i]), "%s", names[i]);
}

Test(gate, other_names_are_not_loopback)
{
    static const char *const names[] = {"localhost.evil.example",
                                        "127.0.0.1.evil.example",
                                        "notlocalhost",
                                        "10.0.0.1",
                                        "[::2]:8080",
                                        "[::1",
                                        "",
                                        "0x7f.1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert_not(gate_is_loopback(names[i]), "%s", names[i]);
}

Test(gate, sixty_four_headers_are_refused)
{
    struct http_request request = REQUEST({"Host", "localhost"});
    for (request.header_count = 1; request.header_count < HTTP_HEADERS_MAX - 1;
         request.header_count++)
        request.headers[request.header_count] = (struct http_header){"X-One-More", "1"};
    cr_assert_eq(gate_check(&request, &loopback), OK);
    request.headers[request.header_count++] = (struct http_header){"X-Last-Straw", "1"};
    cr_assert_eq(gate_check(&request, &loopback), ERR_HEADERS_TOO_LARGE);
}

Test(gate, long_uri_is_refused)
{
    static char path[LIMIT_URI_BYTES + 2];
    struct http_request request = REQUEST({"Host", "localhost"});
    memset(path, 'a', LIMIT_URI_BYTES);
    request.path = path;
    cr_assert_eq(gate_check(&request, &loopback), OK);
    path[LIMIT_URI_BYTES] = 'a';
    cr_assert_eq(gate_check(&request, &loopback), ERR_URI_TOO_LONG);
}

Test(gate, encoded_nul_is_refused)
{
    struct http_request request = REQUEST({"Host", "localhost"});
    request.path = "/v1/scene/a%00b";
    cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED);
    request.path = "/v1/scene/a";
    request.query = "device=%00";
    cr_assert_eq(gate_check(&request, &loopback), ERR_MALFORMED);
}

Test(gate, own_origin_may_write)
{
    struct http_request request =
        REQUEST({"Host", "localhost:8080"}, {"Origin", "http://localhost:8080"});
    cr_assert_eq(gate_check_origin(&request, &loopback), OK);
}

Test(gate, foreign_origin_may_not_write)
{
    static const char *const foreign[] = {"http://evil.example", "http://localhost:8081", "null"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        struct http_request request = REQUEST({"Host", "localhost:8080"}, {"Origin", foreign[i]});
        cr_assert_eq(gate_check_origin(&request, &loopback), ERR_FORBIDDEN, "%s", foreign[i]);
    }
}

Test(gate, cross_site_fetch_may_not_write)
{
    struct http_request request =
        REQUEST({"Host", "localhost:8080"}, {"Sec-Fetch-Site", "cross-site"});
    cr_assert_eq(gate_check_origin(&request, &loopback), ERR_FORBIDDEN);
}

Test(gate, client_without_a_browser_may_write)
{
    struct http_request request = REQUEST({"Host", "localhost:8080"});
    cr_assert_eq(gate_check_origin(&request, &loopback), OK);
}

Test(gate, listed_origin_may_write)
{
    const struct gate_rules rules = {.origins = "https://a.example, https://b.example"};
    struct http_request request =
        REQUEST({"Host", "scenes.example"}, {"Origin", "https://b.example"},
                {"Sec-Fetch-Site", "cross-site"});
    cr_assert_eq(gate_check_origin(&request, &rules), OK);
    cr_assert_str_eq(gate_listed_origin(&request, &rules), "https://b.example");
}

Test(gate, part_of_a_listed_origin_is_not_listed)
{
    const struct gate_rules rules = {.origins = "https://a.example"};
    struct http_request request = REQUEST({"Host", "scenes.example"}, {"Origin", "https://a"});
    cr_assert_eq(gate_check_origin(&request, &rules), ERR_FORBIDDEN);
    cr_assert_null(gate_listed_origin(&request, &rules));
}

Test(gate, a_cookie_needs_a_page_of_this_origin_or_of_a_listed_one)
{
    const struct gate_rules rules = {.origins = "https://b.example"};
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
        cr_expect_eq(gate_check_own_origin(&request, &rules), rows[i].expected, "%zu", i);
    }
}
