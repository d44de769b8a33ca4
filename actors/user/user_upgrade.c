// user_upgrade.c - goes through stored sessions and device keys, and asks for the user of each
// (user_upgrade.h).
#include "actors/user/user_upgrade.h"

#include "actors/user/user_family.h"
#include "actors/user/user_writes.h"
#include "proto/base/owned.h"
#include "proto/records/user.h"

// What becomes of one record whose user is this (NULL = there is none).
typedef void upgrader(struct user_writes *writes, struct arena *arena, const struct record *record,
                      const struct user *user);

// What belongs to a user who cannot be read stays as it is, as there is nothing to go by: OK, and
// logged.
static fallible
upgrade_record(store_t *store, struct user_writes *writes, const struct record *record,
               unsigned owner, upgrader *upgrade)
{
    owned(arena_finish) struct arena arena = {0};
    owned(record_page_destroy) struct record_page *page =
        user_page_of_key(KEY_USER, record_text(record, owner));
    TRY(user_page_read(page, store));
    bool is_damaged = page->count > 0 && !page->records[0];
    if (!is_damaged)
        upgrade(writes, &arena, record,
                user_of(page->count > 0 ? frozen_record(page->records[0]) : NULL));
    return OK;
}

// A commit for each page.
static fallible
upgrade_all(store_t *store, key_tag_t tag, unsigned owner, upgrader *upgrade)
{
    owned(record_page_destroy) struct record_page *page = user_page(tag, 0, NULL);
    owned(user_writes_finish) struct user_writes writes = {0};
    do {
        TRY(user_page_read(page, store));
        for (size_t i = 0; i < page->count; i++)
            if (page->records[i])
                TRY(upgrade_record(store, &writes, frozen_record(page->records[i]), owner,
                                   upgrade));
        TRY(user_writes_commit(&writes, store));
    } while (page->is_more);
    return OK;
}

static void
upgrade_session(struct user_writes *writes, struct arena *arena, const struct record *record,
                const struct user *user)
{
    if (!user || !user->is_active) {
        user_writes_add(writes, KEY_SESSION, record, NULL);
        return;
    }
    struct record *after = record_copy(arena, &user_session_schema, record);
    ((struct user_session *)(void *)after)->is_admin = user->is_admin;
    record_mark(after, SESSION_ADMIN);
    record_set_integer(after, SESSION_REVOCATIONS, user->revocations);
    if (record_differences(record, after) != 0) // else an earlier start has written it
        user_writes_add(writes, KEY_SESSION, record, after);
}

fallible
user_upgrade_sessions(store_t *store)
{
    return upgrade_all(store, KEY_SESSION, SESSION_USER, upgrade_session);
}

static void
upgrade_claim(struct user_writes *writes, struct arena *arena, const struct record *record,
              const struct user *user)
{
    (void)arena;
    if (!user)
        user_writes_add(writes, KEY_CLAIM, record, NULL);
}

fallible
user_upgrade_claims(store_t *store)
{
    return upgrade_all(store, KEY_CLAIM, CLAIM_USER, upgrade_claim);
}
