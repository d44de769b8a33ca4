// shard_updates_test.c - updates of a turn reach the shards that own them. Mailboxes of the test
// take the place of the scene actors.
#include "actors/udp/shard_updates.h"

#include <criterion/criterion.h>

#include "proto/message/metrics.h"
#include "proto/records/object.h"

enum { SHARDS = 2, PATIENCE_MS = 5000 };

static struct arena arena;
static struct shard_updates updates;
static mailbox_t *sender, *shards[SHARDS];

static void
start(void)
{
    arena_init(&arena);
    shard_updates_init(&updates, SHARDS, 8);
    cr_assert_eq(mailbox_create("sender", false, &sender), OK);
    for (unsigned i = 0; i < SHARDS; i++) {
        char name[MAILBOX_NAME_SIZE];
        mailbox_shard_name(i, name);
        cr_assert_eq(mailbox_create(name, true, &shards[i]), OK);
    }
}

static void
end(void)
{
    shard_updates_finish(&updates);
    mailbox_destroy(&sender);
    for (unsigned i = 0; i < SHARDS; i++)
        mailbox_destroy(&shards[i]);
    arena_finish(&arena);
}

TestSuite(shard_updates, .init = start, .fini = end);

static void
put(uint16_t partition, const char *key)
{
    struct record *edit = record_new(&arena, &object_edit_schema);
    record_set_text(edit, OBJECT_NAME, text_from(&arena, "cube"));
    shard_updates_put(&updates, partition, edit, text_from(&arena, key));
}

static void
expect_message(unsigned shard, uint32_t count, const char *first_key)
{
    struct message *message = mailbox_receive(shards[shard], PATIENCE_MS);
    cr_assert_not_null(message);
    cr_expect_eq(message->operation, DATAGRAMS);
    cr_assert_eq(message->records->count, count);
    cr_expect(text_is(record_key(message->records->items[0]), first_key));
    cr_expect(text_is(object_of(message->records->items[0])->name, "cube"));
    message_destroy(&message);
}

Test(shard_updates, each_shard_gets_one_message_with_its_updates_in_order)
{
    put(4, "a");
    put(5, "b");
    put(6, "c");
    shard_updates_send(&updates, sender);
    expect_message(0, 2, "a");
    expect_message(1, 1, "b");
    put(7, "d");
    shard_updates_send(&updates, sender);
    expect_message(1, 1, "d");
    cr_expect_null(mailbox_receive(shards[0], 0));
}

Test(shard_updates, what_was_not_sent_ends_with_it)
{
    put(4, "a");
}

Test(shard_updates, updates_without_room_are_counted)
{
    uint64_t before = counter_get(COUNT_UDP_DROP_BUSY);
    mailbox_destroy(&shards[0]);
    put(4, "a");
    put(6, "c");
    shard_updates_send(&updates, sender);
    cr_expect_leq(counter_get(COUNT_UDP_DROP_BUSY), before + 2);
    cr_expect_null(updates.messages[0]);
}
