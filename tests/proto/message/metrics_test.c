// metrics_test.c - cells over all threads, and their Prometheus text. Each test is a process.
#include "proto/message/metrics.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 24, ROUNDS = 10000 }; // more threads than stripes

static struct buffer out;

static const char *
text(void)
{
    buffer_clear(&out);
    metrics_print(&out);
    buffer_put_char(&out, '\0');
    return out.data;
}

static void
assert_has(const char *line)
{
    cr_assert(strstr(text(), line), "%s is not in\n%s", line, out.data);
}

static void
finish(void)
{
    buffer_finish(&out);
}

TestSuite(metrics, .fini = finish);

static void *
count(void *argument)
{
    (void)argument;
    for (int i = 0; i < ROUNDS; i++) {
        counter_add(COUNT_UDP_IN, 2);
        gauge_add(GAUGE_SCENES, i % 2 ? -1 : 1);
    }
    return NULL;
}

Test(metrics, threads_count_into_one_number)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(counter_get(COUNT_UDP_IN), 2 * THREADS * ROUNDS);
    cr_assert_eq(counter_get(GAUGE_SCENES), 0);
}

Test(metrics, counter_has_help_type_and_number)
{
    counter_add(COUNT_UDP_IN, 5);
    assert_has("# HELP diorama_udp_received_datagrams_total Datagrams received.\n"
               "# TYPE diorama_udp_received_datagrams_total counter\n"
               "diorama_udp_received_datagrams_total 5\n");
}

Test(metrics, rows_of_one_metric_have_one_head)
{
    counter_add(COUNT_COMMITS_FAILED, 1);
    assert_has("# TYPE diorama_store_commits_total counter\n"
               "diorama_store_commits_total{result=\"ok\"} 0\n"
               "diorama_store_commits_total{result=\"failed\"} 1\n");
}

Test(metrics, answers_are_counted_by_operation_and_status)
{
    answer_observe(OBJECT_GET, 200, 10);
    answer_observe(OBJECT_GET, 304, 10);
    answer_observe(OBJECT_GET, 404, 10);
    answer_observe(OBJECT_GET, 412, 10);
    answer_observe(OPERATION_COUNT, 503, 10);
    assert_has("diorama_http_requests_total{operation=\"object_get\",status=\"2xx\"} 1\n"
               "diorama_http_requests_total{operation=\"object_get\",status=\"3xx\"} 1\n"
               "diorama_http_requests_total{operation=\"object_get\",status=\"4xx\"} 2\n"
               "diorama_http_requests_total{operation=\"object_get\",status=\"5xx\"} 0\n");
    assert_has("diorama_http_requests_total{operation=\"none\",status=\"5xx\"} 1\n");
}

Test(metrics, what_actors_ask_of_each_other_is_no_request)
{
    cr_assert_not(strstr(text(), "operation=\"committed\""));
}

Test(metrics, histogram_of_time_is_cumulative_and_in_seconds)
{
    answer_observe(SCENE_GET, 200, 100);      // the bound belongs to its bucket
    answer_observe(SCENE_GET, 200, 101);      // the next one
    answer_observe(SCENE_GET, 200, 20000000); // beyond all bounds
#define LINE "diorama_http_request_duration_seconds"
    assert_has(LINE "_bucket{operation=\"scene_get\",le=\"0.0001\"} 1\n" //
               LINE "_bucket{operation=\"scene_get\",le=\"0.00025\"} 2\n");
    assert_has(LINE "_bucket{operation=\"scene_get\",le=\"10\"} 2\n"   //
               LINE "_bucket{operation=\"scene_get\",le=\"+Inf\"} 3\n" //
               LINE "_sum{operation=\"scene_get\"} 20.000201\n"        //
               LINE "_count{operation=\"scene_get\"} 3\n");
}

Test(metrics, histogram_of_sizes_counts_things)
{
    size_observe(HISTOGRAM_COMMIT_WRITES, 3);
    assert_has("diorama_store_commit_writes_bucket{le=\"2\"} 0\n"
               "diorama_store_commit_writes_bucket{le=\"4\"} 1\n");
    assert_has("diorama_store_commit_writes_bucket{le=\"+Inf\"} 1\n"
               "diorama_store_commit_writes_sum 3.000000\n"
               "diorama_store_commit_writes_count 1\n");
}

Test(metrics, gauge_follows_what_it_is_told)
{
    uint64_t one = 0, other = 0;
    gauge_follow(GAUGE_SCENE_BYTES, &one, 100);
    gauge_follow(GAUGE_SCENE_BYTES, &other, 50);
    gauge_follow(GAUGE_SCENE_BYTES, &one, 30);
    assert_has("diorama_scene_memory_bytes 80\n");
}

Test(metrics, gauge_is_never_below_zero)
{
    gauge_add(GAUGE_SCENES, -1);
    assert_has("diorama_scenes 0\n");
}

Test(metrics, actor_has_one_place)
{
    unsigned first = metric_actor("scene.0"), second = metric_actor("scene.1");
    cr_assert_eq(metric_actor("scene.0"), first);
    cr_assert_neq(first, second);
    gauge_add(GAUGE_ACTOR_QUEUE + second, 7);
    assert_has("# TYPE diorama_actor_queued_messages gauge\n"
               "diorama_actor_queued_messages{actor=\"scene.0\"} 0\n"
               "diorama_actor_queued_messages{actor=\"scene.1\"} 7\n");
}

Test(metrics, actors_beyond_all_places_are_nobody)
{
    char name[24];
    for (unsigned i = 1; i < METRIC_ACTORS; i++) {
        snprintf(name, sizeof name, "actor.%u", i);
        cr_assert_eq(metric_actor(name), i);
    }
    cr_assert_eq(metric_actor("one more"), 0);
    cr_assert_not(strstr(text(), "one more"));
}
