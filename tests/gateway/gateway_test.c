// gateway_test.c - the gateway in this process, over real sockets, before two scripted actors.
#include "gateway/gateway.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/message/mailbox.h"
#include "proto/message/metrics.h"
#include "proto/records/scene.h"

enum { SHARDS = 2, DEADLINE_MS = 150, WAKE_MS = 10, UDP_PORT = 8762, ANSWER_SIZE = 65536 };

// The actors: each thread has the mailbox of one shard and answers by a script.

static _Atomic bool ended;
static _Atomic bool holding; // an actor has the request for scene "slow"
static pthread_t threads[SHARDS];
static pthread_barrier_t opened;

static void
answer_scene(struct message *message, const char *key)
{
    struct arena arena = {0};
    struct record *scene = record_new(&arena, &scene_schema);
    record_set_text(scene, SCENE_KEY, text_from(&arena, key));
    const frozen_t *frozen = record_freeze(&scene_schema, scene);
    reply_add(message, frozen);
    record_unref(&frozen);
    arena_finish(&arena);
}

// Shard 0 has scenes 1, 4, 5 km away, shard 1 has 2, 3 and 3 km; each sends what was asked for.
static void
answer_query(struct message *message, unsigned shard)
{
    static const char *const keys[SHARDS][3] = {{"z", "d", "e"}, {"b", "a", "c"}};
    static const double distances[SHARDS][3] = {{1, 4, 5}, {2, 3, 3}};
    int64_t wanted = message->params->num_records;
    for (unsigned i = 0; i < 3 && i < wanted; i++)
        answer_scene(message, keys[shard][i]);
    message->reply.more = wanted < 3;
    message->reply.distances = distances[shard];
}

static void
answer(struct message *message, unsigned shard)
{
    switch ((unsigned)message->operation) {
    case SCENE_QUERY:
        answer_query(message, shard);
        break;
    case OBJECT_LOCK:
        record_set_text(&reply_envelope(message)->base, ENVELOPE_HOLDER,
                        text_from(&message->arena, "d2"));
        reply_fail(message, fail(ERR_LOCKED, "", "d2 holds the lock"));
        break;
    case SCENE_DELETE:
        reply_fail(message, fail(ERR_NOT_FOUND, "", "there is no such scene"));
        break;
    case PING:
        break;
    default:
        answer_scene(message, text_chars(message->params->scene));
    }
}

static void *
run_actor(void *argument)
{
    unsigned shard = (unsigned)(uintptr_t)argument;
    char name[MAILBOX_NAME_SIZE];
    mailbox_t *mailbox;
    struct message *held = NULL; // the request for scene "slow", answered before the next one
    mailbox_shard_name(shard, name);
    cr_assert_eq(mailbox_create(name, true, &mailbox), OK);
    pthread_barrier_wait(&opened);
    while (!atomic_load(&ended)) {
        struct message *message = mailbox_receive(mailbox, WAKE_MS);
        if (!message)
            continue;
        if (held)
            mailbox_reply(mailbox, &held);
        answer(message, shard);
        if (text_is(message->params->scene, "slow"))
            held = message, atomic_store(&holding, true);
        else
            mailbox_reply(mailbox, &message);
    }
    message_destroy(&held);
    mailbox_destroy(&mailbox);
    return NULL;
}

static gateway_t *gateway;
static int client = -1;

static void
start(int64_t workers)
{
    static struct config config; // borrowed by the gateway
    config = (struct config){.http_host = "127.0.0.1",
                             .http_threads = workers,
                             .http_deadline_ms = DEADLINE_MS,
                             .http_cors_origins = "https://console.example",
                             .udp_host = "0.0.0.0"};
    const struct gateway_surroundings around = {
        .shards = SHARDS, .udp_port = UDP_PORT, .version = "1.2.3"};
    mailbox_t *first; // libczmq starts with its first socket, which no other may race
    cr_assert_eq(mailbox_create("first", false, &first), OK);
    mailbox_destroy(&first);
    pthread_barrier_init(&opened, NULL, SHARDS + 1);
    for (unsigned i = 0; i < SHARDS; i++)
        pthread_create(&threads[i], NULL, run_actor, (void *)(uintptr_t)i);
    pthread_barrier_wait(&opened);
    cr_assert_eq(gateway_create(&config, &around, &gateway), OK);
    gateway_set_ready(gateway, true);
}

static void
start_two(void)
{
    start(2);
}

static void
stop(void)
{
    if (client >= 0)
        close(client);
    gateway_destroy(&gateway);
    atomic_store(&ended, true);
    for (unsigned i = 0; i < SHARDS; i++)
        pthread_join(threads[i], NULL);
}

TestSuite(gateway, .init = start_two, .fini = stop);

static int
connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = 5};
    int connected = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(connected, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    cr_assert_eq(connect(connected, (struct sockaddr *)&address, sizeof address), 0);
    return connected;
}

// The client: one connection.

static void
send_text(const char *text)
{
    if (client < 0)
        client = connect_to(gateway_port(gateway));
    cr_assert_eq(write(client, text, strlen(text)), (ssize_t)strlen(text));
}

// Reads until `enough` says so or the connection ends.
static const char *
receive(bool (*enough)(const char *text))
{
    static char text[ANSWER_SIZE];
    size_t size = 0;
    ssize_t got = 1;
    for (text[0] = '\0'; got > 0 && !enough(text); text[size] = '\0') {
        got = read(client, text + size, sizeof text - 1 - size);
        size += got > 0 ? (size_t)got : 0;
    }
    return text;
}

static bool
is_head(const char *text)
{
    return strstr(text, "\r\n\r\n") != NULL;
}

static bool
is_answer(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n"), *length = strstr(text, "Content-Length: ");
    return end && (!length || length > end || strlen(end + 4) >= strtoul(length + 16, NULL, 10));
}

static const char *
ask(const char *request)
{
    send_text(request);
    return receive(is_answer);
}

#define REQUEST(line, ...) line " HTTP/1.1\r\nHost: localhost\r\n" __VA_ARGS__ "\r\n"

static const char *
ask_with(const char *line, const char *body)
{
    char request[1024];
    snprintf(request, sizeof request,
             "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Content-Length: %zu\r\n\r\n%s",
             line, strlen(body), body);
    return ask(request);
}

static void
assert_has(const char *answer_text, const char *part)
{
    cr_assert_not_null(strstr(answer_text, part), "no %s in %s", part, answer_text);
}

Test(gateway, actor_is_asked_and_answers)
{
    const char *text = ask(REQUEST("GET /v1/scene/s%201"));
    assert_has(text, "HTTP/1.1 200 OK\r\n");
    assert_has(text, "Content-Type: application/json\r\n");
    assert_has(text, "X-Content-Type-Options: nosniff\r\n");
    assert_has(text, "Cache-Control: private, no-cache\r\n");
    assert_has(text, "X-Request-Id: ");
    assert_has(text, "{\"msg_type\":2,\"err_code\":100,\"num_records\":1,\"start_record\":0,"
                     "\"scenes\":[{\"key\":\"s 1\",");
}

Test(gateway, connection_serves_several_requests)
{
    assert_has(ask(REQUEST("GET /livez")), "{\"status\":\"live\"}");
    assert_has(ask(REQUEST("GET /health")), "{\"status\":\"up\"}");
    assert_has(ask(REQUEST("GET /readyz")), "{\"status\":\"ready\",\"version\":\"1.2.3\"}");
    const char *text = ask(REQUEST("GET /metrics"));
    assert_has(text, "diorama_http_requests_total{operation=\"none\",status=\"2xx\"} 2\n");
    assert_has(text, "diorama_http_requests_total{operation=\"ping\",status=\"2xx\"} 1\n");
}

Test(gateway, nothing_is_asked_before_it_is_ready)
{
    gateway_set_ready(gateway, false);
    assert_has(ask(REQUEST("GET /readyz")), "HTTP/1.1 503 ");
    assert_has(ask(REQUEST("GET /v1/scene/s1")), "HTTP/1.1 503 ");
    assert_has(ask(REQUEST("GET /livez")), "HTTP/1.1 200 ");
}

Test(gateway, failure_of_an_actor_is_a_problem)
{
    const char *text = ask(REQUEST("DELETE /v1/scene/s1", "X-Request-Id: mine-1\r\n"));
    assert_has(text, "HTTP/1.1 404 Not Found\r\n");
    assert_has(text, "Content-Type: application/problem+json\r\n");
    assert_has(text, "X-Request-Id: mine-1\r\n");
    assert_has(text, "\"detail\":\"there is no such scene\",\"msg_type\":3,\"err_code\":102,");
    assert_has(text, "\"scenes\":[],\"errors\":[],\"request_id\":\"mine-1\"}");
}

Test(gateway, refused_lock_names_the_holder)
{
    const char *text =
        ask(REQUEST("GET /v1/scene/s1/object/0005555555555555555555ab/lock?device=d1"));
    assert_has(text, "HTTP/1.1 423 Locked\r\n");
    assert_has(text, "\"err_code\":123,\"err_msg\":\"d2 holds the lock\",\"num_records\":0,"
                     "\"holder\":\"d2\",\"objects\":[]");
}

Test(gateway, key_that_is_nobodys_is_not_found)
{
    assert_has(ask(REQUEST("GET /v1/scene/s1/object/4005555555555555555555ab")),
               "HTTP/1.1 404 Not Found\r\n");
}

Test(gateway, late_answer_is_unavailable_and_never_taken_for_another)
{
    const char *text = ask(REQUEST("GET /v1/scene/slow"));
    assert_has(text, "HTTP/1.1 503 Service Unavailable\r\n");
    assert_has(text, "Retry-After: 1\r\n");
    assert_has(text, "\"err_code\":120,");
    // The same shard answers "slow" now, then this one.
    assert_has(ask(REQUEST("GET /v1/scene/slow2")), "\"key\":\"slow2\"");
    assert_has(ask(REQUEST("GET /v1/scene/slow")), "HTTP/1.1 503 ");
    for (int i = 0; i < 8; i++) {
        char request[128], key[32];
        snprintf(request, sizeof request, REQUEST("GET /v1/scene/n%d"), i);
        snprintf(key, sizeof key, "\"key\":\"n%d\"", i);
        assert_has(ask(request), key);
    }
    cr_assert_geq(counter_get(COUNT_LATE_REPLIES), 1);
}

Test(gateway, scenes_of_all_shards_are_merged_by_distance_then_key)
{
    const char *text = ask_with("POST /v1/scene/query", "{}");
    const char *at = text;
    static const char *const order[] = {"z", "b", "a", "c", "d", "e"};
    assert_has(text, "\"num_records\":6,\"start_record\":0,\"scenes\":[");
    for (int i = 0; i < 6; i++) {
        char key[16];
        snprintf(key, sizeof key, "\"key\":\"%s\"", order[i]);
        cr_assert_not_null(at = strstr(at, key), "%s out of order in %s", key, text);
    }
}

Test(gateway, page_is_cut_from_the_merged_records)
{
    const char *text = ask_with("POST /v1/scene/query", "{\"num_records\":2,\"start_record\":1}");
    assert_has(text, "\"num_records\":2,\"start_record\":1,\"next_start_record\":3,");
    assert_has(text, "\"scenes\":[{\"key\":\"b\"");
    assert_has(text, "},{\"key\":\"a\"");
}

Test(gateway, last_page_has_no_next)
{
    const char *text = ask_with("POST /v1/scene/query", "{\"num_records\":2,\"start_record\":4}");
    assert_has(text, "\"num_records\":2,\"start_record\":4,\"scenes\":[{\"key\":\"d\"");
}

Test(gateway, created_scene_keeps_the_key_of_its_body)
{
    const char *text =
        ask_with("POST /v1/scene/", "{\"scenes\":[{\"key\":\"k1\"},{\"key\":\"k2\"}]}");
    assert_has(text, "Location: /v1/scene/k1\r\n");
    assert_has(text, "\"num_records\":2,\"scenes\":[{\"key\":\"k1\"},{\"key\":\"k2\"}]}");
}

Test(gateway, created_scene_without_a_key_gets_one)
{
    char key[25] = "";
    const char *text = ask_with("POST /v1/scene", "{\"scenes\":[{\"name\":\"den\"}]}");
    const char *location = strstr(text, "Location: /v1/scene/");
    cr_assert_not_null(location);
    cr_assert_eq(sscanf(location, "Location: /v1/scene/%24[0-9a-f]\r\n", key), 1);
    cr_assert_eq(strlen(key), 24);
}

Test(gateway, creating_nothing_asks_nobody)
{
    const char *text = ask_with("POST /v1/scene", "{\"scenes\":[]}");
    assert_has(text, "{\"msg_type\":0,\"err_code\":100,\"num_records\":0,\"scenes\":[]}");
    cr_assert_null(strstr(text, "Location"));
}

Test(gateway, registration_says_where_updates_go)
{
    const char *text = ask_with("POST /v1/scene/s1/register", "{\"scenes\":[]}");
    assert_has(text, "\"event_destination_host\":\"localhost\",\"event_destination_port\":8762,");
}

Test(gateway, cache_does_nothing)
{
    assert_has(ask(REQUEST("PUT /v1/scene/cache/s1", "Content-Length: 0\r\n")),
               "{\"msg_type\":0,\"err_code\":100,\"num_records\":0,\"scenes\":[]}");
}

Test(gateway, head_has_the_length_but_no_body)
{
    const char *text = ask(REQUEST("HEAD /livez") REQUEST("GET /health"));
    assert_has(text, "Content-Length: 17\r\n");
    cr_assert_null(strstr(text, "live"));
}

Test(gateway, options_names_the_methods)
{
    const char *text = ask(REQUEST("OPTIONS /v1/scene/s1"));
    assert_has(text, "HTTP/1.1 204 No Content\r\n");
    assert_has(text, "Allow: PUT, POST, GET, HEAD, DELETE, OPTIONS\r\n");
}

Test(gateway, wrong_method_names_the_right_ones)
{
    const char *text = ask(REQUEST("DELETE /v1/scene/query"));
    assert_has(text, "HTTP/1.1 405 Method Not Allowed\r\n");
    assert_has(text, "Allow: POST, OPTIONS\r\n");
    assert_has(text, "\"err_code\":141,");
}

Test(gateway, listed_origin_may_read_the_answer)
{
    const char *text = ask(REQUEST("OPTIONS /v1/scene/s1", "Origin: https://console.example\r\n"));
    assert_has(text, "Access-Control-Allow-Origin: https://console.example\r\n");
    assert_has(text, "Access-Control-Allow-Credentials: true\r\n");
    assert_has(text, "Access-Control-Allow-Methods: PUT, POST, GET, HEAD, DELETE, OPTIONS\r\n");
}

Test(gateway, other_origins_may_neither_write_nor_lock)
{
    assert_has(ask(REQUEST("DELETE /v1/scene/s1", "Origin: http://evil.example\r\n")),
               "HTTP/1.1 403 Forbidden\r\n");
    assert_has(ask(REQUEST("GET /v1/scene/s1/object/0005555555555555555555ab/lock?device=d1",
                           "Sec-Fetch-Site: cross-site\r\n")),
               "HTTP/1.1 403 Forbidden\r\n");
    const char *text = ask(REQUEST("GET /v1/scene/s1", "Origin: http://evil.example\r\n"));
    assert_has(text, "HTTP/1.1 200 OK\r\n");
    cr_assert_null(strstr(text, "Access-Control"));
}

Test(gateway, foreign_host_is_refused)
{
    assert_has(ask("GET /livez HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
               "HTTP/1.1 403 Forbidden\r\n");
}

Test(gateway, other_media_types_are_refused)
{
    assert_has(ask(REQUEST("POST /v1/scene/query",
                           "Content-Type: text/plain\r\nContent-Length: 2\r\n") "{}"),
               "HTTP/1.1 415 Unsupported Media Type\r\n");
}

Test(gateway, body_in_chunks_is_read)
{
    const char *text =
        ask(REQUEST("PUT /v1/scene/s1", "Transfer-Encoding: chunked\r\n") "7\r\n"
                                                                          "{\"scene"
                                                                          "\r\n6\r\n"
                                                                          "s\":[]}"
                                                                          "\r\n0\r\n\r\n");
    assert_has(text, "HTTP/1.1 200 OK\r\n");
    assert_has(ask(REQUEST("GET /livez")), "HTTP/1.1 200 OK\r\n");
}

Test(gateway, client_that_waits_is_told_to_go_on)
{
    send_text(REQUEST("PUT /v1/scene/s1", "Expect: 100-continue\r\nContent-Length: 13\r\n"));
    cr_assert_str_eq(receive(is_head), "HTTP/1.1 100 Continue\r\n\r\n");
    assert_has(ask("{\"scenes\":[]}"), "HTTP/1.1 200 OK\r\n");
}

Test(gateway, too_large_a_body_is_refused_unread)
{
    const char *text =
        ask(REQUEST("PUT /v1/scene/s1", "Expect: 100-continue\r\nContent-Length: 1048577\r\n"));
    assert_has(text, "HTTP/1.1 413 ");
    assert_has(text, "Connection: close\r\n");
    assert_has(text, "\"err_code\":140,");
}

Test(gateway, bulk_create_may_be_larger)
{
    send_text(
        REQUEST("POST /v1/scene/s1/object", "Expect: 100-continue\r\nContent-Length: 1048577\r\n"));
    cr_assert_str_eq(receive(is_head), "HTTP/1.1 100 Continue\r\n\r\n");
}

Test(gateway, body_that_ends_early_is_refused)
{
    send_text(REQUEST("PUT /v1/scene/s1", "Content-Length: 14\r\n") "{\"scenes\":[]}");
    cr_assert_eq(shutdown(client, SHUT_WR), 0);
    const char *text = receive(is_answer);
    assert_has(text, "HTTP/1.1 400 Bad Request\r\n");
    assert_has(text, "\"detail\":\"the body ended before its announced length\"");
}

Test(gateway, both_framings_are_refused)
{
    const char *text = ask(REQUEST(
        "PUT /v1/scene/s1", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n") "0\r\n\r\n");
    assert_has(text, "HTTP/1.1 400 Bad Request\r\n");
    assert_has(text, "Connection: close\r\n");
}

Test(gateway, lines_of_a_header_that_are_no_fields_are_refused)
{
    static const char *const requests[] = {
        REQUEST("PUT /v1/scene/s1", "X: a\r\n b\r\nContent-Length: 13\r\n"),
        REQUEST("PUT /v1/scene/s1", ": a\r\nContent-Length: 13\r\n"),
        REQUEST("PUT /v1/scene/s1", "Content-Length : 13\r\n"),
        REQUEST("PUT /v1/scene/s1", "\xc3X: a\r\nContent-Length: 13\r\n"),
        "PUT /v1/scene/s1 HTTP/1.1\r\n Host: localhost\r\nContent-Length: 13\r\n\r\n",
        "PUT /v1/scene/s1 HTTP/1.1\nHost: localhost\nContent-Length: 13\n\n",
        "PUT /v1/scene/s1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\n\n",
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        const char *text = ask(requests[i]);
        assert_has(text, "HTTP/1.1 400 Bad Request\r\n");
        assert_has(text, "Connection: close\r\n");
        assert_has(text, "\"detail\":\"a line of the header is no field that ends in CR LF\"");
        close(client);
        client = -1;
    }
}

Test(gateway, fields_may_be_empty)
{
    assert_has(ask(REQUEST("GET /livez", "Empty:\r\n")), "HTTP/1.1 200 OK\r\n");
    assert_has(ask(REQUEST("GET /livez", "X-Last: \r\n")), "HTTP/1.1 200 OK\r\n");
}

Test(gateway, request_under_way_is_answered_before_the_end)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    send_text(REQUEST("GET /v1/scene/slow"));
    while (!atomic_load(&holding))
        nanosleep(&pause, NULL);
    gateway_destroy(&gateway);
    // Its actor did not answer in time, so the client gets 503.
    assert_has(receive(is_answer), "HTTP/1.1 503 Service Unavailable\r\n");
}

Test(gateway, idle_connection_holds_nothing_up_at_the_end)
{
    ask(REQUEST("GET /livez"));
    uint64_t begin_ms = clock_now_ms();
    gateway_destroy(&gateway);
    cr_assert_lt(clock_now_ms() - begin_ms, 2400); // what it may hold up, it does for 2.5 s
    char byte;
    cr_assert_eq(read(client, &byte, 1), 0);
}

Test(gateway, what_is_no_http_is_refused_as_a_problem)
{
    const char *text = ask("GARBAGE\r\n\r\n");
    assert_has(text, "HTTP/1.1 400 Bad Request\r\n");
    assert_has(text, "\"err_code\":110,");
}

Test(gateway, too_long_a_head_is_refused)
{
    static char request[LIMIT_HEADER_BYTES + 128];
    snprintf(request, sizeof request, "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Long: ");
    memset(request + strlen(request), 'a', LIMIT_HEADER_BYTES);
    strcat(request, "\r\n\r\n");
    assert_has(ask(request), "HTTP/1.1 431 ");
}

Test(gateway, client_that_wants_to_close_is_let_go)
{
    const char *text = ask(REQUEST("GET /livez", "Connection: close\r\n"));
    assert_has(text, "Connection: close\r\n");
    char byte;
    cr_assert_eq(read(client, &byte, 1), 0);
}

Test(gateway_overloaded, busy_connections_take_turns, .init = NULL, .fini = stop)
{
    start(1);
    for (int i = 1; i < 16; i++)
        cr_assert_null(strstr(ask(REQUEST("GET /livez")), "Connection: close"), "request %d", i);
    assert_has(ask(REQUEST("GET /livez")), "Connection: close\r\n");
}

// One worker, which the first of them has.
Test(gateway_overloaded, who_waits_for_a_worker_is_let_go_when_it_stops, .init = NULL, .fini = stop)
{
    enum { WAITING = 20 };
    int waiting[WAITING];
    start(1);
    ask(REQUEST("GET /livez"));
    for (int i = 0; i < WAITING; i++)
        waiting[i] = connect_to(gateway_port(gateway));
    gateway_destroy(&gateway);
    for (int i = 0; i < WAITING; i++) {
        char byte;
        ssize_t got = recv(waiting[i], &byte, 1, 0);
        cr_assert(got == 0 || (got < 0 && errno == ECONNRESET), "%d waits", i);
        close(waiting[i]);
    }
}

Test(gateway_taken, taken_port_is_unavailable)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int taken = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(taken, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(listen(taken, 1), 0);
    cr_assert_eq(getsockname(taken, (struct sockaddr *)&address, &size), 0);
    const struct config config = {.http_host = "127.0.0.1",
                                  .http_port = ntohs(address.sin_port),
                                  .http_threads = 1,
                                  .http_cors_origins = "",
                                  .udp_host = ""};
    const struct gateway_surroundings around = {.shards = 1, .udp_port = UDP_PORT, .version = ""};
    cr_assert_eq(gateway_create(&config, &around, &gateway), ERR_UNAVAILABLE);
    char expected[64];
    snprintf(expected, sizeof expected,
             "cannot listen on 127.0.0.1:%d: ", (int)ntohs(address.sin_port));
    cr_assert_eq(strncmp(fault_last()->detail, expected, strlen(expected)), 0, "%s",
                 fault_last()->detail);
    close(taken);
}
