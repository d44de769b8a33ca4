// user_family.h - the keys of the family "user" (table: store/README.md). All are in part 0.
#ifndef DIORAMA_ACTORS_USER_USER_FAMILY_H
#define DIORAMA_ACTORS_USER_USER_FAMILY_H

// Beside those of every actor (actor_family.h).
enum {
    KEY_USER = 'U',    // user id         -> user
    KEY_SESSION = 'T', // hash of a token -> session
    KEY_CLAIM = 'G',   // device key      -> user that it belongs to
    KEY_LIMITS = 'Q',  // user id         -> limits of the user's own
    KEY_SECRET = 'Y',  // nothing         -> what tokens are hashed with, at first
    KEY_LEAVER = 'W',  // user id         -> nothing: their device keys are given up
    KEY_ROTATED = 'R', // name            -> secret that took its place
};

#endif
