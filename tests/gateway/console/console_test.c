// console_test.c - which file of the console a path gets, in which coding, with which header.
#include "gateway/console/console.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct console_file files[] = {
    {"index.html", "aa", {[CONTENT_CODING_IDENTITY] = {"<page>", 6}}},
    {"main-1.js",
     "bb",
     {[CONTENT_CODING_IDENTITY] = {"long script", 2000},
      [CONTENT_CODING_GZIP] = {"gzip", 4},
      [CONTENT_CODING_ZSTD] = {"zstd", 4}}},
};

static struct console console;
static struct answer_facts facts;
static struct http_request request;
static struct acceptance acceptance;
static struct http_answer answer;

static void
init(void)
{
    console = (struct console){.is_enabled = true, .dir = "", .files = files, .count = 2};
    facts = (struct answer_facts){.console = &console};
    request = (struct http_request){.method = HTTP_GET};
    content_coding_accept("gzip, zstd", &acceptance);
    http_answer_begin(&answer);
}

static void
finish(void)
{
    http_answer_finish(&answer);
}

TestSuite(console, .init = init, .fini = finish);

static enum error
ask(page_serve *page, const char *path)
{
    http_answer_begin(&answer);
    request.path = path;
    return page(
        &(struct answer_source){.facts = &facts, .request = &request, .acceptance = &acceptance},
        &answer);
}

static const char *
body(void)
{
    buffer_put_char(&answer.body, '\0');
    return answer.body.data + HTTP_HEAD_ROOM;
}

Test(console, screens_are_the_index_under_a_strict_policy)
{
    const char *const paths[] = {"/console",
                                 "/console/",
                                 "/console/scenes",
                                 "/console/scene/a.js",
                                 "/console/scene/%2e%2e%2fetc",
                                 "/console/.hidden"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        cr_assert_eq(ask(console_serve, paths[i]), OK, "%s", paths[i]);
        cr_assert_str_eq(body(), "<page>", "%s", paths[i]);
        cr_assert_not_null(strstr(answer.policy, "require-trusted-types-for 'script'"));
        cr_assert_not(answer.is_immutable);
        cr_assert_str_eq(answer.etag.chars, "aa");
    }
}

Test(console, a_file_never_changes_and_comes_in_the_coding_that_the_client_prefers)
{
    cr_assert_eq(ask(console_serve, "/console/main-1.js"), OK);
    cr_assert_str_eq(body(), "zstd");
    cr_assert_str_eq(answer.coding, "zstd");
    cr_assert(answer.is_immutable && answer.is_public && answer.is_encoded);
    cr_assert_str_eq(answer.media_type, "text/javascript; charset=utf-8");
    cr_assert_null(answer.policy);
    content_coding_accept("gzip", &acceptance);
    cr_assert_eq(ask(console_serve, "/console/main-1.js"), OK);
    cr_assert_str_eq(body(), "gzip");
    cr_assert_str_eq(answer.coding, "gzip");
}

Test(console, what_was_not_built_or_is_off_says_so)
{
    console.count = 0;
    cr_assert_eq(ask(console_serve, "/console/"), ERR_NOT_FOUND);
    cr_assert_not_null(strstr(fault_last()->detail, "npm"));
    console.count = 2;
    console.is_enabled = false;
    cr_assert_eq(ask(console_serve, "/console/"), ERR_NOT_FOUND);
    cr_assert_not_null(strstr(fault_last()->detail, "console.enabled"));
    cr_assert_not(console_is_there(&console));
}

Test(console, the_root_leads_browsers_there_and_nobody_else)
{
    cr_assert_eq(ask(console_redirect, "/"), ERR_NOT_FOUND);
    request.headers[request.header_count++] =
        (struct http_header){"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"};
    cr_assert_eq(ask(console_redirect, "/"), OK);
    cr_assert_eq(answer.status, 302);
    cr_assert_eq(answer.location.size, strlen("/console/"));
    console.count = 0;
    cr_assert_eq(ask(console_redirect, "/"), ERR_NOT_FOUND);
}

Test(console, a_folder_is_read_at_each_request_and_kept_by_nobody)
{
    char dir[] = "/tmp/console-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/index.html", dir);
    console.dir = dir;
    cr_assert_eq(ask(console_serve, "/console/"), ERR_NOT_FOUND);
    FILE *file = fopen(path, "w");
    fputs("draft", file);
    fclose(file);
    cr_assert_eq(ask(console_serve, "/console/scenes"), OK);
    cr_assert_str_eq(body(), "draft");
    cr_assert_str_eq(answer.etag.chars, "");
    cr_assert_not(answer.is_immutable);
    unlink(path);
    rmdir(dir);
}
