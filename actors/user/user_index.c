// user_index.c - the tables of rows, and what is made of users for them (user_index.h).
#include "actors/user/user_index.h"

#include "actors/user/user_family.h"
#include "actors/user/username.h"
#include "proto/records/user.h"

bool
user_is_administrator(const struct record *user)
{
    return user_of(user)->is_admin && user_of(user)->is_active;
}

static const struct texts *
name_of(struct arena *arena, const struct record *record)
{
    return texts_of_one(arena, username_key(arena, user_of(record)->username));
}

static const struct texts *
role_of(struct arena *arena, const struct record *record)
{
    return user_is_administrator(record)
               ? texts_of_one(arena, text_from(arena, USER_ROLE_ADMINISTRATOR))
               : NULL;
}

static const struct texts *
openness_of(struct arena *arena, const struct record *record)
{
    return user_of(record)->is_open ? texts_of_one(arena, text_from(arena, USER_OPEN_MARK)) : NULL;
}

// clang-format off
const struct index_row user_index[] = {
    {.id = INDEX_USER_NAME,     .form = INDEX_MADE,  .make = name_of},
    {.id = INDEX_USER_ADDRESS,  .form = INDEX_TEXTS, .member = USER_EMAIL},
    {.id = INDEX_USER_ROLE,     .form = INDEX_MADE,  .make = role_of},
    {.id = INDEX_USER_OPEN,     .form = INDEX_MADE,  .make = openness_of},
    {.id = INDEX_USER_USERNAME, .form = INDEX_ORDER, .member = USER_USERNAME},
    {.id = INDEX_USER_WORD,     .form = INDEX_MADE,  .make = list_rows_words},
    {0}};

const struct index_row session_index[] = {
    {.id = INDEX_SESSION_USER,    .form = INDEX_TEXT,   .member = SESSION_USER},
    {.id = INDEX_SESSION_EXPIRES, .form = INDEX_NUMBER, .member = SESSION_EXPIRES},
    {0}};

const struct index_row claim_index[] = {
    {.id = INDEX_CLAIM_USER, .form = INDEX_TEXT, .member = CLAIM_USER},
    {0}};

const struct index_family user_indexes = {
    .family = FAMILY_USER,
    .parts = 1,
    .count = 3,
    .kinds = {{KEY_USER, &user_schema, user_index},
              {KEY_SESSION, &user_session_schema, session_index},
              {KEY_CLAIM, &claim_schema, claim_index}}};

const struct list_rows user_lists = {
    .orders = {[LIST_NAME] = INDEX_USER_USERNAME, [LIST_WORD] = INDEX_USER_WORD}};
// clang-format on
