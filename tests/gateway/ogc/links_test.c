// links_test.c - links lead back to the server, by the host that the client named.
#include "gateway/ogc/links.h"

#include <criterion/criterion.h>

static struct answer_facts facts;
static struct http_request request;
static struct buffer out;
static struct arena arena;
static const struct route route = {.method = HTTP_GET,
                                   .reply = {.form = REPLY_PROBE, .media_type = LINKS_GEOJSON}};
static const struct answer_source source = {.facts = &facts, .route = &route, .request = &request};

static void
begin(void)
{
    request = (struct http_request){.peer = "127.0.0.1", .path = "/ogc/x", .query = ""};
    buffer_put_char(&out, '[');
}

static void
end(void)
{
    buffer_finish(&out);
    arena_finish(&arena);
}

TestSuite(links, .init = begin, .fini = end);

static void
send_header(const char *name, const char *value)
{
    request.headers[request.header_count++] = (struct http_header){name, value};
}

static void
expect(const char *expected)
{
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(expected, out.data + 1);
}

Test(links, a_link_is_absolute_by_the_host_that_the_client_named)
{
    send_header("Host", "maps.example:8080");
    link_put(&source, "data", LINKS_JSON, "/ogc/collections", &out);
    expect("{\"rel\":\"data\",\"type\":\"application/json\","
           "\"href\":\"http://maps.example:8080/ogc/collections\"}");
}

Test(links, a_client_that_names_no_host_gets_a_link_within_this_server)
{
    link_put(&source, "data", LINKS_JSON, "/ogc", &out);
    expect("{\"rel\":\"data\",\"type\":\"application/json\",\"href\":\"/ogc\"}");
}

Test(links, behind_a_proxy_that_is_trusted_it_is_the_proxy_s_scheme)
{
    facts.proxies = "127.0.0.1";
    send_header("Host", "a");
    send_header("X-Forwarded-Proto", "https");
    link_put(&source, "data", LINKS_JSON, "/ogc", &out);
    expect("{\"rel\":\"data\",\"type\":\"application/json\",\"href\":\"https://a/ogc\"}");
}

Test(links, what_no_uri_has_is_encoded)
{
    send_header("Host", "a\"b");
    request.path = "/x\\";
    request.query = "q=\"\x01\xff%20";
    link_put_self(&source, &out);
    expect("{\"rel\":\"self\",\"type\":\"application/geo+json\","
           "\"href\":\"http://a%22b/x%5C?q=%22%01%FF%20\"}");
}

Test(links, the_next_page_has_the_parameters_of_this_one_and_its_own_cursor)
{
    request.query = "&limit=2&after=old&q=a&&after=older";
    link_put_next(&source, text_from(&arena, "n/w"), &out);
    expect("{\"rel\":\"next\",\"type\":\"application/geo+json\","
           "\"href\":\"/ogc/x?limit=2&q=a&after=n%2Fw\"}");
}

Test(links, a_collection_of_objects_is_named_by_its_scene_in_one_segment)
{
    link_path_objects(text_from(&arena, "a/b ü"), &out);
    expect("/ogc/collections/objects.a%2Fb%20%C3%BC");
}
