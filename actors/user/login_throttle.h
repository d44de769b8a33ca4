// login_throttle.h - how often a password may be guessed (decisions 13; reliability R12). Pure: the
// time is passed in. Memory is bounded. An address may fail so often, an address at one account
// more seldom. An account that many addresses fail at is *besieged*: then an address that never
// logged in to it gets one try and waits. Who logged in to it from there before is not touched by
// what others do: the owner gets in.
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
// Returns 0 where it may go on, else how many ms until it may; then nothing was counted.
uint64_t login_throttle_try(login_throttle_t *self, const char *account, const char *peer,
                            uint64_t now_ms);

// The try was right: it is not counted, and the address is one of the account's from now on.
void login_throttle_succeed(login_throttle_t *self, const char *account, const char *peer,
                            uint64_t now_ms);

// The try was never decided (no room, no answer): it is not counted.
void login_throttle_forget(login_throttle_t *self, const char *account, const char *peer,
                           uint64_t now_ms);

// Whether somebody logged in to the account from there in the last 90 days.
bool login_throttle_knows(const login_throttle_t *self, const char *account, const char *peer,
                          uint64_t now_ms);

#endif
