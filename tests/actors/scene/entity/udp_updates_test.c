// udp_updates_test.c - updates that came by UDP: visible and streamed at once, on disk a little
// later, in the right order beside requests of HTTP.
#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/feed/feed_token.h"
#include "proto/message/metrics.h"
#include "tests/support/scene_service.h"

// Sends one update of the object; `members` are those of the record beside its key.
static uint64_t
send_update(struct service *service, struct object_key key, const char *members)
{
    char record[256];
    snprintf(record, sizeof record, "{'key':'%s',%s}", key.chars, members);
    return SEND(service, DATAGRAMS, .records = record);
}

static void
update(struct service *service, struct object_key key, const char *members)
{
    cr_assert_eq(service_outcome(service, send_update(service, key, members)), OK);
}

// Members that move the object and nothing else, as most datagrams do.
static const char *
moved_to(int x)
{
    static char members[128];
    snprintf(members, sizeof members, "'transform':[1,0,0,%d,0,1,0,0,0,0,1,0,0,0,0,1]", x);
    return members;
}

static double
shown_x(struct service *service, struct object_key key)
{
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = key.chars);
    cr_assert_eq(answer->reply.fault.error, OK);
    return reply_object(answer, 0)->transform[3];
}

static double
stored_x(struct service *service, const char *scene, struct object_key key)
{
    owned(arena_finish) struct arena arena = {0};
    const struct object *object = service_stored_object(service, &arena, scene, key);
    cr_assert_not_null(object);
    return object->transform[3];
}

static void
await_commits(struct service *service, uint64_t count)
{
    cr_assert(gate_await_ended(service->store, GATE_COMMITS, count));
}

static void
await_stored_x(struct service *service, const char *scene, struct object_key key, double x)
{
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    while (stored_x(service, scene, key) != x)
        await_commits(service, ++commits);
}

// ---------------------------------------------------------------- at once, and a little later

SHARDED_TEST(udp_updates, an_update_is_visible_and_streamed_before_it_is_on_disk)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'cube'}");
    gate_close(service->store, GATE_COMMITS);
    update(service, key, moved_to(5));
    cr_assert_eq(shown_x(service, key), 5);
    const struct event *event = service_event(service, "hall", 2);
    cr_assert_eq(event->msg_type, EVENT_OBJECT_UPDATED);
    cr_assert_eq(event->seq, 3);
    cr_assert_eq(event_object(event)->transform[3], 5);
    cr_assert(text_is(event_object(event)->name, "cube"), "the merged record");
    cr_assert_eq(stored_x(service, "hall", key), 0);
    gate_open(service->store, GATE_COMMITS);
}

SHARDED_TEST(udp_updates, the_newest_state_is_written_behind_in_one_commit)
{
    enum { UPDATES = 30 };
    struct object_key key = service_create_object(service, "hall", "{}");
    struct object_key other = service_create_object(service, "hall", "{}");
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    gate_close(service->store, GATE_COMMITS);
    for (int x = 1; x <= UPDATES; x++) {
        send_update(service, key, moved_to(x));
        send_update(service, other, moved_to(-x));
    }
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    // Whatever came after the first commit took off is in the second one.
    await_commits(service, commits + 1);
    while (stored_x(service, "hall", key) != UPDATES ||
           stored_x(service, "hall", other) != -UPDATES)
        await_commits(service, commits + 2);
    cr_assert_leq(gate_ended(service->store, GATE_COMMITS), commits + 2);
    for (size_t place = 0; place < 2 * UPDATES; place++)
        cr_assert_eq(service_event(service, "hall", place + 3)->seq, place + 4);
}

SHARDED_TEST(udp_updates, nothing_is_written_before_50_ms_have_passed)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    uint64_t start_us = clock_now_us();
    update(service, key, moved_to(5));
    await_commits(service, commits + 1);
    cr_assert_geq(clock_now_us() - start_us, 49000);
    cr_assert_eq(stored_x(service, "hall", key), 5);
}

SHARDED_TEST(udp_updates, what_is_not_on_disk_is_written_at_the_end)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    update(service, key, moved_to(7));
    service_restart(service);
    cr_assert_eq(stored_x(service, "hall", key), 7);
    cr_assert_eq(shown_x(service, key), 7);
}

SHARDED_TEST(udp_updates, what_waits_for_its_object_is_written_at_the_end)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    service_restart(service);
    send_update(service, key, moved_to(7));
    service_restart(service);
    cr_assert_eq(stored_x(service, "hall", key), 7);
}

SHARDED_TEST(udp_updates, a_failed_write_behind_is_written_later)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    service_set_faults(service, "unavailable=1");
    update(service, key, moved_to(3));
    await_commits(service, commits + 2); // two that failed
    cr_assert_eq(shown_x(service, key), 3);
    cr_assert_eq(stored_x(service, "hall", key), 0);
    service_set_faults(service, "");
    uint64_t ended = gate_ended(service->store, GATE_COMMITS);
    while (stored_x(service, "hall", key) != 3)
        await_commits(service, ++ended);
}

SHARDED_TEST(udp_updates, a_failed_write_behind_does_not_bring_an_older_state_back)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    gate_close(service->store, GATE_COMMITS);
    update(service, key, moved_to(1));
    cr_assert(gate_await(service->store, GATE_COMMITS));
    update(service, key, moved_to(2));
    service_set_faults(service, "unavailable=1");
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "");
    gate_open(service->store, GATE_COMMITS);
    service_restart(service);
    cr_assert_eq(shown_x(service, key), 2);
}

// ---------------------------------------------------------------- beside HTTP

SHARDED_TEST(udp_updates, a_request_builds_on_the_newest_update_and_commits_it)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    update(service, key, moved_to(5));
    cr_assert_eq(DO(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}"), OK);
    cr_assert_eq(stored_x(service, "hall", key), 5);
    cr_assert_eq(shown_x(service, key), 5);
    cr_assert(service_shows_name(service, key, "new"));
}

SHARDED_TEST(udp_updates, an_update_of_an_object_with_a_staged_change_comes_after_it)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    gate_close(service->store, GATE_COMMITS);
    uint64_t request =
        SEND(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    send_update(service, key, moved_to(5));
    service_barrier(service);
    cr_assert_eq(shown_x(service, key), 0);
    cr_assert(service_shows_name(service, key, "old"));
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, request), OK);
    const struct object *first = event_object(service_event(service, "hall", 2));
    cr_assert(text_is(first->name, "new"));
    cr_assert_eq(first->transform[3], 0);
    const struct object *second = event_object(service_event(service, "hall", 3));
    cr_assert(text_is(second->name, "new"));
    cr_assert_eq(second->transform[3], 5);
    cr_assert_eq(shown_x(service, key), 5);
    await_stored_x(service, "hall", key, 5);
}

// Else an object that is updated faster than commits land is a commit behind until it rests.
SHARDED_TEST(udp_updates, the_first_commit_ends_that_updates_come_after_a_staged_change)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    gate_close(service->store, GATE_COMMITS);
    uint64_t request =
        SEND(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    send_update(service, key, moved_to(5));
    service_barrier(service);
    cr_assert_eq(shown_x(service, key), 0);
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, request), OK);
    cr_assert(gate_await(service->store, GATE_COMMITS), "what came after it is being committed");
    cr_assert_eq(shown_x(service, key), 5);
    update(service, key, moved_to(6));
    cr_assert_eq(shown_x(service, key), 6);
    cr_assert(service_shows_name(service, key, "new"));
    for (size_t place = 2; place < 5; place++) // each event once
        cr_assert_eq(event_object(service_event(service, "hall", place))->transform[3],
                     place == 2 ? 0 : (double)place + 2);
    gate_open(service->store, GATE_COMMITS);
    service_restart(service);
    cr_assert_eq(stored_x(service, "hall", key), 6);
}

// An update that names so many assets, which are no others'.
static uint64_t
send_assets(struct service *service, struct object_key key, int count)
{
    struct buffer record = {0};
    buffer_put_format(&record, "{'key':'%s','assets':[", key.chars);
    for (int i = 0; i < count; i++)
        buffer_put_format(&record, "%s'%s-%d'", i ? "," : "", key.chars, i);
    buffer_put_chars(&record, "]}");
    buffer_put_char(&record, '\0');
    uint64_t id = SEND(service, DATAGRAMS, .records = (const char *)record.data);
    buffer_finish(&record);
    return id;
}

// 1,000 in a commit: three with 256 assets each fit, a fourth does not, and what names none does.
SERVICE_TEST(datagrams, a_commit_takes_so_many_index_records_of_updates)
{
    struct object_key first = service_create_object(service, "hall", "{}"), others[4];
    for (int i = 0; i < 4; i++)
        others[i] = service_create_object(service, "hall", "{}");
    gate_close(service->store, GATE_COMMITS);
    send_assets(service, first, 1);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    uint64_t dropped = counter_get(COUNT_UDP_DROP_BUSY);
    for (int i = 0; i < 4; i++)
        send_assets(service, others[i], 256);
    service_barrier(service);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_BUSY), dropped + 1);
    update(service, others[3], moved_to(5));
    cr_assert_eq(shown_x(service, others[3]), 5);
    gate_open(service->store, GATE_COMMITS);
}

SHARDED_TEST(udp_updates, what_is_visible_and_not_stored_is_stored_after_a_commit_that_fails)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    gate_close(service->store, GATE_COMMITS);
    uint64_t request =
        SEND(service, OBJECT_UPDATE, .object = key.chars, .records = "{'name':'new'}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    send_update(service, key, moved_to(5));
    service_barrier(service);
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, request), OK);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "unavailable=1");
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    gate_pass_one(service->store, GATE_COMMITS);
    await_commits(service, ++commits);
    service_set_faults(service, "");
    gate_open(service->store, GATE_COMMITS);
    await_stored_x(service, "hall", key, 5);
    cr_assert_eq(shown_x(service, key), 5);
}

SHARDED_TEST(udp_updates, a_removal_wins_over_what_is_not_written_yet)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    update(service, key, moved_to(5));
    cr_assert_eq(DO(service, OBJECT_DELETE, .object = key.chars), OK);
    service_restart(service);
    cr_assert(service_shows_name(service, key, NULL));
}

SHARDED_TEST(udp_updates, a_deleted_scene_takes_what_is_not_written_along)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    uint64_t id = service_event(service, "hall", 0)->scene_id;
    gate_close(service->store, GATE_COMMITS);
    uint64_t removal = SEND(service, SCENE_DELETE, .scene = "hall");
    send_update(service, key, moved_to(4)); // refused: the scene is being deleted
    cr_assert(gate_await(service->store, GATE_COMMITS));
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, removal), OK);
    cr_assert_eq(DO(service, SCENE_PUT, .scene = "hall"), OK);
    key = service_create_object(service, "hall", "{}");
    update(service, key, moved_to(5));
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    // Nothing is left to be written, so the end does not wait until its deadline, which is 2 s.
    uint64_t start_ms = clock_now_ms();
    service_stop(service);
    cr_assert_lt(clock_now_ms() - start_ms, 1900);
    service_start(service);
    uint64_t commits = gate_ended(service->store, GATE_COMMITS);
    while (service_count_keys(service, id) > 0)
        await_commits(service, ++commits);
}

SHARDED_TEST(udp_updates, what_was_refused_with_a_failed_delete_is_written_after_all)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    gate_close(service->store, GATE_COMMITS);
    update(service, key, moved_to(5));
    uint64_t removal = SEND(service, SCENE_DELETE, .scene = "hall");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "unavailable=1");
    gate_pass_one(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, removal), ERR_UNAVAILABLE);
    cr_assert(gate_await(service->store, GATE_COMMITS));
    service_set_faults(service, "");
    gate_open(service->store, GATE_COMMITS);
    service_restart(service);
    cr_assert_eq(shown_x(service, key), 5);
}

// ---------------------------------------------------------------- what is dropped

SHARDED_TEST(udp_updates, the_newest_update_of_an_object_on_disk_waits_for_it)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'cube'}");
    uint64_t superseded = counter_get(COUNT_UDP_DROP_SUPERSEDED);
    service_restart(service);
    gate_close(service->store, GATE_READS);
    for (int x = 1; x <= 5; x++)
        update(service, key, moved_to(x));
    cr_assert(gate_await(service->store, GATE_READS));
    gate_open(service->store, GATE_READS);
    const struct object *object = event_object(service_event(service, "hall", 0));
    cr_assert_eq(object->transform[3], 5);
    cr_assert(text_is(object->name, "cube"));
    cr_assert_eq(counter_get(COUNT_UDP_DROP_SUPERSEDED), superseded + 4);
    cr_assert_eq(shown_x(service, key), 5);
}

SHARDED_TEST(udp_updates, what_no_newer_update_says_waits_beside_it)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'cube'}");
    service_restart(service);
    gate_close(service->store, GATE_READS);
    update(service, key, "'name':'ball'");
    update(service, key, moved_to(1));
    update(service, key, moved_to(2));
    cr_assert(gate_await(service->store, GATE_READS));
    gate_open(service->store, GATE_READS);
    const struct object *named = event_object(service_event(service, "hall", 0));
    cr_assert(text_is(named->name, "ball"));
    cr_assert_eq(named->transform[3], 0);
    cr_assert_eq(event_object(service_event(service, "hall", 1))->transform[3], 2);
}

// What its objects take is counted while a scene is read: each as it was stored.
SHARDED_TEST(udp_updates, an_update_of_a_scene_that_is_being_read_waits_for_all_of_it)
{
    enum { OBJECTS = 500 }; // several reads
    static struct object_key keys[OBJECTS];
    for (size_t i = 0; i < OBJECTS; i++)
        keys[i] = service_create_object(service, "hall", "{}");
    service_restart(service);
    gate_close(service->store, GATE_READS);
    uint64_t query = SEND(service, OBJECT_QUERY, .scene = "hall", .num_records = 1);
    cr_assert(gate_await(service->store, GATE_READS));
    gate_pass_one(service->store, GATE_READS);
    cr_assert(gate_await(service->store, GATE_READS)); // the first slice is on its way back
    service_barrier(service);
    size_t told = service_count_events(service, "hall");
    for (size_t i = 0; i < OBJECTS; i++)
        update(service, keys[i], moved_to(5));
    service_barrier(service);
    cr_assert_eq(service_count_events(service, "hall"), told);
    gate_open(service->store, GATE_READS);
    cr_assert_eq(service_outcome(service, query), OK);
    service_event(service, "hall", told + OBJECTS - 1); // each goes on when its own key was found
    for (size_t i = 0; i < OBJECTS; i++)
        cr_assert_eq(shown_x(service, keys[i]), 5);
}

SHARDED_TEST(udp_updates, an_update_of_nothing_is_dropped_and_counted)
{
    struct object_key nobody = {"000000000000000000000000"};
    uint64_t before = counter_get(COUNT_UDP_DROP_UNKNOWN);
    update(service, nobody, moved_to(1));
    struct object_key gone = service_create_object(service, "hall", "{}");
    cr_assert_eq(DO(service, OBJECT_DELETE, .object = gone.chars), OK);
    update(service, gone, moved_to(1));
    cr_assert_eq(counter_get(COUNT_UDP_DROP_UNKNOWN), before + 2);
    service_await_turn_end(service, "hall");
    cr_assert_eq(service_event(service, "hall", 3)->msg_type, EVENT_SCENE_UPDATED);
}

SHARDED_TEST(udp_updates, with_enforced_locks_only_the_holder_may_move_an_object)
{
    service->settings.locks_enforce = true;
    service_restart(service);
    struct object_key key = service_create_object(service, "hall", "{'owner':'phone'}");
    uint64_t before = counter_get(COUNT_UDP_DROP_LOCKED);
    update(service, key, moved_to(1));
    char members[256];
    snprintf(members, sizeof members, "'device':'tablet',%s", moved_to(2));
    update(service, key, members);
    cr_assert_eq(shown_x(service, key), 0);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_LOCKED), before + 2);
    snprintf(members, sizeof members, "'device':'phone',%s", moved_to(3));
    update(service, key, members);
    cr_assert_eq(shown_x(service, key), 3);
}

// ---------------------------------------------------------------- who sends it

struct feed_token {
    char chars[FEED_TOKEN_SIZE];
};

// Registers the device and returns the token of its feed.
static struct feed_token
register_device(struct service *service, const char *scene, const char *device)
{
    struct feed_token token;
    char record[128];
    snprintf(record, sizeof record, "{'devices':[{'key':'%s'}]}", device);
    owned(message_destroy) struct message *answer =
        ASK(service, REGISTER, .scene = scene, .records = record);
    cr_assert_eq(answer->reply.fault.error, OK);
    const struct udp_state *udp =
        (const struct udp_state *)(const void *)((const struct envelope *)(const void *)
                                                     answer->reply.envelope)
            ->udp;
    snprintf(token.chars, sizeof token.chars, "%s", text_chars(udp->token));
    return token;
}

static void
update_as(struct service *service, struct object_key key, const char *token, const char *members)
{
    char record[256];
    snprintf(record, sizeof record, "{'key':'%s',%s}", key.chars, members);
    cr_assert_eq(DO(service, DATAGRAMS, .records = record, .token = token), OK);
}

// Sends an update that is dropped as one of nobody's.
static void
expect_stranger(struct service *service, struct object_key key, const char *token)
{
    uint64_t before = counter_get(COUNT_UDP_DROP_TOKEN);
    double x = shown_x(service, key);
    update_as(service, key, token, moved_to(77));
    cr_expect_eq(counter_get(COUNT_UDP_DROP_TOKEN), before + 1);
    cr_expect_eq(shown_x(service, key), x);
}

#define NOBODYS_TOKEN "AAAAAAAAAAAAAAAAAAAAAA"

SHARDED_TEST(udp_updates, where_tokens_are_needed_only_those_of_the_scene_are_good)
{
    service->settings.needs_token = true;
    service_restart(service);
    struct object_key key = service_create_object(service, "hall", "{}");
    struct feed_token good = register_device(service, "hall", "phone");
    struct feed_token other = register_device(service, "yard", "phone");
    expect_stranger(service, key, NULL);
    expect_stranger(service, key, "");
    expect_stranger(service, key, NOBODYS_TOKEN);
    expect_stranger(service, key, other.chars);
    update_as(service, key, good.chars, moved_to(5));
    cr_assert_eq(shown_x(service, key), 5);
}

SERVICE_TEST(datagrams, where_none_is_needed_a_wrong_token_is_dropped_all_the_same)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    struct feed_token good = register_device(service, "hall", "phone");
    expect_stranger(service, key, NOBODYS_TOKEN);
    update_as(service, key, good.chars, moved_to(5));
    cr_assert_eq(shown_x(service, key), 5);
    update_as(service, key, NULL, moved_to(6));
    cr_assert_eq(shown_x(service, key), 6);
}

SERVICE_TEST(datagrams, a_token_ends_with_its_registration)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    struct feed_token first = register_device(service, "hall", "phone");
    struct feed_token second = register_device(service, "hall", "phone");
    expect_stranger(service, key, first.chars);
    update_as(service, key, second.chars, moved_to(5));
    cr_assert_eq(
        DO(service, DEREGISTER, .scene = "hall", .records = "{'devices':[{'key':'phone'}]}"), OK);
    expect_stranger(service, key, second.chars);
}

SERVICE_TEST(datagrams, a_token_ends_with_its_scene)
{
    struct feed_token token = register_device(service, "hall", "phone");
    cr_assert_eq(DO(service, SCENE_DELETE, .scene = "hall"), OK);
    struct object_key key = service_create_object(service, "hall", "{}");
    expect_stranger(service, key, token.chars);
}

SHARDED_TEST(udp_updates, a_token_is_good_after_a_restart)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    struct feed_token token = register_device(service, "hall", "phone");
    service_restart(service);
    update_as(service, key, token.chars, moved_to(5));
    cr_assert_eq(shown_x(service, key), 5);
    expect_stranger(service, key, NOBODYS_TOKEN);
}

SERVICE_TEST(datagrams, an_alignment_keeps_the_token)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    struct feed_token token = register_device(service, "hall", "phone");
    cr_assert_eq(DO(service, ALIGN, .scene = "hall",
                    .records = "{'devices':[{'key':'phone','transform':{'translation':[1,2,3],"
                               "'rotation':[0,0,0]}}]}"),
                 OK);
    update_as(service, key, token.chars, moved_to(5));
    cr_assert_eq(shown_x(service, key), 5);
}

SERVICE_TEST(datagrams, strangers_have_nothing_read_from_the_disk)
{
    service->settings.needs_token = true;
    struct object_key key = service_create_object(service, "hall", "{}");
    service_restart(service);
    uint64_t before = counter_get(COUNT_UDP_DROP_TOKEN);
    gate_close(service->store, GATE_READS);
    update_as(service, key, NOBODYS_TOKEN, moved_to(5));
    gate_open(service->store, GATE_READS);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_TOKEN), before + 1);
    cr_assert_eq(shown_x(service, key), 0);
}

SERVICE_TEST(datagrams, with_enforced_locks_a_token_says_which_device_it_is)
{
    service->settings.locks_enforce = true;
    service_restart(service);
    struct object_key key = service_create_object(service, "hall", "{'owner':'phone'}");
    struct feed_token phone = register_device(service, "hall", "phone");
    struct feed_token tablet = register_device(service, "hall", "tablet");
    char members[256];
    snprintf(members, sizeof members, "'device':'phone',%s", moved_to(2));
    update_as(service, key, tablet.chars, members);
    cr_assert_eq(shown_x(service, key), 0);
    update_as(service, key, phone.chars, moved_to(3));
    cr_assert_eq(shown_x(service, key), 3);
}

SHARDED_TEST(udp_updates, a_value_that_is_not_allowed_is_dropped_and_counted)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    uint64_t before = counter_get(COUNT_UDP_DROP_VALUE);
    update(service, key, "'quaternion_rotation':[9,9,9,9]");
    cr_assert_eq(counter_get(COUNT_UDP_DROP_VALUE), before + 1);
}

SHARDED_TEST(udp_updates, an_update_never_moves_an_object_to_another_scene)
{
    struct object_key key = service_create_object(service, "hall", "{}");
    update(service, key, "'scene':'yard','name':'cube'");
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = key.chars);
    cr_assert(text_is(reply_object(answer, 0)->scene, "hall"));
    cr_assert(text_is(reply_object(answer, 0)->name, "cube"));
}

// Sends that the object is the phone's, while the commit in which the phone leaves is under way.
static void
lock_while_leaving(struct service *service, struct object_key key, const char *token)
{
    gate_close(service->store, GATE_COMMITS);
    uint64_t end =
        SEND(service, DEREGISTER, .scene = "hall", .records = "{'devices':[{'key':'phone'}]}");
    cr_assert(gate_await(service->store, GATE_COMMITS));
    char record[128];
    snprintf(record, sizeof record, "{'key':'%s','owner':'phone','name':'new'}", key.chars);
    uint64_t edit = SEND(service, DATAGRAMS, .records = record, .token = token);
    service_barrier(service);
    gate_open(service->store, GATE_COMMITS);
    cr_assert_eq(service_outcome(service, end), OK);
    cr_assert_eq(service_outcome(service, edit), OK);
}

static void
expect_unlocked(struct service *service, struct object_key key, const char *name)
{
    owned(message_destroy) struct message *answer = ASK(service, OBJECT_GET, .object = key.chars);
    cr_assert_null(object_owner(reply_object(answer, 0)));
    cr_assert(text_is(reply_object(answer, 0)->name, name));
}

SERVICE_TEST(datagrams, a_device_that_leaves_is_nobody_any_more)
{
    service->settings.needs_token = true;
    service_restart(service);
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    struct feed_token token = register_device(service, "hall", "phone");
    uint64_t before = counter_get(COUNT_UDP_DROP_TOKEN);
    lock_while_leaving(service, key, token.chars);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_TOKEN), before + 1);
    expect_unlocked(service, key, "old");
}

SERVICE_TEST(datagrams, nobody_locks_for_a_device_that_leaves)
{
    struct object_key key = service_create_object(service, "hall", "{'name':'old'}");
    register_device(service, "hall", "phone");
    lock_while_leaving(service, key, NULL);
    expect_unlocked(service, key, "new");
}
