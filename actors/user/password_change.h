// password_change.h - who may set which password: how long one must be where users log in, and who
// must know the present one. The user actor's thread.
#ifndef DIORAMA_ACTORS_USER_PASSWORD_CHANGE_H
#define DIORAMA_ACTORS_USER_PASSWORD_CHANGE_H

#include "actors/user/password_queue.h"
#include "proto/records/user.h"

// Fails with ERR_INVALID at /password where users log in and it has too few characters.
fallible password_check(const struct user_actor *self, const struct text *password);

// Makes the hash of the new password in `request` for `user`. Users who are no administrators prove
// first that they know the present one. Parks the message as password_queue_need does. Fails with
// ERR_MISSING or ERR_FORBIDDEN at /currentPassword, with ERR_THROTTLED after too many guesses.
fallible password_change(struct user_actor *self, struct message *message,
                         const struct user *request, const struct user *user,
                         struct password_job **ret_job);

#endif
