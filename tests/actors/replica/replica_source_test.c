// replica_source_test.c - a source and leaders that are slow, absent, or say what is wrong: sockets
// of the test's own that answer what it tells them to.
#include "actors/replica/replica_source.h"

#include <criterion/criterion.h>
#include <czmq.h>
#include <stdatomic.h>

#include "proto/base/clock.h"
#include "store/backup/log_frame.h"
#include "store/key.h"

enum { WITHIN_MS = 5000, SHORT_MS = 100 };

static const struct replica_place place = {5, 9};

static zsock_t *leader; // a ROUTER that this test answers with
static replica_source_t *source;
static zactor_t *answerer;
static _Atomic bool must_end_now;

static bool
must_end(void *unused)
{
    (void)unused;
    return must_end_now;
}

static void
begin(void)
{
    leader = zsock_new_router("tcp://127.0.0.1:*");
    cr_assert_not_null(leader);
    const struct replica_source_settings settings = {
        .endpoint = zsock_endpoint(leader), .curve = "", .must_end = must_end};
    cr_assert_eq(replica_source_create(&settings, &source), OK);
}

static void
end(void)
{
    zactor_destroy(&answerer);
    replica_source_destroy(&source);
    zsock_destroy(&leader);
}

TestSuite(replica_source, .init = begin, .fini = end);

// What the leader of a test answers.
struct script {
    struct replica_answer answer; // its kind and id are those of the request
    struct buffer bytes;
    uint64_t id_ahead;
    bool is_cut;  // only one frame
    bool is_late; // answers the first request when the next one has come
};

static struct script script;

static void
answer(zmsg_t *request, const struct script *by)
{
    struct replica_request read;
    struct replica_answer reply = by->answer;
    struct buffer head = {0};
    zframe_t *identity = zmsg_pop(request);
    zframe_t *body = zmsg_first(request);
    error_ignore(replica_read_request(zframe_data(body), zframe_size(body), &read), "it is ours");
    reply.kind = read.kind;
    reply.id = read.id + by->id_ahead;
    replica_put_answer(&head, &reply);
    zmsg_t *message = zmsg_new();
    zmsg_append(message, &identity);
    zmsg_addmem(message, head.data, head.size);
    if (!by->is_cut)
        zmsg_addmem(message, by->bytes.data, by->bytes.size);
    zmsg_send(&message, leader);
    buffer_finish(&head);
}

static void
run(zsock_t *pipe, void *unused)
{
    (void)unused;
    zmsg_t *held = NULL;
    zpoller_t *poller = zpoller_new(pipe, leader, NULL);
    zsock_signal(pipe, 0);
    while (zpoller_wait(poller, -1) == leader) {
        zmsg_t *request = zmsg_recv(leader);
        if (script.is_late) {
            script.is_late = false;
            held = request;
            continue;
        }
        if (held)
            answer(held, &script);
        zmsg_destroy(&held);
        answer(request, &script);
        zmsg_destroy(&request);
    }
    zmsg_destroy(&held);
    zpoller_destroy(&poller);
}

static void
start(void)
{
    answerer = zactor_new(run, NULL);
    cr_assert_not_null(answerer);
}

static enum error
ask(int within_ms, struct replica_log *ret_log)
{
    return replica_source_log(source, place, 0, clock_deadline_ms((uint64_t)within_ms), ret_log);
}

Test(replica_source, a_leader_that_does_not_answer_is_unavailable_at_the_deadline)
{
    struct replica_log log;
    uint64_t asked_ms = clock_now_ms();
    cr_assert_eq(ask(SHORT_MS, &log), ERR_UNAVAILABLE);
    cr_assert_geq(clock_now_ms() - asked_ms, SHORT_MS - 1);
    cr_assert_lt(clock_now_ms() - asked_ms, WITHIN_MS);
}

static void *
end_soon(void *unused)
{
    usleep(50000);
    must_end_now = true;
    return unused;
}

Test(replica_source, it_ends_long_before_the_deadline_when_it_must)
{
    struct replica_log log;
    pthread_t ender;
    uint64_t asked_ms = clock_now_ms();
    cr_assert_eq(pthread_create(&ender, NULL, end_soon, NULL), 0);
    cr_assert_eq(ask(WITHIN_MS, &log), ERR_UNAVAILABLE);
    cr_assert_lt(clock_now_ms() - asked_ms, 1000);
    pthread_join(ender, NULL);
}

Test(replica_source, a_late_answer_is_not_taken_for_another)
{
    struct replica_log log;
    script.answer.place = place;
    script.is_late = true;
    start();
    cr_assert_eq(ask(SHORT_MS, &log), ERR_UNAVAILABLE);
    cr_assert_eq(ask(WITHIN_MS, &log), OK, "%s", fault_last()->detail);
    cr_assert_eq(ask(WITHIN_MS, &log), OK, "%s", fault_last()->detail);
}

Test(replica_source, an_answer_to_another_request_is_refused)
{
    struct replica_log log;
    script.id_ahead = 1;
    start();
    cr_assert_eq(ask(WITHIN_MS, &log), ERR_INVALID);
}

Test(replica_source, an_answer_of_one_frame_is_refused)
{
    struct replica_log log;
    script.is_cut = true;
    start();
    cr_assert_eq(ask(WITHIN_MS, &log), ERR_INVALID);
}

Test(replica_source, the_sentence_of_a_leader_that_refuses_is_told)
{
    struct replica_log log;
    script.answer.outcome = REPLICA_REFUSED;
    snprintf(script.answer.sentence, sizeof script.answer.sentence, "Not today.");
    start();
    cr_assert_eq(ask(WITHIN_MS, &log), ERR_CONFLICT);
    cr_assert_str_eq(fault_last()->detail, "Not today.");
}

Test(replica_source, a_place_that_is_gone_is_not_found)
{
    struct replica_log log;
    script.answer.outcome = REPLICA_GONE;
    start();
    cr_assert_eq(ask(WITHIN_MS, &log), ERR_NOT_FOUND);
}

// --- commits ---

static void
put_number(struct buffer *out, size_t number)
{
    unsigned char bytes[8];
    key_put_u64(bytes, number);
    buffer_put(out, bytes + 4, 4);
}

static void
put_commit(struct store_change change, const struct store_operation *operation)
{
    struct buffer body = {0};
    change.operations = operation;
    change.operation_count = 1;
    log_put_change(&body, &change);
    put_number(&script.bytes, body.size);
    buffer_put(&script.bytes, body.data, body.size);
    buffer_finish(&body);
}

static const struct store_operation good = {.address = {FAMILY_SCENE, 3, {"a", 1}},
                                            .value = {"1", 1}};
static const struct store_change follows = {.first = 10, .last = 10, .time_us = 7, .id = 5};

static enum error
read_one(const struct store_change **ret_change)
{
    struct replica_log log;
    start();
    cr_assert_eq(ask(WITHIN_MS, &log), OK);
    return replica_source_next(source, &log, ret_change);
}

Test(replica_source, a_commit_that_follows_is_read)
{
    const struct store_change *change;
    put_commit(follows, &good);
    cr_assert_eq(read_one(&change), OK);
    cr_assert_eq(change->first, 10);
    cr_assert_eq(change->id, 5);
    cr_assert_eq(change->operations[0].address.part, 3);
}

static void
expect_damaged(void)
{
    const struct store_change *change;
    cr_assert_eq(read_one(&change), ERR_INVALID);
    cr_assert_null(change);
    cr_assert_str_eq(fault_last()->detail, "a commit of the leader behind position 9 is damaged");
}

Test(replica_source, a_commit_that_does_not_follow_is_damaged)
{
    struct store_change change = follows;
    change.first = change.last = 11;
    put_commit(change, &good);
    expect_damaged();
}

Test(replica_source, a_commit_without_a_time_is_damaged)
{
    struct store_change change = follows;
    change.time_us = 0;
    put_commit(change, &good);
    expect_damaged();
}

Test(replica_source, a_commit_to_a_family_that_there_is_not_is_damaged)
{
    struct store_operation operation = good;
    operation.address.family = FAMILY_COUNT;
    put_commit(follows, &operation);
    expect_damaged();
}

Test(replica_source, a_commit_to_a_part_that_there_is_not_is_damaged)
{
    struct store_operation operation = good;
    operation.address.part = 1024;
    put_commit(follows, &operation);
    expect_damaged();
}

Test(replica_source, a_commit_with_a_key_that_is_too_long_is_damaged)
{
    static char key[STORE_KEY_BYTES + 1];
    struct store_operation operation = good;
    operation.address.key = (struct bytes){key, sizeof key};
    put_commit(follows, &operation);
    expect_damaged();
}

Test(replica_source, a_size_that_lies_is_damaged)
{
    put_number(&script.bytes, 0xffffffff);
    buffer_put_chars(&script.bytes, "C");
    expect_damaged();
}

Test(replica_source, a_commit_that_is_cut_is_damaged)
{
    put_commit(follows, &good);
    script.bytes.size--;
    expect_damaged();
}

Test(replica_source, no_byte_that_is_flipped_ends_it)
{
    put_commit(follows, &good);
    start();
    for (size_t i = 0; i < 8 * script.bytes.size; i++) {
        struct replica_log log;
        const struct store_change *change;
        script.bytes.data[i / 8] ^= (char)(1 << i % 8);
        cr_assert_eq(ask(WITHIN_MS, &log), OK);
        error_ignore(replica_source_next(source, &log, &change), "a key or a value may differ");
        script.bytes.data[i / 8] ^= (char)(1 << i % 8);
    }
}

Test(replica_source, a_piece_of_another_size_than_it_says_is_refused)
{
    struct bytes bytes;
    uint64_t size;
    script.answer.size = 3;
    buffer_put_chars(&script.bytes, "four");
    start();
    cr_assert_eq(
        replica_source_file(source, 1, "CURRENT", 0, clock_deadline_ms(WITHIN_MS), &bytes, &size),
        ERR_INVALID);
}

Test(replica_source, a_checkpoint_with_a_file_elsewhere_is_refused)
{
    struct replica_checkpoint checkpoint;
    replica_put_file(&script.bytes, &(struct replica_file){"CURRENT", 1});
    replica_put_file(&script.bytes, &(struct replica_file){"../CURRENT", 1});
    start();
    cr_assert_eq(replica_source_checkpoint(source, clock_deadline_ms(WITHIN_MS), &checkpoint),
                 ERR_INVALID);
}

Test(replica_source, what_is_no_endpoint_is_refused)
{
    replica_source_t *other = NULL;
    const struct replica_source_settings settings = {.endpoint = "leader:80", .curve = ""};
    cr_assert_eq(replica_source_create(&settings, &other), ERR_INVALID);
    cr_assert_null(other);
}

Test(replica_source, what_is_no_key_of_the_leader_is_refused)
{
    replica_source_t *other = NULL;
    const struct replica_source_settings settings = {
        .endpoint = "tcp://127.0.0.1:9", .curve = "/tmp", .leader_key = "no key"};
    cr_assert_eq(replica_source_create(&settings, &other), ERR_INVALID);
    cr_assert_null(other);
}
