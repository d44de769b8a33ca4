// login_throttle.h - how often a password may be guessed. Pure: the time is passed in. Memory is
// bounded. There is a rate for the failures of an address, and a lower one for its failures at one
// account. An account at which many addresses fail is *throttled*: an address that never logged in
// to it gets one try and then waits. An address that did is not slowed by the failures of others,
// so the owner gets in.
#ifndef DIORAMA_ACTORS_USER_LOGIN_THROTTLE_H
#define DIORAMA_ACTORS_USER_LOGIN_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct login_throttle login_throttle_t;

login_throttle_t *login_throttle_create(void);
// Accepts NULL.
void login_throttle_destroy(login_throttle_t **self);

// One try at `account` (a name, whether or not there is such a user) from `peer` (a numeric
// address; of IPv6 the first 64 bits count). It counts as failed until login_throttle_succeed.
// Returns 0 if the try may be made. Else it returns the ms until then, and counts nothing.
uint64_t login_throttle_try(login_throttle_t *self, const char *account, const char *peer,
                            uint64_t now_ms);

// The try was right: it is not counted, and the address is known for the account from now on.
void login_throttle_succeed(login_throttle_t *self, const char *account, const char *peer,
                            uint64_t now_ms);

// The try was not decided (no room, no answer): it is not counted.
void login_throttle_forget(login_throttle_t *self, const char *account, const char *peer,
                           uint64_t now_ms);

// Whether somebody logged in to the account from this address in the last 90 days.
bool login_throttle_knows(const login_throttle_t *self, const char *account, const char *peer,
                          uint64_t now_ms);

#endif
