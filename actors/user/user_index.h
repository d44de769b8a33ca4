// user_index.h - what the records of the user actor are found by in the store (index_records.h).
#ifndef DIORAMA_ACTORS_USER_USER_INDEX_H
#define DIORAMA_ACTORS_USER_USER_INDEX_H

#include "actors/runtime/index_records.h"

// Ids of rows: stored keys have them, so they are append-only.
enum user_index {
    INDEX_USER_NAME = 1,    // as names are compared (username_key)
    INDEX_USER_ADDRESS = 2, // each e-mail address
    INDEX_USER_ROLE = 3,    // USER_ROLE_ADMINISTRATOR
    INDEX_SESSION_USER = 4,
    INDEX_SESSION_EXPIRES = 5,
    INDEX_CLAIM_USER = 6,
};

// Under which INDEX_USER_ROLE has administrators who may log in.
#define USER_ROLE_ADMINISTRATOR "administrator"

// A table of rows for each kind of records.
extern const struct index_row user_index[];
extern const struct index_row session_index[];
extern const struct index_row claim_index[];

#endif
