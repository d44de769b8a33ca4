// html_test.c - text and elements of a page.
#include "gateway/docs/html.h"

#include <criterion/criterion.h>

static struct buffer out;

static void
finish(void)
{
    buffer_finish(&out);
}

TestSuite(html, .fini = finish);

static void
assert_written(const char *expected)
{
    buffer_put_char(&out, '\0');
    cr_assert_str_eq(out.data, expected);
}

Test(html, text_is_escaped)
{
    html_put_text(&out, "<a href=\"x\">'&'</a>");
    assert_written("&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

Test(html, element_has_its_class)
{
    html_put(&out, "td", "note", "1 < 2");
    html_put(&out, "p", NULL, "x");
    assert_written("<td class=\"note\">1 &lt; 2</td><p>x</p>");
}

Test(html, link_leads_to_an_id_of_the_page)
{
    html_put_link(&out, "Scene&", "a scene");
    assert_written("<a href=\"#Scene&amp;\">a scene</a>");
}
