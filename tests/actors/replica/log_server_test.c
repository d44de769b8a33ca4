// log_server_test.c - a leader with a real store and real sockets answers what followers ask.
#include "actors/replica/log_server.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "store/rocks.h"
#include "store/store_open.h"
#include "tests/support/leaders.h"

enum { WITHIN_MS = 5000 };

static struct temporary folder;
static struct leader leader;
static replica_source_t *source;

static void
begin(void)
{
    temporary_init(&folder);
    leader_open(&leader, &folder, "leader");
    source = leader_source(&leader);
}

static void
end(void)
{
    replica_source_destroy(&source);
    leader_close(&leader);
    temporary_finish(&folder);
}

TestSuite(log_server, .init = begin, .fini = end);

static enum error
ask_log(uint64_t epoch, uint64_t position, uint32_t wait_ms, struct replica_log *ret_log)
{
    return replica_source_log(source, (struct replica_place){epoch, position}, wait_ms,
                              clock_deadline_ms(WITHIN_MS), ret_log);
}

static const struct store_change *
next(struct replica_log *log)
{
    const struct store_change *change;
    cr_assert_eq(replica_source_next(source, log, &change), OK, "%s", fault_last()->detail);
    return change;
}

Test(log_server, sends_the_commits_behind_a_place_with_all_that_they_wrote)
{
    struct replica_log log;
    uint64_t before = leader_place(&leader).position;
    leader_put(&leader, "a", "1");
    uint64_t head = leader_put(&leader, "b", "22");
    cr_assert_eq(ask_log(leader.epoch, before, 0, &log), OK, "%s", fault_last()->detail);
    cr_assert_eq(log.head.epoch, leader.epoch);
    cr_assert_eq(log.head.position, head);
    const struct store_change *change = next(&log);
    cr_assert_eq(change->first, before + 1);
    cr_assert_eq(change->operation_count, 1);
    cr_assert_eq(memcmp(change->operations[0].address.key.data, "a", 1), 0);
    change = next(&log);
    cr_assert_eq(change->last, head);
    cr_assert_eq(change->operations[0].value.size, 2);
    cr_assert_eq(memcmp(change->operations[0].value.data, "22", 2), 0);
    cr_assert_null(next(&log));
}

Test(log_server, answers_with_nothing_when_nothing_is_committed_while_it_is_waited_for)
{
    struct replica_log log;
    struct replica_place place = leader_place(&leader);
    uint64_t asked_ms = clock_now_ms();
    uint64_t asked_us = clock_calendar_us();
    cr_assert_eq(ask_log(place.epoch, place.position, 100, &log), OK);
    cr_assert_geq(clock_now_ms() - asked_ms, 99);
    cr_assert_eq(log.left.size, 0);
    cr_assert_eq(log.head.position, place.position);
    cr_assert_geq(log.time_us, asked_us + 90000, "a heartbeat says how late it is at its end");
}

static void *
put_later(void *unused)
{
    usleep(100000); // the request waits by then; if it does not, the test shows nothing
    leader_put(&leader, "late", "1");
    return unused;
}

Test(log_server, answers_who_waits_as_soon_as_something_is_committed)
{
    struct replica_log log;
    struct replica_place place = leader_place(&leader);
    pthread_t writer;
    cr_assert_eq(pthread_create(&writer, NULL, put_later, NULL), 0);
    cr_assert_eq(ask_log(place.epoch, place.position, 1000, &log), OK);
    cr_assert_eq(next(&log)->first, place.position + 1);
    pthread_join(writer, NULL);
}

Test(log_server, sends_about_a_mebibyte_at_once_and_all_in_the_end)
{
    enum { COMMITS = 40, BYTES = 100000 };
    char *value = malloc(BYTES + 1);
    memset(value, 'v', BYTES);
    value[BYTES] = '\0';
    struct replica_place place = leader_place(&leader);
    for (int i = 0; i < COMMITS; i++)
        leader_put(&leader, "large", value);
    int answers = 0, commits = 0;
    for (; commits < COMMITS; answers++) {
        struct replica_log log;
        cr_assert_eq(ask_log(place.epoch, place.position, 0, &log), OK);
        cr_assert_leq(log.left.size, (1 << 20) + BYTES + 1024);
        while (next(&log))
            commits++;
        place.position = log.last;
    }
    cr_assert_eq(answers, 4);
    free(value);
}

Test(log_server, a_place_beyond_the_newest_commit_is_gone)
{
    struct replica_log log;
    struct replica_place place = leader_place(&leader);
    cr_assert_eq(ask_log(place.epoch, place.position + 1, 0, &log), ERR_NOT_FOUND);
}

Test(log_server, a_place_within_a_commit_is_gone)
{
    struct replica_log log;
    const struct store_operation puts[2] = {
        {.address = {FAMILY_SCENE, 3, {"a", 1}}, .value = {"1", 1}},
        {.address = {FAMILY_SCENE, 3, {"b", 1}}, .value = {"2", 1}}};
    const struct store_commit commit = {.id = 5, .operations = puts, .operation_count = 2};
    uint64_t before = leader_place(&leader).position;
    cr_assert_eq(store_commit(leader.store, &commit, 0), STORE_OK);
    cr_assert_eq(ask_log(leader.epoch, before + 1, 0, &log), ERR_NOT_FOUND);
    cr_assert_eq(ask_log(leader.epoch, before, 0, &log), OK);
}

Test(log_server, an_epoch_that_it_never_had_is_gone)
{
    struct replica_log log;
    cr_assert_eq(ask_log(leader.epoch + 1, 0, 0, &log), ERR_NOT_FOUND);
}

static void
restart(void)
{
    replica_source_destroy(&source);
    leader_close(&leader);
    leader_open(&leader, &folder, "leader");
    source = leader_source(&leader);
}

Test(log_server, a_place_of_an_earlier_start_goes_on_with_this_one)
{
    struct replica_log log;
    leader_put(&leader, "a", "1");
    struct replica_place place = leader_place(&leader);
    restart();
    uint64_t head = leader_put(&leader, "b", "2");
    cr_assert_eq(ask_log(place.epoch, place.position, 0, &log), OK, "%s", fault_last()->detail);
    cr_assert_eq(log.head.epoch, leader.epoch);
    while (next(&log))
        continue;
    cr_assert_eq(log.last, head);
}

Test(log_server, what_an_earlier_start_lost_is_gone)
{
    struct replica_log log;
    struct replica_place place = leader_place(&leader);
    restart();
    for (int i = 0; i < 5; i++)
        leader_put(&leader, "b", "2");
    cr_assert_eq(ask_log(place.epoch, place.position + 1, 0, &log), ERR_NOT_FOUND,
                 "the start after it began before that");
    cr_assert_eq(ask_log(place.epoch, place.position, 0, &log), OK);
}

Test(log_server, no_answer_is_lost_to_one_that_asks_fast)
{
    struct replica_log log;
    struct replica_place place = leader_place(&leader);
    for (int i = 0; i < 5000; i++)
        cr_assert_eq(ask_log(place.epoch, place.position, 0, &log), OK, "%s", fault_last()->detail);
}

// --- checkpoints ---

static void
read_file(uint64_t id, const struct replica_file *file, const char *to)
{
    char path[TEMPORARY_PATH_BYTES + REPLICA_NAME_SIZE];
    snprintf(path, sizeof path, "%s/%s", to, file->name);
    FILE *out = fopen(path, "wx");
    cr_assert_not_null(out);
    for (uint64_t done = 0, size = file->size; done < size;) {
        struct bytes bytes;
        cr_assert_eq(replica_source_file(source, id, file->name, done, clock_deadline_ms(WITHIN_MS),
                                         &bytes, &size),
                     OK, "%s", fault_last()->detail);
        cr_assert_eq(size, file->size);
        cr_assert_eq(fwrite(bytes.data, 1, bytes.size, out), bytes.size);
        done += bytes.size;
    }
    fclose(out);
}

static void
take_checkpoint(struct replica_checkpoint *ret_checkpoint)
{
    cr_assert_eq(replica_source_checkpoint(source, clock_deadline_ms(WITHIN_MS), ret_checkpoint),
                 OK, "%s", fault_last()->detail);
}

Test(log_server, a_checkpoint_is_a_store_with_all_up_to_its_place)
{
    char copy[TEMPORARY_PATH_BYTES];
    struct replica_checkpoint checkpoint;
    temporary_path(&folder, "copy", copy);
    cr_assert_eq(mkdir(copy, 0700), 0);
    leader_put(&leader, "a", "1");
    struct replica_place place = leader_place(&leader);
    take_checkpoint(&checkpoint);
    leader_put(&leader, "a", "2");
    cr_assert_eq(checkpoint.place.epoch, leader.epoch);
    cr_assert_eq(checkpoint.place.position, place.position);
    for (size_t i = 0; i < checkpoint.file_count; i++)
        read_file(checkpoint.id, &checkpoint.files[i], copy);
    uint64_t position, version;
    void *value;
    size_t size;
    store_t *store;
    cr_assert_eq(store_position_in(copy, &position), OK);
    cr_assert_eq(position, place.position);
    cr_assert_eq(rocks_open(copy, false, false, &store), OK, "%s", fault_last()->detail);
    const struct store_address address = {FAMILY_SCENE, 3, {"a", 1}};
    cr_assert_eq(store_get(store, &address, 0, &version, &value, &size), STORE_OK);
    cr_assert_eq(memcmp(value, "1", 1), 0);
    free(value);
    store_destroy(&store);
    struct replica_log log;
    cr_assert_eq(ask_log(checkpoint.place.epoch, checkpoint.place.position, 0, &log), OK);
    cr_assert_eq(next(&log)->first, place.position + 1);
    replica_checkpoint_finish(&checkpoint);
}

Test(log_server, a_checkpoint_lists_the_blobs_and_they_can_be_had)
{
    enum { SIZE = (1 << 20) + 7 };
    char *bytes = malloc(SIZE);
    memset(bytes, 'x', SIZE);
    struct blob_hash hash = leader_blob(&leader, bytes, SIZE);
    struct replica_checkpoint checkpoint;
    struct replica_blob blob;
    struct bytes piece;
    uint64_t size;
    take_checkpoint(&checkpoint);
    cr_assert_eq(replica_source_file(source, checkpoint.id, REPLICA_BLOBS, 0,
                                     clock_deadline_ms(WITHIN_MS), &piece, &size),
                 OK);
    cr_assert(replica_blobs_read(piece, 0, &blob));
    cr_assert_eq(memcmp(&blob.hash, &hash, sizeof hash), 0);
    cr_assert_eq(blob.size, SIZE);
    cr_assert_not(replica_blobs_read(piece, 1, &blob));
    cr_assert_eq(replica_source_blob(source, &hash, 0, clock_deadline_ms(WITHIN_MS), &piece, &size),
                 OK);
    cr_assert_eq(piece.size, 1 << 20);
    cr_assert_eq(size, SIZE);
    cr_assert_eq(
        replica_source_blob(source, &hash, 1 << 20, clock_deadline_ms(WITHIN_MS), &piece, &size),
        OK);
    cr_assert_eq(piece.size, 7);
    cr_assert_eq(memcmp(piece.data, "xxxxxxx", 7), 0);
    cr_assert_eq(
        replica_source_blob(source, &hash, UINT64_MAX, clock_deadline_ms(WITHIN_MS), &piece, &size),
        OK);
    cr_assert_eq(piece.size, 0, "behind its end there is nothing");
    replica_checkpoint_finish(&checkpoint);
    free(bytes);
}

Test(log_server, a_blob_that_it_does_not_have_is_absent)
{
    struct bytes piece;
    uint64_t size;
    cr_assert_eq(replica_source_blob(source, &(struct blob_hash){{1}}, 0,
                                     clock_deadline_ms(WITHIN_MS), &piece, &size),
                 ERR_NOT_FOUND);
}

Test(log_server, a_checkpoint_is_gone_after_its_end)
{
    char path[TEMPORARY_PATH_BYTES + 32];
    struct replica_checkpoint checkpoint;
    struct bytes bytes;
    uint64_t size, deadline_ms = clock_deadline_ms(WITHIN_MS);
    take_checkpoint(&checkpoint);
    snprintf(path, sizeof path, "%s/replica/%016llx", leader.data,
             (unsigned long long)checkpoint.id);
    cr_assert_eq(access(path, F_OK), 0);
    cr_assert_eq(replica_source_done(source, checkpoint.id, deadline_ms), OK);
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(replica_source_done(source, checkpoint.id, deadline_ms), ERR_NOT_FOUND);
    cr_assert_eq(
        replica_source_file(source, checkpoint.id, "CURRENT", 0, deadline_ms, &bytes, &size),
        ERR_NOT_FOUND);
    replica_checkpoint_finish(&checkpoint);
}

Test(log_server, a_third_checkpoint_is_refused_with_a_sentence)
{
    struct replica_checkpoint checkpoint;
    struct bytes bytes;
    uint64_t size;
    for (int i = 0; i < 2; i++) {
        take_checkpoint(&checkpoint);
        cr_assert_eq(replica_source_file(source, checkpoint.id, "CURRENT", 0,
                                         clock_deadline_ms(WITHIN_MS), &bytes, &size),
                     OK);
        replica_checkpoint_finish(&checkpoint);
    }
    cr_assert_eq(replica_source_checkpoint(source, clock_deadline_ms(WITHIN_MS), &checkpoint),
                 ERR_CONFLICT);
    cr_assert_str_eq(fault_last()->detail,
                     "the leader has two checkpoints for followers already; try again later");
}

Test(log_server, who_asks_again_for_a_checkpoint_that_nobody_read_gets_that_one)
{
    struct replica_checkpoint one, other;
    take_checkpoint(&one);
    take_checkpoint(&other);
    cr_assert_eq(one.id, other.id);
    cr_assert_eq(replica_source_done(source, one.id, clock_deadline_ms(WITHIN_MS)), OK);
    cr_assert_eq(replica_source_done(source, one.id, clock_deadline_ms(WITHIN_MS)), OK);
    cr_assert_eq(replica_source_done(source, one.id, clock_deadline_ms(WITHIN_MS)), ERR_NOT_FOUND);
    replica_checkpoint_finish(&one);
    replica_checkpoint_finish(&other);
}

Test(log_server, a_file_that_is_not_of_the_checkpoint_is_absent)
{
    struct replica_checkpoint checkpoint;
    struct bytes bytes;
    uint64_t size;
    take_checkpoint(&checkpoint);
    cr_assert_eq(replica_source_file(source, checkpoint.id, "LOCK", 0, clock_deadline_ms(WITHIN_MS),
                                     &bytes, &size),
                 ERR_NOT_FOUND);
    cr_assert_eq(replica_source_file(source, checkpoint.id, "../../store/CURRENT", 0,
                                     clock_deadline_ms(WITHIN_MS), &bytes, &size),
                 ERR_CONFLICT);
    replica_checkpoint_finish(&checkpoint);
}

Test(log_server, what_an_earlier_start_left_is_removed)
{
    char path[TEMPORARY_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/replica/old", leader.data);
    cr_assert_eq(mkdir(path, 0700), 0);
    restart();
    cr_assert_neq(access(path, F_OK), 0);
}

Test(log_server, beyond_loopback_it_does_not_start_without_keys)
{
    log_server_t *other = NULL;
    struct config config = leader.config;
    config.replica_endpoint = "tcp://0.0.0.0:*";
    cr_assert_eq(log_server_create(&config, leader.store, leader.blobs, &leader.timeline, &other),
                 ERR_INVALID);
    cr_assert_null(other);
    cr_assert_str_eq(
        fault_last()->detail,
        "replica.endpoint=tcp://0.0.0.0:*: it is not loopback and everybody could read "
        "all that is stored; set replica.curve_dir");
}
