// probes_test.c - the bytes that the probes answer.
#include "gateway/reply/probes.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *
print(probe_print *probe, const char *version)
{
    static struct buffer out;
    const struct server_facts facts = {.version = version};
    buffer_clear(&out);
    cr_assert_eq(probe(&(struct probe){.facts = &facts}, &out), OK);
    buffer_put_char(&out, '\0');
    return out.data;
}

Test(probes, live_server_says_so)
{
    cr_assert_str_eq(print(probe_live, "1.2.3"), "{\"status\":\"live\"}");
}

Test(probes, ready_server_tells_its_version)
{
    cr_assert_str_eq(print(probe_ready, "1.\"2"), "{\"status\":\"ready\",\"version\":\"1.\\\"2\"}");
    cr_assert_str_eq(print(probe_ready, NULL), "{\"status\":\"ready\",\"version\":\"\"}");
}

Test(probes, old_clients_find_their_word)
{
    cr_assert_str_eq(print(probe_health, NULL), "{\"status\":\"up\"}");
}

Test(probes, metrics_are_text_of_prometheus)
{
    cr_assert_not_null(strstr(print(probe_metrics, NULL), "# TYPE diorama_"));
}
