// stream_access.c - asks scene actors about watching, and looks up the session again.
#include "gateway/events/stream_access.h"

#include <string.h>

#include "proto/base/clock.h"

enum { LOOK_MS = 250 }; // between two look-ups

fallible
stream_access_ask(const struct stream_access *self, enum operation operation,
                  const struct text *scene, struct watching *watching, struct message **ret_answer)
{
    struct message *message = message_create(operation);
    message->parcel = watching ? &watching->base : NULL;
    record_set_text(&message->params->base, PARAMS_SCENE, text_copy(&message->arena, scene));
    enum error error = actor_client_ask(self->client, self->asker, &message);
    if (error == OK && message->reply.fault.error != OK)
        error = fail(message->reply.fault.error, "", "%s", message->reply.fault.detail);
    if (error == OK && ret_answer) {
        *ret_answer = message;
        message = NULL;
    }
    message_destroy(&message);
    return error;
}

bool
stream_access_is_due(struct stream_access *self, uint64_t now_ms)
{
    if (!self->asker->auth->enabled || now_ms < self->next_look_ms)
        return false;
    self->next_look_ms = now_ms + LOOK_MS;
    return true;
}

bool
stream_access_look(struct stream_access *self, bool *ret_changed)
{
    struct caller caller;
    if (asker_identify(self->asker, &caller) != OK ||
        strcmp(caller.session, self->caller.session) != 0)
        return false;
    *ret_changed = caller.role != self->caller.role;
    self->caller = caller;
    return true;
}
