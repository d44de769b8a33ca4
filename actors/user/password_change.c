// password_change.c - a new password in the place of the present one. A handler that changes one
// runs up to three times: it asks for the proof, for the hash, and then writes.
#include "actors/user/password_change.h"

#include "actors/user/logins.h"
#include "actors/user/user_state.h"

static size_t
count_characters(const struct text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text_size(text); i++)
        count += ((unsigned char)text->data[i] & 0xc0) != 0x80; // not the rest of a character
    return count;
}

fallible
password_check(const struct user_actor *self, const struct text *password)
{
    if (!self->auth_enabled || count_characters(password) >= self->password_min)
        return OK;
    return fail(ERR_INVALID, "/password", "must have at least %zu characters", self->password_min);
}

// Whether the caller is the user, who proves with the present password that it is still them.
static bool
needs_proof(const struct user_actor *self, const struct message *message)
{
    return self->auth_enabled && message->caller.role == CALLER_USER;
}

// OK when the present password was right; the message has no parcel then.
static fallible
prove(struct user_actor *self, struct message *message, const struct user *request,
      const struct user *user)
{
    struct password_job *job = password_job_of(message);
    if (job && !job->is_check)
        return OK; // the hash is made: it was proven before
    if (text_size(request->current) == 0)
        return fail(ERR_MISSING, "/currentPassword", "is needed to change the password");
    TRY(login_take_try(self, message, user->username));
    TRY(password_queue_need(self, message, request->current, text_chars(user->hash), &job));
    if (!job->matches || !text_is(user->hash, job->hash))
        return fail(ERR_FORBIDDEN, "/currentPassword", "is wrong");
    login_note_proof(self, message, user->username);
    job->base.destroy(&job->base);
    message->parcel = NULL;
    return OK;
}

fallible
password_change(struct user_actor *self, struct message *message, const struct user *request,
                const struct user *user, struct password_job **ret_job)
{
    TRY(password_check(self, request->password));
    if (needs_proof(self, message))
        TRY(prove(self, message, request, user));
    return password_queue_need(self, message, request->password, NULL, ret_job);
}
