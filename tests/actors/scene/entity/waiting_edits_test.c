// waiting_edits_test.c - of updates that wait for their entity the newest state of each sender, and
// no more than so many.
#include "actors/scene/entity/waiting_edits.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/message/metrics.h"
#include "proto/records/object.h"
#include "tests/support/bare_shard.h"

enum { WAIT_AT_MOST = 1000 };

static struct shard *shard;
static struct arena arena;
static struct message_queue waiting;

static void
begin(void)
{
    shard = bare_shard_begin();
}

static void
end(void)
{
    message_queue_finish(&waiting);
    cr_assert_eq(shard->waiting_edits.count, 0);
    cr_assert_eq(shard->waiting_edit_count, 0);
    cr_assert_eq(shard->waiting_edit_bytes, 0);
    arena_finish(&arena);
    bare_shard_end();
}

TestSuite(waiting_edits, .init = begin, .fini = end);

// An edit by this device that renames the object to what the number says.
static struct record *
renaming(int number, const char *key, const char *device)
{
    struct record *edit = record_new(&arena, &object_edit_schema);
    record_set_text(edit, OBJECT_KEY, text_from(&arena, key));
    record_set_text(edit, OBJECT_SCENE, text_from(&arena, "hall"));
    record_set_text(edit, OBJECT_NAME, text_format(&arena, "%d", number));
    record_set_text(edit, OBJECT_DEVICE, text_from(&arena, device));
    return edit;
}

// Whether that edit has to wait for its object.
static bool
rename_to(int number, const char *key, const char *device)
{
    struct message *message = waiting_edits_keep(shard, renaming(number, key, device));
    bool waits = message != NULL;
    if (waits)
        message_queue_push(&waiting, &message);
    return waits;
}

// The name that the next one of those that wait gives: of one whose turn has come, if there is one.
static const char *
next_name(void)
{
    static char name[32];
    struct message *message = message_queue_pop(&shard->base.paused);
    if (!message)
        message = message_queue_pop(&waiting);
    snprintf(name, sizeof name, "%s", text_chars(object_of(message->records->items[0])->name));
    message_destroy(&message);
    return name;
}

Test(waiting_edits, one_takes_the_place_of_an_older_one)
{
    uint64_t superseded = counter_get(COUNT_UDP_DROP_SUPERSEDED);
    cr_assert(rename_to(1, "cube", "phone"));
    size_t bytes = shard->waiting_edit_bytes;
    for (int i = 2; i < 10; i++)
        cr_assert_not(rename_to(i, "cube", "phone"));
    cr_assert(rename_to(10, "ball", "phone"));
    cr_assert_lt(shard->waiting_edit_bytes, 3 * bytes);
    cr_assert_eq(counter_get(COUNT_UDP_DROP_SUPERSEDED), superseded + 8);
    cr_assert_str_eq(next_name(), "9");
    cr_assert_str_eq(next_name(), "10");
}

Test(waiting_edits, those_of_two_senders_keep_their_order)
{
    cr_assert(rename_to(1, "cube", "phone"));
    cr_assert_not(rename_to(2, "cube", "tablet"), "it comes behind what the phone says");
    cr_assert_not(rename_to(3, "cube", "phone"), "what the tablet says comes before it");
    cr_assert_not(rename_to(4, "cube", "phone"));
    cr_assert_str_eq(next_name(), "1");
    cr_assert_str_eq(next_name(), "2");
    cr_assert_str_eq(next_name(), "4");
    cr_assert(rename_to(5, "cube", "phone"), "nothing waits any more");
}

Test(waiting_edits, the_next_one_has_its_turn_when_the_one_before_it_is_done)
{
    cr_assert_not(waiting_edits_are_before(shard, renaming(0, "cube", "phone")));
    cr_assert(rename_to(1, "cube", "phone"));
    cr_assert_not(rename_to(2, "cube", "tablet"));
    cr_assert_eq(shard->base.paused.count, 0);
    cr_assert(waiting_edits_are_before(shard, renaming(3, "cube", "phone")));
    cr_assert_not(waiting_edits_are_before(shard, renaming(3, "ball", "phone")));
    cr_assert_str_eq(next_name(), "1");
    cr_assert_eq(shard->base.paused.count, 1);
    cr_assert(waiting_edits_are_before(shard, renaming(3, "cube", "phone")), "2 is not done yet");
    cr_assert_str_eq(next_name(), "2");
    cr_assert_not(waiting_edits_are_before(shard, renaming(3, "cube", "phone")));
}

Test(waiting_edits, what_never_has_its_turn_goes_with_those_before_it)
{
    cr_assert(rename_to(1, "cube", "phone"));
    for (int i = 2; i < 10; i++)
        cr_assert_not(rename_to(i, "cube", i % 2 ? "phone" : "tablet"));
    message_queue_finish(&waiting);
    cr_assert_eq(shard->waiting_edit_count, 8);
    message_queue_finish(&shard->base.paused); // the end of the test looks at what is left
}

Test(waiting_edits, more_than_so_many_are_dropped_and_counted)
{
    uint64_t busy = counter_get(COUNT_UDP_DROP_BUSY);
    char key[16];
    for (int i = 0; i < WAIT_AT_MOST + 5; i++) {
        snprintf(key, sizeof key, "%d", i);
        cr_assert_eq(rename_to(i, key, "phone"), i < WAIT_AT_MOST);
    }
    cr_assert_eq(counter_get(COUNT_UDP_DROP_BUSY), busy + 5);
    cr_assert_not(rename_to(-1, "7", "phone"), "it takes no more room");
    cr_assert_eq(counter_get(COUNT_UDP_DROP_BUSY), busy + 5);
}
