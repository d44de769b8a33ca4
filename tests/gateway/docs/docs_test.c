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

Test(docs, page_runs_nothing_and_asks_nobody)
{
    const char *text = page();
    cr_assert_null(strstr(text, "<script"));
    cr_assert_null(strstr(text, "http://"));
    cr_assert_null(strstr(text, "https://"));
    cr_assert_null(strstr(text, " style="));
}
