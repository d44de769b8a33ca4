// stream_access.c - looks up the session of a stream again, and asks for its caller.
#include "gateway/events/stream_access.h"

#include <string.h>

#include "proto/base/clock.h"

enum { LOOK_MS = 250 }; // between two look-ups

fallible
stream_access_begin(struct stream_access *self, const struct asker *asker)
{
    *self = (struct stream_access){.rules = asker->auth, .route = asker->route};
    auth_token_take(asker->request, &self->token);
    return asker_identify(asker, &self->caller);
}

struct message *
stream_access_question(enum operation operation, const struct text *scene,
                       struct watching *watching)
{
    struct message *question = message_create(operation);
    question->parcel = watching ? &watching->base : NULL;
    record_set_text(&question->params->base, PARAMS_SCENE, text_copy(&question->arena, scene));
    return question;
}

// Who the caller is now; the address stays.
static fallible
identify(const struct stream_access *self, struct caller *ret_caller)
{
    struct caller caller = {.loopback = self->caller.loopback};
    memcpy(caller.peer, self->caller.peer, sizeof caller.peer);
    (void)auth_token_identify(&self->token, self->rules, clock_calendar_us(), &caller);
    TRY(auth_check(self->route, &caller, NULL));
    *ret_caller = caller;
    return OK;
}

fallible
stream_access_sign(const struct stream_access *self, struct message *question)
{
    return identify(self, &question->caller);
}

bool
stream_access_is_due(struct stream_access *self, uint64_t now_ms)
{
    if (!self->rules->enabled || now_ms < self->next_look_ms)
        return false;
    self->next_look_ms = now_ms + LOOK_MS;
    return true;
}

bool
stream_access_look(struct stream_access *self, bool *ret_changed)
{
    struct caller caller;
    if (identify(self, &caller) != OK || strcmp(caller.session, self->caller.session) != 0)
        return false;
    *ret_changed = caller.role != self->caller.role;
    self->caller = caller;
    return true;
}
