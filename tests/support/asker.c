// asker.c - see the header. Runs on the test's thread.
#include "tests/support/asker.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"

enum { PATIENCE_MS = 10000 };

#define MUST(call) cr_assert_eq((call), OK, "%s", fault_last()->detail)

void
asker_begin(struct asker *self)
{
    MUST(mailbox_create("tester", false, &self->mailbox));
}

void
asker_end(struct asker *self)
{
    mailbox_destroy(&self->mailbox);
    message_queue_finish(&self->answers);
}

uint64_t
asker_send(struct asker *self, const char *to, struct message *message)
{
    uint64_t id = message->id = ++self->asked;
    MUST(mailbox_send(self->mailbox, to, &message));
    return id;
}

static struct message *
find_answer(struct asker *self, uint64_t id)
{
    struct message_queue others = {0};
    struct message *found = NULL, *message;
    while ((message = message_queue_pop(&self->answers)) != NULL)
        if (message->id == id)
            found = message;
        else
            message_queue_push(&others, &message);
    self->answers = others;
    return found;
}

struct message *
asker_answer(struct asker *self, uint64_t id)
{
    struct message *message = find_answer(self, id);
    uint64_t deadline_ms = clock_deadline_ms(PATIENCE_MS);
    while (!message) {
        message = mailbox_receive(self->mailbox, clock_left_ms(deadline_ms));
        cr_assert_not_null(message, "request %llu of %llu was not answered", (unsigned long long)id,
                           (unsigned long long)self->asked);
        if (message->id != id)
            message_queue_push(&self->answers, &message);
    }
    return message;
}

bool
asker_has(struct asker *self, uint64_t id)
{
    struct message *message;
    while ((message = mailbox_receive(self->mailbox, 0)) != NULL)
        message_queue_push(&self->answers, &message);
    for (message = self->answers.first; message && message->id != id; message = message->next)
        continue;
    return message != NULL;
}

enum error
asker_outcome(struct asker *self, uint64_t id)
{
    owned(message_destroy) struct message *answer = asker_answer(self, id);
    return answer->reply.fault.error;
}

void
asker_set_param(struct message *message, unsigned field, const char *value)
{
    if (value)
        record_set_text(&message->params->base, field, text_from(&message->arena, value));
}

void
asker_set_records(struct message *message, const struct schema *schema, const char *records)
{
    const struct json *json;
    char *text = arena_copy(&message->arena, records, strlen(records) + 1);
    for (char *quote = text; (quote = strchr(quote, '\'')) != NULL;)
        *quote = '"';
    MUST(json_parse(&message->arena, text, strlen(text), &json));
    uint32_t count = json->type == JSON_ARRAY ? json->count : 1;
    const struct json *items = json->type == JSON_ARRAY ? json->items : json;
    message->records = records_new(&message->arena, count);
    for (uint32_t i = 0; i < count; i++)
        MUST(record_from_json(&message->arena, schema, &items[i], "",
                              &message->records->items[message->records->count++]));
}
