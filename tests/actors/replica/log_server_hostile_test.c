// log_server_hostile_test.c - peers of a leader that lie, flood, do not read, or are too many: it
// goes on, and an honest follower gets its answers.
#include <criterion/criterion.h>
#include <czmq.h>

#include "actors/replica/log_server.h"
#include "proto/base/clock.h"
#include "tests/support/leaders.h"

enum { WITHIN_MS = 20000, PEERS = 100, REQUESTS = 10000 };

static struct temporary folder;
static struct leader leader;

static void
begin(void)
{
    temporary_init(&folder);
    leader_open(&leader, &folder, "leader");
}

static void
end(void)
{
    leader_close(&leader);
    temporary_finish(&folder);
}

TestSuite(log_server_hostile, .init = begin, .fini = end, .timeout = 120);

static zsock_t *
connect_peer(void)
{
    zsock_t *peer = zsock_new_dealer(log_server_endpoint(leader.server));
    cr_assert_not_null(peer);
    zsock_set_linger(peer, 0);
    zsock_set_sndhwm(peer, 2 * REQUESTS);
    return peer;
}

static void
ask(zsock_t *peer, const struct replica_request *request)
{
    struct buffer bytes = {0};
    replica_put_request(&bytes, request);
    zmq_send(zsock_resolve(peer), bytes.data, bytes.size, 0);
    buffer_finish(&bytes);
}

// The outcome of the next answer; -1: none came.
static int
await_answer(zsock_t *peer, int within_ms)
{
    struct replica_answer answer;
    zsock_set_rcvtimeo(peer, within_ms);
    zmsg_t *message = zmsg_recv(peer);
    if (!message)
        return -1;
    zframe_t *head = zmsg_first(message);
    cr_assert_eq(replica_read_answer(zframe_data(head), zframe_size(head), &answer), OK);
    zmsg_destroy(&message);
    return (int)answer.outcome;
}

// An honest follower asks and is answered.
static void
expect_service(void)
{
    struct replica_log log;
    const struct store_change *change;
    replica_source_t *source = leader_source(&leader);
    struct replica_place before = leader_place(&leader);
    leader_put(&leader, "a", "1");
    cr_assert_eq(replica_source_log(source, before, 1000, clock_deadline_ms(WITHIN_MS), &log), OK,
                 "%s", fault_last()->detail);
    cr_assert_eq(replica_source_next(source, &log, &change), OK);
    cr_assert_eq(change->first, before.position + 1);
    replica_source_destroy(&source);
}

Test(log_server_hostile, bytes_that_are_no_requests_change_nothing)
{
    static const char *const bytes[] = {"", "x", "GET / HTTP/1.1\r\n\r\n", "\xff\xff\xff\xff"};
    zsock_t *peer = connect_peer();
    for (size_t i = 0; i < 400; i++) {
        const char *some = bytes[i % 4];
        zmq_send(zsock_resolve(peer), some, strlen(some), i % 3 ? 0 : ZMQ_SNDMORE);
    }
    expect_service();
    zsock_destroy(&peer);
}

Test(log_server_hostile, a_frame_that_is_too_large_ends_the_connection_alone)
{
    char *large = calloc(1, 1 << 20);
    zsock_t *peer = connect_peer();
    zmq_send(zsock_resolve(peer), large, 1 << 20, 0);
    expect_service();
    zsock_destroy(&peer);
    free(large);
}

Test(log_server_hostile, another_version_is_told_so)
{
    static const unsigned char bytes[] = {0, 9, 1, 0, 0, 0, 0, 0, 0, 0, 7};
    zsock_t *peer = connect_peer();
    zmq_send(zsock_resolve(peer), bytes, sizeof bytes, 0);
    cr_assert_eq(await_answer(peer, WITHIN_MS), REPLICA_REFUSED);
    zsock_destroy(&peer);
}

Test(log_server_hostile, unknown_checkpoints_and_blobs_are_absent)
{
    zsock_t *peer = connect_peer();
    ask(peer, &(struct replica_request){
                  .kind = REPLICA_FILE, .id = 1, .checkpoint = 0, .name = "CURRENT"});
    cr_assert_eq(await_answer(peer, WITHIN_MS), REPLICA_ABSENT);
    ask(peer, &(struct replica_request){.kind = REPLICA_DONE, .id = 2, .checkpoint = UINT64_MAX});
    cr_assert_eq(await_answer(peer, WITHIN_MS), REPLICA_ABSENT);
    ask(peer, &(struct replica_request){.kind = REPLICA_BLOB, .id = 3, .offset = UINT64_MAX});
    cr_assert_eq(await_answer(peer, WITHIN_MS), REPLICA_ABSENT);
    zsock_destroy(&peer);
}

Test(log_server_hostile, a_second_request_beside_one_that_waits_is_refused)
{
    struct replica_request waits = {.kind = REPLICA_LOG, .id = 1, .wait_ms = UINT32_MAX};
    zsock_t *peer = connect_peer();
    waits.after = leader_place(&leader);
    ask(peer, &waits);
    ask(peer, &(struct replica_request){.kind = REPLICA_DONE, .id = 2, .checkpoint = 1});
    cr_assert_eq(await_answer(peer, WITHIN_MS), REPLICA_REFUSED);
    cr_assert_eq(await_answer(peer, WITHIN_MS), REPLICA_OK, "it waits a second at most");
    zsock_destroy(&peer);
}

Test(log_server_hostile, ten_thousand_requests_of_one_that_does_not_read_hold_up_nobody)
{
    enum { BLOB = 1 << 20 };
    char *bytes = calloc(1, BLOB);
    struct replica_request request = {.kind = REPLICA_BLOB, .id = 1};
    zsock_t *peer = connect_peer();
    request.hash = leader_blob(&leader, bytes, BLOB);
    for (; request.id <= REQUESTS; request.id++)
        ask(peer, &request);
    expect_service();
    zsock_destroy(&peer);
    expect_service();
    free(bytes);
}

Test(log_server_hostile, the_ninth_follower_is_refused_and_a_hundred_are_borne)
{
    zsock_t *peers[PEERS];
    int outcomes[REPLICA_REFUSED + 1] = {0};
    struct replica_request request = {.kind = REPLICA_LOG, .id = 1};
    request.after = leader_place(&leader);
    for (int i = 0; i < PEERS; i++) {
        peers[i] = connect_peer();
        ask(peers[i], &request);
    }
    for (int i = 0; i < PEERS; i++) {
        int outcome = await_answer(peers[i], WITHIN_MS);
        cr_assert_geq(outcome, 0);
        outcomes[outcome]++;
    }
    cr_assert_eq(outcomes[REPLICA_OK], 8);
    cr_assert_eq(outcomes[REPLICA_REFUSED], PEERS - 8);
    for (int i = 0; i < PEERS; i++)
        zsock_destroy(&peers[i]);
}

Test(log_server_hostile, it_ends_while_peers_wait)
{
    struct replica_request waits = {.kind = REPLICA_LOG, .id = 1, .wait_ms = 1000};
    zsock_t *peer = connect_peer(), *other = connect_peer();
    waits.after = leader_place(&leader);
    ask(peer, &waits);
    ask(other, &(struct replica_request){.kind = REPLICA_CHECKPOINT, .id = 1});
    ask(other, &(struct replica_request){.kind = REPLICA_DONE, .id = 2, .checkpoint = 1});
    (void)await_answer(other, WITHIN_MS); // both are there by then
    uint64_t began_ms = clock_now_ms();
    log_server_destroy(&leader.server);
    cr_assert_lt(clock_now_ms() - began_ms, WITHIN_MS);
    leader_serve(&leader);
    expect_service();
    zsock_destroy(&peer);
    zsock_destroy(&other);
}
