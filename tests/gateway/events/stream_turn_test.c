// stream_turn_test.c - what a stream does next, with a desk that keeps its questions.
#include "gateway/events/stream_turn.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/message/lease.h"
#include "proto/message/metrics.h"
#include "proto/records/object.h"
#include "proto/records/params.h"

enum { BASE_BYTES = 16 << 10, HEARTBEAT_MS = 60000 };

static struct arena arena;
static struct stream_limits limits;
static event_bell_t *bell;
static event_stream_t *stream;
static int theirs = -1;
static struct message *asked; // by the stream, and not answered
static bool is_full;          // the desk
static struct auth_rules rules;
static const struct request_guard_rules guard = {.origins = ""};
static const struct route route = {.method = HTTP_GET, .operation = SCENE_WATCH};
static uint64_t seq;

static bool
keep(struct stream_desk *self, event_stream_t *asker, unsigned scene, struct message **question)
{
    (void)self, (void)scene;
    cr_assert_eq(asker, stream);
    if (is_full)
        return false;
    cr_assert_null(asked);
    asked = *question;
    *question = NULL;
    return true;
}

static struct stream_desk desk = {.ask = keep, .deadline_ms = 1000};

static void
begin(void)
{
    int ends[2];
    limits = (struct stream_limits){
        .memory.most = 1 << 20, .descriptors.most = 4, .heartbeat_ms = HEARTBEAT_MS};
    cr_assert_eq(event_bell_create(&limits.memory, &bell), OK);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    theirs = ends[0];
    const struct http_request request = {.peer = "127.0.0.1"};
    struct message *message = message_create(SCENE_WATCH);
    record_set_text(&message->params->base, PARAMS_SCENE, text_from(&arena, "hall"));
    const struct asker asker = {
        .auth = &rules, .guard = &guard, .proxies = "", .request = &request, .route = &route};
    const struct event_stream_plan plan = {
        .request = message, .asker = &asker, .limits = &limits, .bell = bell, .socket = ends[1]};
    cr_assert_eq(event_stream_create(&plan, &stream), OK);
    close(ends[1]);
    message_destroy(&message); // nothing of the request is needed any more
    stream_turn_begin(stream, clock_now_ms());
}

static void
end(void)
{
    event_stream_destroy(&stream);
    message_destroy(&asked);
    for (struct bell_cord *cord = event_bell_hush(bell), *next; cord; cord = next) {
        next = cord->next;
        (void)event_queue_answer(cord);
    }
    event_bell_unref(&bell);
    buffer_finish(&desk.sink.out);
    close(theirs);
    arena_finish(&arena);
    cr_assert_eq(atomic_load(&limits.memory.taken), 0);
    cr_assert_eq(atomic_load(&limits.descriptors.taken), 0);
}

TestSuite(stream_turn, .init = begin, .fini = end);

static const char *
heard(void)
{
    static char words[4096];
    ssize_t got = recv(theirs, words, sizeof words - 1, MSG_DONTWAIT);
    words[got > 0 ? got : 0] = '\0';
    return words;
}

// Answers the question: a join with the state of an empty scene.
static void
answer(enum error error)
{
    cr_assert_not_null(asked);
    asked->reply.fault.error = error;
    struct envelope *envelope = reply_envelope(asked);
    envelope->epoch = 7;
    envelope->seq = (int64_t)seq;
    event_stream_take_answer(stream, 0, &asked);
    if (stream->joins)
        event_queue_attach(stream->queue, 0, seq);
}

static void
join(void)
{
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    answer(OK);
    while (stream_turn(stream, &desk) == STREAM_GOES_ON)
        ;
    (void)heard();
}

static void
happen(uint8_t msg_type, size_t name_bytes)
{
    struct record *hall = record_new(&arena, &scene_schema);
    record_set_text(hall, SCENE_KEY, text_from(&arena, "hall"));
    struct record *thing = record_new(&arena, &object_schema);
    char *name = arena_alloc(&arena, name_bytes + 1);
    memset(name, 'n', name_bytes);
    record_set_text(thing, OBJECT_KEY, text_from(&arena, "a"));
    record_set_text(thing, OBJECT_NAME, text_new(&arena, name, name_bytes));
    bool is_of_scene = msg_type == EVENT_SCENE_DELETED || msg_type == EVENT_SCENE_UPDATED;
    struct event event = {.msg_type = msg_type,
                          .seq = ++seq,
                          .scene = record_freeze(&scene_schema, hall),
                          .record = is_of_scene ? record_freeze(&scene_schema, hall)
                                                : record_freeze(&object_schema, thing)};
    event_queue_push(stream->queue, 0, &event);
    record_unref(&event.scene);
    record_unref(&event.record);
    stream->is_rung = true;
}

// The server has lost its database, and with it the right to answer.
static void
lose(void)
{
    lease_extend(clock_boot_ms() - LEASE_BLIND_MS);
}

Test(stream_turn, it_ends_with_a_word_where_the_server_is_cut_off_for_long)
{
    join();
    lease_extend(clock_boot_ms());
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_str_eq(heard(), "");
    uint64_t before = counter_get(COUNT_LEASE_ENDED);
    lose();
    cr_assert_eq(stream_turn(stream, &desk), STREAM_ENDS);
    cr_assert_str_eq(heard(), ": " LEASE_BLIND_WORDS "\n\n");
    cr_assert_eq(counter_get(COUNT_LEASE_ENDED), before + 1);
}

Test(stream_turn, a_question_under_way_does_not_hold_it)
{
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_not_null(asked);
    lose();
    cr_assert_eq(stream_turn(stream, &desk), STREAM_ENDS);
}

Test(stream_turn, no_word_is_put_into_a_state_that_is_half_written)
{
    join();
    stream->cursor.part = 1;
    lose();
    cr_assert_eq(stream_turn(stream, &desk), STREAM_ENDS);
    cr_assert_str_eq(heard(), "");
}

Test(stream_turn, state_comes_first_then_each_change)
{
    static const char state[] = "event: snapshot\nid: 7-0\ndata: {\"scene\":\"hall\",\"epoch\":7,"
                                "\"seq\":0,\"objects\":[],\"properties\":[]}\n\n";
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_str_eq(heard(), "", "the scene was not asked yet");
    answer(OK);
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_str_eq(heard(), state);
    happen(EVENT_OBJECT_UPDATED, 1);
    happen(EVENT_OBJECT_UPDATED, 1);
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    const char *words = heard();
    cr_assert_eq(strncmp(words, "event: change\nid: 7-1\n", 22), 0, "%s", words);
    cr_assert_not_null(strstr(words, "\n\nevent: change\nid: 7-2\n"), "%s", words);
}

Test(stream_turn, refused_stream_ends_without_a_word)
{
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    answer(ERR_NOT_FOUND);
    cr_assert_eq(stream_turn(stream, &desk), STREAM_ENDS);
    cr_assert_str_eq(heard(), "");
}

Test(stream_turn, question_without_room_is_asked_later)
{
    is_full = true;
    cr_assert_eq(stream_turn(stream, &desk), STREAM_ASKS);
    cr_assert_eq(stream_turn(stream, &desk), STREAM_ASKS);
    is_full = false;
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_not_null(asked);
}

Test(stream_turn, nobody_waits_for_an_answer_for_ever)
{
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_leq(stream_turn_due_us(stream), (clock_now_ms() + desk.deadline_ms) * 1000);
    stream->answer_by_ms = clock_now_ms();
    cr_assert_eq(stream_turn(stream, &desk), STREAM_ENDS);
}

Test(stream_turn, events_that_were_dropped_are_told_and_the_state_comes_anew)
{
    join();
    seq = 5; // 1 to 5 never came
    happen(EVENT_OBJECT_UPDATED, 1);
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_str_eq(heard(), ": behind\n\n");
    answer(OK);
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_eq(strncmp(heard(), "event: snapshot\nid: 7-6\n", 24), 0);
}

Test(stream_turn, end_of_the_last_scene_is_told_before_the_stream_ends)
{
    join();
    happen(EVENT_SCENE_DELETED, 1);
    cr_assert_eq(stream_turn(stream, &desk), STREAM_GOES_ON);
    cr_assert_not_null(strstr(heard(), "\"msg_type\":42"));
    cr_assert_eq(stream_turn(stream, &desk), STREAM_ENDS);
}

Test(stream_turn, client_that_reads_nothing_is_waited_for_and_then_broken_off)
{
    join();
    for (unsigned i = 0; i < 200; i++)
        happen(EVENT_OBJECT_UPDATED, 4000); // 800 KB
    for (unsigned i = 0; i < 20 && stream_turn(stream, &desk) == STREAM_GOES_ON; i++)
        ;
    cr_assert(stream_client_is_behind(&stream->client));
    cr_assert_leq(stream->client.left.size, STREAM_WRITE_BYTES + 8192, "one write is kept");
    cr_assert_geq(atomic_load(&limits.memory.taken), BASE_BYTES + stream->client.left.size);
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    stream->client.since_ms -= 60 * 1000;
    cr_assert_eq(stream_turn(stream, &desk), STREAM_BREAKS);
}

Test(stream_turn, heartbeat_comes_when_it_is_due)
{
    join();
    stream->next_beat_ms = clock_now_ms();
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_str_eq(heard(), ": heartbeat\n\n");
    cr_assert_gt(stream->next_beat_ms, clock_now_ms() + HEARTBEAT_MS / 2);
}

Test(stream_turn, watching_is_confirmed_by_the_actor_before_more_is_told)
{
    join();
    happen(EVENT_OBJECT_UPDATED, 1);
    stream->next_confirm_ms = clock_now_ms();
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_eq(asked->operation, SCENE_WATCH);
    cr_assert_null(asked->parcel);
    cr_assert_str_eq(heard(), "");
    answer(OK);
    cr_assert_eq(stream_turn(stream, &desk), STREAM_WAITS);
    cr_assert_not_null(strstr(heard(), "event: change"));
}
