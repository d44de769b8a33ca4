// outbox_ready_test.c - entries that are asked for, and answer, in one turn: none is lost. The test
// is the sender's thread, and the receiver's.
#include <criterion/criterion.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/outbox.h"
#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/message/mailbox.h"
#include "proto/records/effect.h"

enum { ENTRIES = 3, WAIT_MS = 10000, REFUSALS = 3 };

static const char *const ids[ENTRIES] = {"effect 1", "effect 2", "effect 3"};
static actor_t actor;
static struct staging staging;
static struct outbox outbox;
static mailbox_t *receiver;

static void
keep_owner(void *owner)
{
    (void)owner;
}

// An effect about "bob" that is durable.
static void
enter(const char *id)
{
    owned(arena_finish) struct arena arena = {0};
    struct record *effect = record_new(&arena, &effect_schema);
    record_set_text(effect, EFFECT_ID, text_from(&arena, id));
    record_set_text(effect, EFFECT_KEY, text_from(&arena, "bob"));
    record_set_text(effect, EFFECT_OPERATION, text_from(&arena, "ERASE_LIBRARY"));
    struct change change = {.tag = KEY_OUTBOX, .record = record_freeze(&effect_schema, effect)};
    outbox_committed(&outbox, &change);
    record_unref(&change.record);
}

static void
begin(void)
{
    actor = (actor_t){.name = "user"};
    cr_assert_eq(mailbox_create(actor_mailbox(ASSET_ACTOR), true, &receiver), OK);
    cr_assert_eq(mailbox_create("user", true, &actor.mailbox), OK);
    staging_init(&staging, FAMILY_USER, keep_owner);
    outbox_init(&outbox, &actor, &staging, 1);
    for (unsigned i = 0; i < ENTRIES; i++)
        enter(ids[i]);
}

static void
end(void)
{
    outbox_finish(&outbox);
    staging_finish(&staging);
    mailbox_destroy(&actor.mailbox);
    mailbox_destroy(&receiver);
}

TestSuite(outbox_ready, .init = begin, .fini = end);

// The next effect that is asked for.
static struct message *
await_question(void)
{
    uint64_t deadline_ms = clock_deadline_ms(WAIT_MS);
    struct message *question;
    while (!(question = mailbox_receive(receiver, 10)) && clock_left_ms(deadline_ms) > 0)
        outbox_turn(&outbox);
    cr_assert_not_null(question);
    return question;
}

// The receiver's answer to an effect, of which there may have been several questions.
static void
answer(const char *id, enum error error)
{
    struct message *message = message_create(ERASE_LIBRARY);
    struct record *effect = record_new(&message->arena, &effect_schema);
    record_set_text(effect, EFFECT_ID, text_from(&message->arena, id));
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = effect;
    message->id = 1;
    message->reply.fault.error = error;
    cr_assert_eq(outbox_acknowledged(&outbox, message), PARKED);
}

Test(outbox_ready, who_answers_in_the_turn_in_which_it_is_asked_again_hides_no_other)
{
    for (unsigned i = 0; i < REFUSALS * ENTRIES; i++) { // so it is asked for rarely
        owned(message_destroy) struct message *question = await_question();
        const struct effect *effect = (const void *)question->records->items[0];
        answer(text_chars(effect->id), ERR_UNAVAILABLE);
    }
    struct message *asker = message_create(USER_ERASE);
    asker->awaited = text_from(&asker->arena, ids[0]);
    cr_assert(outbox_hold(&outbox, asker));
    answer(ids[0], OK); // the asker waits for another one, and all others are asked now
    answer(ids[1], OK);
    outbox_turn(&outbox);
    owned(message_destroy) struct message *question = mailbox_receive(receiver, WAIT_MS);
    cr_assert_not_null(question, "nobody asks for the third");
    cr_assert(
        text_is(((const struct effect *)(const void *)question->records->items[0])->id, ids[2]));
}
