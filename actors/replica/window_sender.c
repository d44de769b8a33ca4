// window_sender.c - see window_sender.h.
#include "actors/replica/window_sender.h"

#include "proto/base/clock.h"

enum { ANSWER_WITHIN_MS = 30000 };

static fallible
send(struct window_sender *self, enum operation operation, struct window_part *part)
{
    struct message *message = message_create(operation);
    message->id = part->asked = ++self->asked;
    message->parcel = &part->batch->base;
    part->batch = NULL;
    enum error error = mailbox_send(self->mailbox, part->name, &message);
    message_destroy(&message);
    return error;
}

// Sends to all whom it concerns; *ret_sent says to how many.
static fallible
send_all(struct window_sender *self, enum operation operation, struct window_part *parts,
         unsigned count, unsigned *ret_sent)
{
    *ret_sent = 0;
    for (unsigned i = 0; i < count; i++) {
        parts[i].asked = 0;
        if (!parts[i].batch)
            continue;
        TRY(send(self, operation, &parts[i]));
        (*ret_sent)++;
    }
    return OK;
}

// Takes the batch back, and what the actor says of it. Not of what comes late, of an earlier
// window: OK and false.
static fallible
settle(struct message *answer, struct window_part *parts, unsigned count, bool *ret_is_answer)
{
    unsigned i = 0;
    while (i < count && parts[i].asked != answer->id)
        i++;
    *ret_is_answer = i < count;
    if (i == count)
        return OK;
    parts[i].batch = (struct copied_batch *)(void *)answer->parcel;
    answer->parcel = NULL;
    return answer->reply.fault.error == OK ? OK : fault_note_again(&answer->reply.fault);
}

fallible
window_send(struct window_sender *self, enum operation operation, copied_window_t *window)
{
    unsigned count, sent;
    struct window_part *parts = copied_window_parts(window, &count);
    uint64_t deadline_ms = clock_deadline_ms(ANSWER_WITHIN_MS);
    enum error error = OK;
    TRY(send_all(self, operation, parts, count, &sent));
    for (unsigned answered = 0; answered < sent;) {
        struct message *answer = mailbox_receive(self->mailbox, clock_left_ms(deadline_ms));
        if (!answer)
            return fail(ERR_UNAVAILABLE, "", "an actor does not take what was copied");
        bool is_answer;
        enum error settled = settle(answer, parts, count, &is_answer);
        error = settled != OK ? settled : error;
        answered += is_answer;
        message_destroy(&answer);
    }
    return error;
}
