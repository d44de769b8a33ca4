// server_samples_test.c - events of the server's own stream: when, what of, and to whom.
#include "gateway/events/server_samples.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/arena.h"
#include "proto/config/config.h"
#include "proto/message/metrics.h"
#include "proto/message/series.h"
#include "proto/records/params.h"

static const struct caller nobody_logs_in = {.role = CALLER_TRUSTED};
static const struct caller user = {.role = CALLER_USER};
static struct arena arena;
static struct config config;
static struct server_facts facts = {.config = &config};
static struct server_samples samples;
static struct stream_sink sink;

static fallible
begin_with(const char *names, int64_t seconds)
{
    struct params *params = (struct params *)(void *)record_new(&arena, &params_schema);
    record_set_text(&params->base, PARAMS_SERIES, text_from(&arena, names));
    record_set_integer(&params->base, PARAMS_SECONDS, seconds);
    return server_samples_begin(&samples, params, &facts);
}

static void
begin(void)
{
    config.store_reserve = 1 << 20;
    series_sample(1000);
    counter_add(COUNT_EVENTS, 3);
    series_sample(2000);
    counter_add(COUNT_EVENTS, 4);
    series_sample(3000);
    cr_assert_eq(begin_with("events", 2), OK);
}

static void
end(void)
{
    buffer_finish(&sink.out);
    arena_finish(&arena);
}

TestSuite(server_samples, .init = begin, .fini = end);

// What is written at this second; "" = nothing.
static const char *
at(uint64_t second, const struct caller *caller)
{
    buffer_clear(&sink.out);
    bool is_written = server_samples_write(&samples, caller, second * 1000 * 1000, &sink);
    cr_assert_eq(is_written, sink.out.size > 0);
    buffer_put_char(&sink.out, '\0');
    return sink.out.data;
}

// The end of it, from the series on.
static const char *
series_at(uint64_t second)
{
    const char *series = strstr(at(second, &nobody_logs_in), "\"series\"");
    return series ? series : "none";
}

Test(server_samples, first_comes_what_was_and_then_each_second_once)
{
    cr_assert_str_eq(series_at(3), "\"series\":{\"events\":[3,4]}}\n\n");
    counter_add(COUNT_EVENTS, 5);
    series_sample(4000);
    cr_assert_str_eq(series_at(4), "\"series\":{\"events\":[5]}}\n\n");
    cr_assert_str_eq(series_at(5), "\"series\":{\"events\":[]}}\n\n", "nobody has looked since");
    counter_add(COUNT_EVENTS, 6);
    series_sample(5000);
    counter_add(COUNT_EVENTS, 7);
    series_sample(6000);
    cr_assert_str_eq(series_at(6), "\"series\":{\"events\":[6,7]}}\n\n");
}

Test(server_samples, an_event_is_due_each_second)
{
    cr_assert_neq(at(3, &user)[0], '\0');
    cr_assert_eq(samples.next_us, 4 * 1000 * 1000);
    cr_assert_str_eq(at(3, &user), "");
    cr_assert_neq(at(4, &user)[0], '\0');
}

Test(server_samples, who_is_no_administrator_is_told_no_series)
{
    cr_assert_str_eq(at(3, &user),
                     "event: sample\ndata: {\"disk\":{\"reserve\":1048576,\"read_only\":false},"
                     "\"counts\":{\"scenes\":0,\"loaded\":0,\"objects\":0,\"devices\":0,"
                     "\"streams\":0}}\n\n");
}

Test(server_samples, a_series_that_is_not_there_is_refused)
{
    cr_assert_eq(begin_with("events,bytes", 1), ERR_INVALID);
    cr_assert_str_eq(fault_last()->detail, "there is no series bytes");
}
