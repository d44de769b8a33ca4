// docs_test.c - the page that describes the interface.
#include "gateway/docs/docs.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "gateway/docs/html.h"
#include "gateway/routes.h"

static struct buffer out;

static void
finish(void)
{
    buffer_finish(&out);
}

TestSuite(docs, .fini = finish);

static const char *
page(void)
{
    const struct server_facts facts = {.version = "<1&2>",
                                       .routes = {routes, routes_described_count}};
    cr_assert_eq(docs_print(&(struct probe){.facts = &facts}, &out), OK);
    buffer_put_char(&out, '\0');
    return out.data;
}

Test(docs, version_is_escaped)
{
    cr_assert_not_null(strstr(page(), "<small>&lt;1&amp;2&gt;</small>"));
}

Test(docs, every_route_has_its_place)
{
    const char *text = page();
    for (size_t i = 0; i < routes_described_count; i++) {
        struct buffer path = {0};
        buffer_put_chars(&path, "<span class=\"path\">");
        html_put_text(&path, routes[i].path);
        buffer_put(&path, "</span>", 8);
        cr_assert_not_null(strstr(text, path.data), "%s", routes[i].path);
        buffer_finish(&path);
    }
}

Test(docs, every_link_leads_somewhere)
{
    const char *text = page();
    unsigned links = 0;
    for (const char *at = text; (at = strstr(at, "href=\"#")) != NULL; links++) {
        char id[128];
        at += strlen("href=\"#");
        snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(at, "\""), at);
        cr_assert_not_null(strstr(text, id), "%s", id);
    }
    cr_assert_gt(links, routes_described_count);
}

Test(docs, page_runs_its_own_script_and_asks_nobody_else)
{
    const char *text = page(), *script = strstr(text, "<script");
    cr_assert_eq(strncmp(script, "<script src=\"/docs/docs.js\" defer></script>", 43), 0);
    cr_assert_null(strstr(script + 1, "<script"));
    cr_assert_null(strstr(text, "href=\"http"));
    cr_assert_null(strstr(text, "src=\"http"));
    cr_assert_null(strstr(text, " style="));
}

Test(docs, example_is_a_command_and_its_answer)
{
    const char *text = page(), *article = strstr(text, "<article id=\"scenePut\">");
    const char *command = strstr(article, "<pre class=\"curl\">");
    static const char expected[] =
        "<pre class=\"curl\">curl -X PUT '$URL/v1/scene/plaza' -H 'Content-Type: application/json' "
        "-d '{&quot;scenes&quot;: [";
    cr_assert_eq(strncmp(command, expected, sizeof expected - 1), 0, "%.200s", command);
    cr_assert_lt(command, strstr(article, "</article>"));
}

Test(docs, file_is_sent_as_a_form)
{
    const char *text = page();
    cr_assert_not_null(strstr(text, "curl -X POST '$URL/v1/asset' -F file=@model.glb</pre>"));
}
