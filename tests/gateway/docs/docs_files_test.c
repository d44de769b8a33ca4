// docs_files_test.c - which file below /docs/ a path gets, and what it may do.

#include "gateway/docs/docs_files.h"

#include <criterion/criterion.h>
#include <string.h>

static struct http_answer answer;

static void
finish(void)
{
    http_answer_finish(&answer);
}

TestSuite(docs_files, .fini = finish);

static enum error
ask(const char *path)
{
    struct http_request request = {.method = HTTP_GET, .path = path};
    http_answer_begin(&answer);
    return docs_files_serve(&(struct answer_source){.request = &request}, &answer);
}

static bool
says(const char *words)
{
    return memmem(answer.body.data, answer.body.size, words, strlen(words)) != NULL;
}

Test(docs_files, page_loads_its_own_files_under_a_policy_of_this_origin)
{
    cr_assert_eq(ask("/docs/moving.html"), OK);
    cr_assert_str_eq(answer.media_type, "text/html; charset=utf-8");
    cr_assert(says("<script src=\"moving.js\"></script>"));
    cr_assert(says("href=\"moving.css\""));
    cr_assert_not(says("<style"));
    cr_assert_not_null(strstr(answer.policy, "default-src 'none'; script-src 'self'"));
    cr_assert_null(strstr(answer.policy, "unsafe"));
}

Test(docs_files, script_is_served_as_one)
{
    cr_assert_eq(ask("/docs/moving.js"), OK);
    cr_assert_str_eq(answer.media_type, "text/javascript; charset=utf-8");
    cr_assert(says("EventSource"));
}

Test(docs_files, style_sheet_is_light_and_dark)
{
    cr_assert_eq(ask("/docs/moving.css"), OK);
    cr_assert_str_eq(answer.media_type, "text/css; charset=utf-8");
    cr_assert(says("prefers-color-scheme: dark"));
}

Test(docs_files, other_paths_have_nothing)
{
    static const char *const paths[] = {"/docs/", "/docs", "/docs/moving", "/docs/../moving.js",
                                        "/docs/moving.js/"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        cr_expect_eq(ask(paths[i]), ERR_NOT_FOUND, "%s", paths[i]);
}
