// server_page_test.c - what is told of the server.
#include "gateway/reply/server_page.h"

#include <criterion/criterion.h>
#include <string.h>

#include "gateway/request/asker.h"
#include "proto/base/arena.h"
#include "proto/codec/json_text.h"
#include "proto/config/config.h"
#include "proto/message/metrics.h"

static struct buffer out;
static uint64_t free_bytes = 12345;

static bool
measure(const char *path, uint64_t *ret_free)
{
    *ret_free = strcmp(path, "./data") == 0 ? free_bytes : 0;
    return true;
}

static const char *
page(bool auth_enabled)
{
    char program[] = "dioramad", flag[] = "--budget.streams=7", *arguments[] = {program, flag};
    struct config config;
    enum config_action action;
    cr_assert_eq(config_load(2, arguments, &config, &action), OK);
    config.auth_enabled = auth_enabled;
    const struct auth_rules auth = {.enabled = auth_enabled, .metrics_token = ""};
    const struct request_guard_rules guard = {.loopback = true, .origins = ""};
    const struct http_request request = {.peer = "127.0.0.1"};
    const struct route route = {.operation = OPERATION_COUNT, .access = ACCESS_USER};
    const struct asker asker = {
        .auth = &auth, .guard = &guard, .request = &request, .route = &route, .proxies = ""};
    const struct server_facts facts = {
        .version = "1.2.3", .config = &config, .epoch = 9, .udp_port = 77, .measure_disk = measure};
    buffer_clear(&out);
    buffer_put_chars(&out, "x"); // what stands before is not looked at
    cr_assert_eq(server_page_print(&(struct probe){.facts = &facts, .asker = &asker}, &out), OK);
    buffer_put_char(&out, '\0');
    return out.data;
}

static void
finish(void)
{
    buffer_finish(&out);
}

TestSuite(server_page, .fini = finish);

Test(server_page, begins_with_the_version)
{
    const char *text = page(false);
    const char start[] = "x{\"version\":\"1.2.3\",\"epoch\":9,";
    cr_assert_eq(strncmp(text, start, sizeof start - 1), 0, "%s", text);
}

Test(server_page, has_places_disk_and_budgets)
{
    const char *text = page(false);
    cr_expect(strstr(text, "\"udp\":{\"host\":\"127.0.0.1\",\"port\":77}"));
    cr_expect(strstr(text, "\"disk\":{\"free\":12345,"));
    cr_expect(strstr(text, "\"budgets\":{\"requests\":500,\"streams\":7,"));
    cr_expect(strstr(text, "\"budget_units\":{\"record_bytes\":\"bytes\",\"asset_bytes\":"));
}

Test(server_page, disk_is_read_only_while_the_store_refuses_whatever_is_free)
{
    free_bytes = 1;
    cr_assert(strstr(page(false), "\"read_only\":false"));
    gauge_add(GAUGE_STORE_READ_ONLY, 1);
    free_bytes = UINT64_C(1) << 40;
    cr_assert(strstr(page(false), "\"read_only\":true"));
}

Test(server_page, settings_are_for_administrators)
{
    const char row[] =
        "{\"name\":\"budget.streams\",\"value\":\"7\",\"default\":\"32\",\"from\":\"flag\"}";
    cr_expect(strstr(page(false), row));
    cr_expect_null(strstr(page(true), "settings"));
}
