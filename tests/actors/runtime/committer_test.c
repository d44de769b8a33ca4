// committer_test.c - the thread that writes batches: what it says of a commit is what the store
// holds afterwards, also where the store itself does not know.
#include "actors/runtime/committer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/batch.h"
#include "actors/scene/scene_family.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/object.h"
#include "store/fault.h"
#include "store/rocks.h"
#include "tests/support/temporary.h"

enum { PART = 7, SCENE = 77, WAIT_MS = 10000 };

struct fixture {
    struct temporary directory;
    store_t *store;
    mailbox_t *actor;
    committer_t *committer;
};

static void
fixture_init(struct fixture *self, const char *faults)
{
    char path[TEMPORARY_PATH_BYTES];
    store_t *rocks = NULL;
    *self = (struct fixture){0};
    log_setup(LOG_LEVEL_ERROR, LOG_TEXT);
    temporary_init(&self->directory);
    temporary_path(&self->directory, "store", path);
    cr_assert_eq(rocks_open(path, false, false, &rocks), OK, "%s", fault_last()->detail);
    cr_assert_eq(fault_wrap(&rocks, faults, &self->store), OK);
    cr_assert_eq(mailbox_create("actor", false, &self->actor), OK);
    cr_assert_eq(committer_create(self->store, "committer", &self->committer), OK);
}

static void
fixture_finish(struct fixture *self)
{
    committer_destroy(&self->committer, self->actor);
    mailbox_destroy(&self->actor);
    store_destroy(&self->store);
    temporary_finish(&self->directory);
}

static struct fixture fixture;

static struct fixture *
fixture_begin(const char *faults)
{
    struct fixture *self = &fixture;
    fixture_finish(self);
    fixture_init(self, faults);
    return self;
}

// Also of a test that failed: its process would wait for the thread for ever.
static void
fixture_end(void)
{
    fixture_finish(&fixture);
}

TestSuite(committer, .fini = fixture_end);

// ---------------------------------------------------------------- batches

static struct key
object_key(unsigned number)
{
    owned(arena_finish) struct arena arena = {0};
    return key_of_number_and_text(KEY_OBJECT, SCENE, text_format(&arena, "%06u", number));
}

static void
put_object(struct batch *batch, unsigned number, int64_t frame)
{
    owned(arena_finish) struct arena arena = {0};
    struct record *object = record_new(&arena, &object_schema);
    record_set_integer(object, OBJECT_FRAME, frame);
    owned(record_unref) const frozen_t *frozen = record_freeze(&object_schema, object);
    batch_put_record(batch, PART, object_key(number), frozen);
}

// What is stored: the object's frame, or -1 where there is none.
static int64_t
stored_frame(struct fixture *self, unsigned number)
{
    owned(arena_finish) struct arena arena = {0};
    struct key key = object_key(number);
    const struct store_address address = {FAMILY_SCENE, PART, key_bytes(&key)};
    store_version_t version;
    struct record *object;
    void *value = NULL;
    size_t size;
    enum store_result result = store_get(self->store, &address, 0, &version, &value, &size);
    cr_assert(result == STORE_OK || result == STORE_ABSENT);
    if (result == STORE_ABSENT)
        return -1;
    cr_assert_eq(record_from_stored(&arena, &object_schema, value, size, &object), OK);
    free(value);
    return ((const struct object *)(void *)object)->rare->frame;
}

static void
send(struct fixture *self, struct batch *batch, uint64_t id)
{
    struct message *message = message_create(COMMIT);
    message->id = id;
    message->parcel = &batch->base;
    batch->marker = key_of_number(KEY_COMMIT, 0);
    cr_assert_eq(mailbox_send(self->actor, "committer", &message), OK);
}

static struct message *
receive(struct fixture *self, uint64_t id)
{
    struct message *message = mailbox_receive(self->actor, WAIT_MS);
    cr_assert_not_null(message);
    cr_assert_eq(message->operation, COMMITTED);
    cr_assert_eq(message->id, id);
    cr_assert_eq(message->reply.fault.error, OK);
    return message;
}

static enum store_result
commit(struct fixture *self, struct batch *batch)
{
    send(self, batch, 5);
    owned(message_destroy) struct message *message = receive(self, 5);
    cr_assert_eq(batch_of(message), batch, "the same batch comes back");
    return batch->result;
}

static enum store_result
commit_object(struct fixture *self, unsigned number, int64_t frame)
{
    struct batch *batch = batch_create(FAMILY_SCENE);
    put_object(batch, number, frame);
    return commit(self, batch);
}

// ---------------------------------------------------------------- what it writes

Test(committer, writes_records_values_and_removals)
{
    struct fixture *self = fixture_begin("");
    struct batch *batch = batch_create(FAMILY_SCENE);
    struct key value = {.data = "where", .size = 5}, lookup = key_of_tag(KEY_LOOKUP);
    put_object(batch, 1, 11);
    put_object(batch, 2, 12);
    batch_put_value(batch, PART, lookup, value);
    cr_assert_eq(commit(self, batch), STORE_OK);
    cr_assert_eq(stored_frame(self, 1), 11);
    cr_assert_eq(stored_frame(self, 2), 12);

    void *found = NULL;
    size_t size = 0;
    store_version_t version;
    const struct store_address address = {FAMILY_SCENE, PART, key_bytes(&lookup)};
    cr_assert_eq(store_get(self->store, &address, 0, &version, &found, &size), STORE_OK);
    cr_assert_eq(size, 5);
    cr_assert_arr_eq(found, "where", 5);
    free(found);

    batch = batch_create(FAMILY_SCENE);
    batch_delete(batch, PART, object_key(1));
    cr_assert_eq(commit(self, batch), STORE_OK);
    cr_assert_eq(stored_frame(self, 1), -1);
    cr_assert_eq(stored_frame(self, 2), 12);
}

Test(committer, of_two_writes_to_a_key_the_later_one_stays)
{
    struct fixture *self = fixture_begin("");
    struct batch *batch = batch_create(FAMILY_SCENE);
    put_object(batch, 1, 1);
    put_object(batch, 1, 2);
    batch_delete(batch, PART, object_key(2));
    put_object(batch, 2, 3);
    put_object(batch, 3, 4);
    batch_delete(batch, PART, object_key(3));
    cr_assert_eq(commit(self, batch), STORE_OK);
    cr_assert_eq(stored_frame(self, 1), 2);
    cr_assert_eq(stored_frame(self, 2), 3);
    cr_assert_eq(stored_frame(self, 3), -1);
}

Test(committer, writes_as_many_records_as_a_commit_takes)
{
    enum { WRITES = LIMIT_APART_OPERATIONS - 1 }; // and the marker
    struct fixture *self = fixture_begin("");
    struct batch *batch = batch_create(FAMILY_SCENE);
    for (unsigned i = 0; i < WRITES; i++)
        put_object(batch, i, i);
    cr_assert_eq(commit(self, batch), STORE_OK);
    for (unsigned i = 0; i < WRITES; i++)
        cr_assert_eq(stored_frame(self, i), i);
}

Test(committer, refuses_more_than_a_commit_takes)
{
    struct fixture *self = fixture_begin("");
    struct batch *batch = batch_create(FAMILY_SCENE);
    for (unsigned i = 0; i < LIMIT_APART_OPERATIONS; i++)
        put_object(batch, i, i);
    cr_assert_eq(commit(self, batch), STORE_LIMIT);
    cr_assert_eq(stored_frame(self, 0), -1);
    cr_assert_eq(commit_object(self, 0, 7), STORE_OK);
}

Test(committer, commits_in_the_order_of_arrival)
{
    enum { BATCHES = 50 };
    struct fixture *self = fixture_begin("");
    for (uint64_t id = 1; id <= BATCHES; id++) {
        struct batch *batch = batch_create(FAMILY_SCENE);
        put_object(batch, 1, (int64_t)id);
        send(self, batch, id);
    }
    for (uint64_t id = 1; id <= BATCHES; id++) {
        owned(message_destroy) struct message *message = receive(self, id);
        cr_assert_eq(batch_of(message)->result, STORE_OK);
    }
    cr_assert_eq(stored_frame(self, 1), BATCHES);
}

// ---------------------------------------------------------------- what it says

Test(committer, an_unavailable_store_wrote_nothing)
{
    struct fixture *self = fixture_begin("unavailable=2");
    cr_assert_eq(commit_object(self, 1, 1), STORE_OK);
    cr_assert_eq(commit_object(self, 1, 2), STORE_UNAVAILABLE);
    cr_assert_eq(stored_frame(self, 1), 1);
    cr_assert_eq(commit_object(self, 1, 3), STORE_OK);
    cr_assert_eq(stored_frame(self, 1), 3);
}

Test(committer, a_conflict_wrote_nothing)
{
    struct fixture *self = fixture_begin("conflict=1");
    cr_assert_eq(commit_object(self, 1, 1), STORE_CONFLICT);
    cr_assert_eq(stored_frame(self, 1), -1);
}

Test(committer, tells_the_written_of_unknown_commits_from_the_others)
{
    struct fixture *self = fixture_begin("unknown=1"); // in turn not written and written
    for (unsigned i = 0; i < 20; i++) {
        enum store_result result = commit_object(self, i, i);
        cr_assert_eq(result, i % 2 ? STORE_OK : STORE_UNAVAILABLE, "commit %u: %d", i, (int)result);
        cr_assert_eq(stored_frame(self, i), i % 2 ? (int64_t)i : -1);
    }
}

Test(committer, tells_so_of_batches_that_only_delete)
{
    struct fixture *self = fixture_begin("unknown=2"); // the second is not written, the fourth is
    cr_assert_eq(commit_object(self, 1, 1), STORE_OK);
    struct batch *batch = batch_create(FAMILY_SCENE);
    batch_delete(batch, PART, object_key(1));
    cr_assert_eq(commit(self, batch), STORE_UNAVAILABLE);
    cr_assert_eq(stored_frame(self, 1), 1);
    cr_assert_eq(commit_object(self, 2, 2), STORE_OK);
    batch = batch_create(FAMILY_SCENE);
    batch_delete(batch, PART, object_key(1));
    cr_assert_eq(commit(self, batch), STORE_OK);
    cr_assert_eq(stored_frame(self, 1), -1);
}

static void
put_large_object(struct batch *batch, unsigned number, size_t bytes)
{
    owned(arena_finish) struct arena arena = {0};
    struct record *object = record_new(&arena, &object_schema);
    record_set_text(object, OBJECT_NAME, text_new(&arena, arena_alloc(&arena, bytes), bytes));
    owned(record_unref) const frozen_t *frozen = record_freeze(&object_schema, object);
    batch_put_record(batch, PART, object_key(number), frozen);
}

Test(committer, a_batch_beyond_the_bytes_of_a_commit_wrote_nothing)
{
    struct fixture *self = fixture_begin("");
    struct batch *batch = batch_create(FAMILY_SCENE);
    for (unsigned i = 0; i < 3; i++)
        put_large_object(batch, i, LIMIT_COMMIT_BYTES / 2);
    cr_assert_eq(commit(self, batch), STORE_LIMIT);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(stored_frame(self, i), -1);
    cr_assert_eq(commit_object(self, 1, 1), STORE_OK);
}

// ---------------------------------------------------------------- its end

Test(committer, finishes_what_was_sent_before_it_ends)
{
    struct fixture *self = fixture_begin("latency=5");
    for (unsigned i = 0; i < 10; i++) {
        struct batch *batch = batch_create(FAMILY_SCENE);
        put_object(batch, i, i);
        send(self, batch, i + 1);
    }
    committer_destroy(&self->committer, self->actor);
    cr_assert_null(self->committer);
    for (unsigned i = 0; i < 10; i++)
        cr_assert_eq(stored_frame(self, i), i);
}
