// staging_test.c - what is decided but not durable: the newest change of each record, the order of
// completion, abandoning, room for one commit.
#include "actors/runtime/staging.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/scene/scene_family.h"
#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/samples.h"

// What changes belong to: counts their holds.
struct owner {
    unsigned holds;
};

static void
release(void *owner)
{
    ((struct owner *)owner)->holds--;
}

static const frozen_t *
new_object(const char *key, int64_t frame)
{
    struct arena arena = {0};
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_KEY, text_from(&arena, key));
    record_set_integer(object, OBJECT_FRAME, frame);
    const frozen_t *frozen = record_freeze(&object_schema, object);
    arena_finish(&arena);
    return frozen;
}

// Stages a change of the record with this key, and its write.
static const frozen_t *
add(struct staging *staging, key_tag_t tag, struct owner *owner, const char *key, int64_t frame,
    enum change_kind kind)
{
    const frozen_t *record = new_object(key, frame);
    staging_has_room(staging, room_for_records(1, record_size(record)));
    batch_put_record(staging->filling.batch, 0, key_of_text(tag, frozen_key(record)), record);
    owner->holds++;
    staging_add(staging,
                &(struct change){.kind = kind, .tag = tag, .owner = owner, .record = record});
    return record;
}

static void
add_removal(struct staging *staging, key_tag_t tag, struct owner *owner, const char *key)
{
    const frozen_t *before = new_object(key, 0);
    staging_has_room(staging, room_for_removals(1));
    batch_delete(staging->filling.batch, 0, key_of_text(tag, frozen_key(before)));
    owner->holds++;
    staging_add(staging, &(struct change){.tag = tag, .owner = owner, .before = before});
}

static const struct change *
latest(const struct staging *staging, key_tag_t tag, const struct owner *owner, const char *key)
{
    owned(arena_finish) struct arena arena = {0};
    return staging_latest(staging, tag, owner, text_from(&arena, key));
}

// The committer's part: the batch is gone when its commit ends.
static void
submit(struct staging *staging)
{
    struct batch *batch = staging_submit(staging);
    batch_destroy(&batch);
}

static void
complete(struct staging *staging)
{
    struct stage committed = staging_complete(staging);
    staging_free_stage(staging, &committed);
}

// Every test has one staging and two owners.
static struct staging staging;
static struct owner owners[2];
static struct owner *const hall = &owners[0], *const yard = &owners[1];

static void
start(void)
{
    staging_init(&staging, FAMILY_SCENE, release);
}

static void
end(void)
{
    staging_finish(&staging);
    cr_assert_eq(hall->holds + yard->holds, 0);
}

TestSuite(staging, .init = start, .fini = end);

Test(staging, the_newest_change_of_a_record_is_its_latest)
{
    cr_assert_null(latest(&staging, KEY_OBJECT, NULL, "a"));
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    const frozen_t *newer = add(&staging, KEY_OBJECT, hall, "a", 2, CHANGE_STORED);
    cr_assert_eq(latest(&staging, KEY_OBJECT, NULL, "a")->record, newer);
    cr_assert_eq(latest(&staging, KEY_OBJECT, NULL, "a")->owner, hall);
}

Test(staging, a_request_listens_to_the_newest_change_of_a_record)
{
    owned(arena_finish) struct arena arena = {0};
    struct message *first = message_create(OBJECT_UPDATE), *second = message_create(OBJECT_UPDATE);
    const struct text *key = text_from(&arena, "a");
    cr_assert(!staging_listen(&staging, KEY_OBJECT, hall, key, first));
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    const struct change *older = latest(&staging, KEY_OBJECT, hall, "a");
    cr_assert(staging_listen(&staging, KEY_OBJECT, hall, key, first));
    cr_assert(staging_listen(&staging, KEY_OBJECT, hall, key, second));
    add(&staging, KEY_OBJECT, hall, "a", 2, CHANGE_STORED);
    cr_assert_eq(older->listeners->message, second);
    cr_assert_eq(older->listeners->next->message, first);
    cr_assert_null(older->listeners->next->next);
    cr_assert_null(latest(&staging, KEY_OBJECT, hall, "a")->listeners);
    message_destroy(&first);
    message_destroy(&second);
}

Test(staging, one_key_is_another_record_under_another_tag)
{
    const frozen_t *object = add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    const frozen_t *scene = add(&staging, KEY_SCENE, hall, "a", 2, CHANGE_STORED);
    cr_assert_eq(latest(&staging, KEY_OBJECT, NULL, "a")->record, object);
    cr_assert_eq(latest(&staging, KEY_SCENE, NULL, "a")->record, scene);
    cr_assert_null(latest(&staging, KEY_DEVICE, hall, "a"));
}

Test(staging, a_device_key_belongs_to_its_scene)
{
    const frozen_t *in_hall = add(&staging, KEY_DEVICE, hall, "phone", 1, CHANGE_STORED);
    const frozen_t *in_yard = add(&staging, KEY_DEVICE, yard, "phone", 2, CHANGE_STORED);
    cr_assert_eq(latest(&staging, KEY_DEVICE, hall, "phone")->record, in_hall);
    cr_assert_eq(latest(&staging, KEY_DEVICE, yard, "phone")->record, in_yard);
}

Test(staging, a_record_of_an_owner_itself_is_followed_by_that_of_the_next_owner_of_its_key)
{
    add_removal(&staging, KEY_SCENE, hall, "a");
    const frozen_t *record = new_object("a", 1);
    yard->holds++;
    staging_has_room(&staging, room_for_records(1, record_size(record)));
    staging_add(
        &staging,
        &(struct change){.tag = KEY_SCENE, .owner = yard, .is_owners = true, .record = record});
    cr_assert_eq(latest(&staging, KEY_SCENE, NULL, "a")->record, record);
}

Test(staging, a_removal_is_a_latest_change_without_a_record)
{
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    add_removal(&staging, KEY_OBJECT, hall, "a");
    cr_assert_not_null(latest(&staging, KEY_OBJECT, NULL, "a"));
    cr_assert_null(latest(&staging, KEY_OBJECT, NULL, "a")->record);
}

Test(staging, what_is_only_behind_on_disk_is_nobodys_latest)
{
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_BEHIND);
    cr_assert_null(latest(&staging, KEY_OBJECT, NULL, "a"));
    cr_assert(staging_is_busy(&staging));
}

Test(staging, a_committing_change_stays_the_latest_until_it_is_durable)
{
    const frozen_t *record = add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    submit(&staging);
    cr_assert(staging.is_committing);
    cr_assert_eq(latest(&staging, KEY_OBJECT, NULL, "a")->record, record);
    complete(&staging);
    cr_assert_null(latest(&staging, KEY_OBJECT, NULL, "a"));
    cr_assert_not(staging_is_busy(&staging));
}

Test(staging, a_newer_change_stays_the_latest_when_the_older_one_is_durable)
{
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    submit(&staging);
    const frozen_t *newer = add(&staging, KEY_OBJECT, hall, "a", 2, CHANGE_STORED);
    complete(&staging);
    cr_assert_eq(latest(&staging, KEY_OBJECT, NULL, "a")->record, newer);
}

Test(staging, completes_what_was_submitted_in_the_order_of_staging)
{
    for (int64_t frame = 0; frame < 100; frame++)
        add(&staging, KEY_OBJECT, hall, frame % 2 ? "a" : "b", frame, CHANGE_STORED);
    submit(&staging);
    add(&staging, KEY_OBJECT, hall, "c", 100, CHANGE_STORED);
    struct stage committed = staging_complete(&staging);
    int64_t frame = 0;
    for (const struct change *change = committed.first; change; change = change->next)
        cr_assert_eq(object_of(frozen_record(change->record))->rare->frame, frame++);
    cr_assert_eq(frame, 100);
    cr_assert_eq(staging.filling.batch->count, 1);
    staging_free_stage(&staging, &committed);
}

Test(staging, the_batch_that_is_submitted_has_the_writes_in_order)
{
    const frozen_t *record = add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    add_removal(&staging, KEY_OBJECT, hall, "b");
    struct batch *batch = staging_submit(&staging);
    cr_assert_eq(batch->count, 2);
    cr_assert_eq(batch->writes[0].record, record);
    cr_assert_not(batch->writes[0].is_delete);
    cr_assert(batch->writes[1].is_delete);
    cr_assert_eq(staging.filling.batch->count, 0);
    batch_destroy(&batch);
    complete(&staging);
}

Test(staging, messages_go_with_the_stage_that_they_were_put_into)
{
    struct message *first = message_create(PING), *second = message_create(PING);
    const struct message *first_sent = first;
    message_queue_push(&staging.filling.messages, &first);
    submit(&staging);
    message_queue_push(&staging.filling.messages, &second);
    struct stage committed = staging_complete(&staging);
    owned(message_destroy) struct message *answered = message_queue_pop(&committed.messages);
    cr_assert_eq(answered, first_sent);
    cr_assert_eq(committed.messages.count, 0);
    cr_assert_eq(staging.filling.messages.count, 1);
    staging_free_stage(&staging, &committed);
}

Test(staging, after_abandoning_nothing_is_staged_any_more)
{
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    submit(&staging);
    add(&staging, KEY_OBJECT, hall, "a", 2, CHANGE_STORED);
    add(&staging, KEY_SCENE, yard, "yard", 3, CHANGE_STORED);
    struct message *message = message_create(PING);
    message_queue_push(&staging.filling.messages, &message);
    complete(&staging);
    struct stage abandoned = staging_abandon(&staging, 0);
    cr_assert_null(latest(&staging, KEY_OBJECT, NULL, "a"));
    cr_assert_null(latest(&staging, KEY_SCENE, NULL, "yard"));
    cr_assert_not(staging_is_busy(&staging));
    cr_assert_eq(abandoned.messages.count, 1);
    message_queue_finish(&abandoned.messages);
    staging_free_stage(&staging, &abandoned);
    const frozen_t *again = add(&staging, KEY_OBJECT, hall, "a", 4, CHANGE_STORED);
    cr_assert_eq(latest(&staging, KEY_OBJECT, NULL, "a")->record, again);
}

Test(staging, a_commit_has_room_for_one_write_less_than_its_limit)
{
    cr_assert(staging_has_room(&staging, room_for_removals(LIMIT_COMMIT_OPERATIONS - 1)));
    cr_assert_not(staging_has_room(&staging, room_for_removals(LIMIT_COMMIT_OPERATIONS)));
    for (int i = 0; i < LIMIT_COMMIT_OPERATIONS - 1; i++) {
        cr_assert(staging_has_room(&staging, room_for_removals(1)), "write %d", i);
        add(&staging, KEY_OBJECT, hall, "a", i, CHANGE_STORED);
    }
    cr_assert_not(staging_has_room(&staging, room_for_removals(1)));
    submit(&staging);
    cr_assert(staging_has_room(&staging, room_for_removals(LIMIT_COMMIT_OPERATIONS - 1)));
}

Test(staging, what_cannot_be_parted_has_more_room_where_nothing_is_staged)
{
    cr_assert(staging_has_room_apart(&staging, room_for_removals(LIMIT_APART_OPERATIONS - 1)));
    cr_assert_not(staging_has_room_apart(&staging, room_for_removals(LIMIT_APART_OPERATIONS)));
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    cr_assert_not(staging_has_room_apart(&staging, room_for_removals(LIMIT_COMMIT_OPERATIONS - 1)));
    cr_assert(staging_has_room_apart(&staging, room_for_removals(LIMIT_COMMIT_OPERATIONS - 2)));
}

Test(staging, removals_take_bytes_and_what_was_granted_ends_with_the_request)
{
    struct room room = room_for_both(room_for_removals(2), room_for_records(1, 100));
    cr_assert_eq(room.operations, 3);
    cr_assert_eq(room.bytes, 3 * WRITE_COST + 100);
    cr_assert(staging_has_room(&staging, room));
    cr_assert_eq(staging.granted.operations, 3);
    cr_assert_eq(staging.granted.bytes, room.bytes);
    const frozen_t *record = add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    staging_take_back_room(&staging);
    cr_assert_eq(staging.granted.operations, 1);
    cr_assert_eq(staging.granted.bytes, WRITE_COST + record_size(record));
}

Test(staging, half_the_bytes_of_a_commit_are_room_and_an_empty_batch_takes_anything)
{
    cr_assert(staging_has_room(&staging, room_for_records(1, LIMIT_COMMIT_BYTES)));
    const frozen_t *record = add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    size_t left = LIMIT_COMMIT_BYTES / 2 - record_size(record) - 2 * WRITE_COST;
    cr_assert(staging_has_room(&staging, room_for_records(1, left - 1)));
    cr_assert_not(staging_has_room(&staging, room_for_records(1, left)));
}

static void
hold_message(struct message_queue *queue)
{
    struct message *message = message_create(PING);
    message_queue_push(queue, &message);
}

// A commit of two requests was too large.
static void
abandon_two(void)
{
    submit(&staging);
    complete(&staging);
    struct stage abandoned = staging_abandon(&staging, 2);
    staging_free_stage(&staging, &abandoned);
}

Test(staging, requests_whose_commit_was_too_large_share_none)
{
    abandon_two();
    for (int i = 0; i < 2; i++) {
        cr_assert(staging_has_room(&staging, room_for_removals(1)));
        add(&staging, KEY_OBJECT, hall, "a", i, CHANGE_STORED);
        cr_assert(staging_has_room(&staging, room_for_removals(1)),
                  "the same request has another write");
        hold_message(&staging.filling.messages);
        cr_assert_not(staging_has_room(&staging, room_for_removals(1)), "request %d", i);
        submit(&staging);
        message_queue_finish(&staging.committing.messages);
        complete(&staging);
    }
    hold_message(&staging.filling.messages);
    cr_assert(staging_has_room(&staging, room_for_removals(1)), "a third one shares its commit");
}

Test(staging, what_a_waiting_request_has_staged_apart_is_joined_by_nobody)
{
    abandon_two();
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    struct message *message = message_create(PING);
    staging_wait(&staging, &message);
    cr_assert_not(staging_has_room(&staging, room_for_removals(1)));
    submit(&staging);
    cr_assert(staging_has_room(&staging, room_for_removals(1)));
}

Test(staging, a_look_that_finds_something_staged_is_noted)
{
    bool was_shown = false;
    size_t cursor = 0;
    staging.shown = &was_shown;
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    cr_assert_null(latest(&staging, KEY_OBJECT, hall, "b"));
    cr_assert_null(staging_next(&staging, KEY_DEVICE, &cursor));
    cr_assert_not(was_shown);
    cr_assert_not_null(latest(&staging, KEY_OBJECT, hall, "a"));
    cr_assert(was_shown);
    was_shown = false;
    cursor = 0;
    cr_assert_not_null(staging_next(&staging, KEY_OBJECT, &cursor));
    cr_assert(was_shown);
    cr_assert_null(staging_next(&staging, KEY_OBJECT, &cursor));
}

Test(staging, an_answer_is_kept_with_its_reason_beside_the_stage_that_it_rests_on)
{
    struct message *message = message_create(PING);
    staging_hold(&staging, &message, fail(ERR_LOCKED, "/owner", "somebody has it"));
    cr_assert(staging_is_busy(&staging));
    submit(&staging);
    struct stage committed = staging_complete(&staging);
    owned(message_destroy) struct message *held = message_queue_pop(&committed.messages);
    cr_assert(held->is_decided);
    cr_assert_eq(held->reply.fault.error, ERR_LOCKED);
    cr_assert_str_eq(held->reply.fault.pointer, "/owner");
    cr_assert_str_eq(held->reply.fault.detail, "somebody has it");
    staging_free_stage(&staging, &committed);
}

Test(staging, an_answer_waits_for_the_commit_under_way_where_nothing_was_staged_since)
{
    struct message *message = message_create(PING);
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    submit(&staging);
    staging_hold(&staging, &message, OK);
    struct stage committed = staging_complete(&staging);
    owned(message_destroy) struct message *held = message_queue_pop(&committed.messages);
    cr_assert_not_null(held);
    cr_assert_eq(held->reply.fault.error, OK);
    staging_free_stage(&staging, &committed);
}

Test(staging, what_followed_a_change_is_visible_with_it)
{
    add(&staging, KEY_OBJECT, hall, "a", 1, CHANGE_STORED);
    submit(&staging);
    add(&staging, KEY_OBJECT, hall, "b", 2, CHANGE_STORED);
    add(&staging, KEY_OBJECT, hall, "a", 3, CHANGE_FOLLOWER);
    add(&staging, KEY_OBJECT, hall, "b", 4, CHANGE_FOLLOWER);
    add(&staging, KEY_OBJECT, hall, "a", 5, CHANGE_FOLLOWER);
    cr_assert_null(staging_next_follower(&staging, NULL), "nothing has landed");
    struct stage committed = staging_complete(&staging);
    struct change *first = staging_next_follower(&staging, NULL);
    struct change *second = staging_next_follower(&staging, first);
    cr_assert_eq(object_of(frozen_record(first->record))->rare->frame, 3);
    cr_assert_eq(object_of(frozen_record(second->record))->rare->frame, 5);
    cr_assert_null(staging_next_follower(&staging, second), "b has not landed");
    staging_has_followed(&staging, first);
    staging_has_followed(&staging, second);
    cr_assert_eq(first->kind, CHANGE_BEHIND);
    cr_assert_null(latest(&staging, KEY_OBJECT, hall, "a"));
    cr_assert_not_null(latest(&staging, KEY_OBJECT, hall, "b"));
    cr_assert_null(staging_next_follower(&staging, NULL));
    staging_free_stage(&staging, &committed);
}

Test(staging, is_busy_while_something_waits_for_its_answer)
{
    cr_assert_not(staging_is_busy(&staging));
    struct message *message = message_create(PING);
    message_queue_push(&staging.filling.messages, &message);
    cr_assert(staging_is_busy(&staging));
}

// ---------------------------------------------------------------- against a model

enum { KEYS = 40, OPERATIONS = 20000 };

// The newest record staged under each key: of the filling stage, else of the committing one.
struct model {
    const frozen_t *filling[KEYS];
    const frozen_t *committing[KEYS];
};

static void
change_something(struct random *random, struct model *model)
{
    unsigned key = (unsigned)random_below(random, KEYS);
    char name[16];
    snprintf(name, sizeof name, "%u", key);
    if (staging_has_room(&staging, room_for_removals(1)))
        model->filling[key] = add(&staging, KEY_OBJECT, hall, name, 0, CHANGE_STORED);
}

static void
submit_or_complete(struct random *random, struct model *model)
{
    if (!staging.is_committing) {
        submit(&staging);
        memcpy(model->committing, model->filling, sizeof model->committing);
        memset(model->filling, 0, sizeof model->filling);
        return;
    }
    complete(&staging);
    memset(model->committing, 0, sizeof model->committing);
    if (random_below(random, 3) == 0) {
        struct stage abandoned = staging_abandon(&staging, 0);
        staging_free_stage(&staging, &abandoned);
        memset(model->filling, 0, sizeof model->filling);
    }
}

Test(staging, knows_the_latest_change_of_every_record_through_commits_and_failures)
{
    struct random random = {1};
    struct model model = {0};
    for (int i = 0; i < OPERATIONS; i++) {
        if (random_below(&random, 30))
            change_something(&random, &model);
        else
            submit_or_complete(&random, &model);
        unsigned key = (unsigned)random_below(&random, KEYS);
        char name[16];
        snprintf(name, sizeof name, "%u", key);
        const frozen_t *expected = model.filling[key] ? model.filling[key] : model.committing[key];
        const struct change *change = latest(&staging, KEY_OBJECT, NULL, name);
        cr_assert_eq(change ? change->record : NULL, expected, "operation %d key %u", i, key);
    }
    if (staging.is_committing)
        complete(&staging);
}

Test(staging, a_commit_with_many_index_records_is_joined_by_no_other_request)
{
    for (uint32_t i = 0; i < LIMIT_INDEX_WRITES; i++)
        batch_write_beside(staging.filling.batch, 0, key_of_number('N', i), false);
    cr_assert(staging_has_room(&staging, room_for_removals(1)), "nothing else is in it");
    batch_delete(staging.filling.batch, 0, key_of_tag('S'));
    cr_assert_not(staging_has_room(&staging, room_for_removals(1)));
}
