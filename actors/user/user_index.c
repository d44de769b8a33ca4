// user_index.c - the tables of rows, and what is made of users for them (user_index.h).
#include "actors/user/user_index.h"

#include "actors/user/user_lookup.h"
#include "actors/user/username.h"
#include "proto/records/user.h"

static const struct texts *
name_of(struct arena *arena, const struct record *record)
{
    return texts_of_one(arena, username_key(arena, user_of(record)->username));
}

static const struct texts *
role_of(struct arena *arena, const struct record *record)
{
    return user_is_administrator(user_of(record))
               ? texts_of_one(arena, text_from(arena, USER_ROLE_ADMINISTRATOR))
               : NULL;
}

// clang-format off
const struct index_row user_index[] = {
    {.id = INDEX_USER_NAME,    .form = INDEX_MADE,  .make = name_of},
    {.id = INDEX_USER_ADDRESS, .form = INDEX_TEXTS, .member = USER_EMAIL},
    {.id = INDEX_USER_ROLE,    .form = INDEX_MADE,  .make = role_of},
    {0}};

const struct index_row session_index[] = {
    {.id = INDEX_SESSION_USER,    .form = INDEX_TEXT,   .member = SESSION_USER},
    {.id = INDEX_SESSION_EXPIRES, .form = INDEX_NUMBER, .member = SESSION_EXPIRES},
    {0}};

const struct index_row claim_index[] = {
    {.id = INDEX_CLAIM_USER, .form = INDEX_TEXT, .member = CLAIM_USER},
    {0}};
// clang-format on
