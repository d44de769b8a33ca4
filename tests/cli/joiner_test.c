// joiner_test.c - reading a state from the first event of a stream, and telling the next event from
// old and missing ones. The server is a thread that answers by a script.
#include "tools/cli/joiner.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static const char stream_head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
static int listener;
static const char *answers[4]; // one a connection
static pthread_t server;
static http_client_t *http;
static joiner_t *joiner;
static struct buffer out;
static const struct option_texts scenes = {.count = 1, .items = {"a"}};

static void *
serve(void *unused)
{
    char request[4096];
    (void)unused;
    for (size_t i = 0; i < 4 && answers[i]; i++) {
        int connection = accept(listener, NULL, NULL);
        (void)!read(connection, request, sizeof request);
        (void)!write(connection, answers[i], strlen(answers[i]));
        close(connection);
    }
    return NULL;
}

static void
start(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    char url[64];
    listener = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(listener, (struct sockaddr *)&at, size), 0);
    cr_assert_eq(listen(listener, 4), 0);
    cr_assert_eq(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    http = http_client_create(url);
    joiner = joiner_create(http, &scenes);
}

static void
end(void)
{
    joiner_destroy(&joiner);
    http_client_destroy(&http);
    buffer_finish(&out);
    close(listener);
}

TestSuite(joiner, .init = start, .fini = end);

// Reads the state while the server says `answer`.
static enum error
read_state(const char *answer)
{
    answers[0] = answer;
    cr_assert_eq(pthread_create(&server, NULL, serve, NULL), 0);
    buffer_clear(&out);
    enum error error = joiner_read(joiner, NULL, false, &out);
    pthread_join(server, NULL);
    buffer_put_char(&out, '\0');
    return error;
}

static enum error
read_at(const char *id)
{
    char answer[512];
    snprintf(answer, sizeof answer,
             "%s: hello\n\nevent: snapshot\nid: %s\ndata: {\"scene\":\"a\"}\n\n", stream_head, id);
    return read_state(answer);
}

Test(joiner, the_state_is_the_first_event_on_one_line)
{
    cr_assert_eq(read_at("3-17"), OK);
    cr_expect_str_eq(out.data, "{\"topic\":\"snapshot\",\"scene\":\"a\"}\n");
}

Test(joiner, events_up_to_the_state_are_old_and_the_next_is_next)
{
    cr_expect_eq(joiner_note(joiner, "a", 3, 18, 1), JOINING_OLD, "nothing is known yet");
    cr_assert_eq(read_at("3-17"), OK);
    cr_expect_eq(joiner_note(joiner, "a", 3, 17, 1), JOINING_OLD);
    cr_expect_eq(joiner_note(joiner, "a", 2, 99, 1), JOINING_OLD);
    cr_expect_eq(joiner_note(joiner, "a", 3, 18, 1), JOINING_NEXT);
    cr_expect_eq(joiner_note(joiner, "a", 3, 18, 1), JOINING_OLD);
    cr_expect_eq(joiner_note(joiner, "b", 3, 19, 1), JOINING_OLD, "another scene");
}

Test(joiner, a_hole_or_a_new_epoch_is_behind_until_the_state_is_read_again)
{
    cr_assert_eq(read_at("3-17"), OK);
    cr_expect_eq(joiner_note(joiner, "a", 3, 19, 1), JOINING_BEHIND);
    cr_expect_eq(joiner_note(joiner, "a", 4, 1, 1), JOINING_BEHIND);
    cr_assert_eq(read_at("4-2"), OK);
    cr_expect_eq(joiner_note(joiner, "a", 4, 2, 1), JOINING_OLD);
    cr_expect_eq(joiner_note(joiner, "a", 4, 3, 1), JOINING_NEXT);
}

Test(joiner, a_state_that_is_known_gives_no_line)
{
    cr_assert_eq(read_at("3-17"), OK);
    cr_assert_eq(read_at("3-17"), OK);
    cr_expect_str_eq(out.data, "");
}

Test(joiner, of_a_scene_that_is_not_there_only_its_creation_is_news)
{
    cr_assert_eq(read_state("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"), OK);
    cr_expect_str_eq(out.data, "{\"topic\":\"snapshot\",\"scene\":\"a\",\"epoch\":0,\"seq\":0,"
                               "\"objects\":[],\"properties\":[]}\n");
    cr_expect_eq(joiner_note(joiner, "a", 3, 5, 3), JOINING_OLD);
    cr_expect_eq(joiner_note(joiner, "a", 3, 6, 40), JOINING_NEXT);
    cr_expect_eq(joiner_note(joiner, "a", 3, 7, 42), JOINING_NEXT);
    cr_expect_eq(joiner_note(joiner, "a", 3, 8, 0), JOINING_OLD);
}

Test(joiner, what_is_no_stream_of_events_is_said)
{
    cr_expect_eq(read_state("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), ERR_MALFORMED);
    cr_expect_eq(read_state("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n{}"),
                 ERR_FORBIDDEN);
    cr_expect_eq(read_at("no number"), ERR_MALFORMED);
}
