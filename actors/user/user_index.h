// user_index.h - what the records of the user actor are found by in the store (index_records.h).
#ifndef DIORAMA_ACTORS_USER_USER_INDEX_H
#define DIORAMA_ACTORS_USER_USER_INDEX_H

#include "actors/runtime/list_rows.h"

// Ids of rows: stored keys have them, so they are append-only.
enum user_index {
    INDEX_USER_NAME = 1,    // as names are compared (username_key)
    INDEX_USER_ADDRESS = 2, // each e-mail address
    INDEX_USER_ROLE = 3,    // USER_ROLE_ADMINISTRATOR
    INDEX_SESSION_USER = 4,
    INDEX_SESSION_EXPIRES = 5,
    INDEX_CLAIM_USER = 6,
    INDEX_USER_OPEN = 7,     // USER_OPEN_MARK
    INDEX_USER_USERNAME = 8, // as it is
    INDEX_USER_WORD = 9,     // each word that a search finds it by (list_words)
};

// Under which INDEX_USER_ROLE has administrators who may log in.
#define USER_ROLE_ADMINISTRATOR "administrator"

// Under which INDEX_USER_OPEN has accounts that are closed once users log in.
#define USER_OPEN_MARK "open"

// An administrator who may log in.
bool user_is_administrator(const struct record *user);

// A table of rows for each kind of records.
extern const struct index_row user_index[];
extern const struct index_row session_index[];
extern const struct index_row claim_index[];

// All of them.
extern const struct index_family user_indexes;

// By which of them users are listed.
extern const struct list_rows user_lists;

#endif
