// user_bootstrap.c - prepares the stored users before the user actor runs. It makes the key that
// tokens are hashed with. With authentication it deactivates the accounts that were open without
// it, and makes an administrator if there is none. Stored indexes lead to them, so it reads no
// other users. It writes to the store directly, as no request is served yet.
#include "actors/user/user_bootstrap.h"

#include <stdio.h>
#include <stdlib.h>

#include "actors/user/password_hasher.h"
#include "actors/user/user_family.h"
#include "actors/user/user_index.h"
#include "actors/user/user_writes.h"
#include "actors/user/username.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "proto/message/audit.h"
#include "proto/message/partition.h"
#include "proto/records/user.h"
#include "store/key.h"

enum { RANDOM_BYTES = 15, BYTES_AT_ONCE = 1 << 20 };

// Two processes that start together must not have two keys.
static enum store_result
put_key(store_t *store, const struct store_address *address, const void *secret, size_t size)
{
    const struct store_guard absent = {*address, 0};
    const struct store_operation put = {.address = *address, .value = {secret, size}};
    const struct store_commit commit = {.id = store_version_new(),
                                        .guards = &absent,
                                        .guard_count = 1,
                                        .operations = &put,
                                        .operation_count = 1,
                                        .is_vital = true};
    return store_commit(store, &commit, clock_deadline_ms(USER_WRITES_DEADLINE_MS));
}

static fallible
prepare_key(store_t *store, sessions_t *sessions)
{
    unsigned char secret[SESSION_KEY_BYTES];
    const struct key key = key_of_tag(KEY_SECRET);
    const struct store_address address = {FAMILY_USER, 0, key_bytes(&key)};
    store_version_t version;
    void *value = NULL;
    size_t size = 0;
    enum store_result result = store_get(
        store, &address, clock_deadline_ms(USER_WRITES_DEADLINE_MS), &version, &value, &size);
    bool is_there = result == STORE_OK && size == sizeof secret;
    if (is_there)
        sessions_set_key(sessions, value);
    free(value);
    if (is_there)
        return OK;
    if (result != STORE_ABSENT)
        return fail(result == STORE_OK ? ERR_INTERNAL : store_error(result), "",
                    "the key of sessions cannot be read");
    sessions_key(sessions, secret);
    result = put_key(store, &address, secret, sizeof secret);
    if (result == STORE_CONFLICT)
        return prepare_key(store, sessions); // that of another process, which was faster
    return result == STORE_OK ? OK : fail(store_error(result), "", "users cannot be written");
}

// --- accounts that nobody vouches for ---

static void
set_flags(struct record *record, bool is_active)
{
    struct user *user = (struct user *)(void *)record;
    user->is_active = is_active;
    user->is_open = false;
    record_mark(record, USER_ACTIVE);
    record_mark(record, USER_OPEN);
}

// A session says itself what its user is: those of who is closed or gone end before.
static fallible
end_sessions(store_t *store, const struct text *user)
{
    owned(record_page_destroy) struct record_page *page =
        user_page(KEY_SESSION, INDEX_SESSION_USER, user);
    owned(user_writes_finish) struct user_writes writes = {0};
    do {
        TRY(user_page_read(page, store));
        for (size_t i = 0; i < page->count; i++)
            if (page->records[i])
                user_writes_add(&writes, KEY_SESSION, frozen_record(page->records[i]), NULL);
        TRY(user_writes_commit(&writes, store));
    } while (page->is_more);
    return OK;
}

// The server itself did it.
static void
audit_user(const char *operation, const struct record *user)
{
    struct audit_event event = {
        .kind = AUDIT_SECURITY, .operation = operation, .noun = "user", .outcome = 200};
    audit_name(record_key(user), event.key);
    audit_note(&event);
}

// Closes those of a page, which are whole.
static fallible
close_users(store_t *store, const struct record_page *page)
{
    owned(user_writes_finish) struct user_writes writes = {0};
    owned(arena_finish) struct arena arena = {0};
    for (size_t i = 0; i < page->count; i++) {
        const struct record *user = frozen_record(page->records[i]);
        if (!user)
            continue;
        struct record *closed = record_copy_flat(&arena, &user_schema, user);
        set_flags(closed, false);
        TRY(end_sessions(store, record_key(user)));
        user_writes_add(&writes, KEY_USER, user, closed);
        if (writes.values.size > BYTES_AT_ONCE)
            TRY(user_writes_commit(&writes, store));
    }
    return user_writes_commit(&writes, store);
}

static fallible
close_open_users(store_t *store)
{
    owned(arena_finish) struct arena arena = {0};
    owned(record_page_destroy) struct record_page *page =
        user_page(KEY_USER, INDEX_USER_OPEN, text_from(&arena, USER_OPEN_MARK));
    size_t closed = 0;
    do {
        TRY(user_page_read(page, store));
        TRY(close_users(store, page));
        for (size_t i = 0; i < page->count; i++) {
            if (page->records[i])
                audit_user("USER_CLOSED", frozen_record(page->records[i]));
            closed += page->records[i] != NULL;
        }
    } while (page->is_more);
    if (closed)
        log_info("users_closed", "count=%zu", closed);
    return OK;
}

// --- the first administrator ---

// Who cannot be read may be one: then no other is made.
static fallible
find_administrator(store_t *store, bool *ret_is_there)
{
    owned(arena_finish) struct arena arena = {0};
    owned(record_page_destroy) struct record_page *page =
        user_page(KEY_USER, INDEX_USER_ROLE, text_from(&arena, USER_ROLE_ADMINISTRATOR));
    *ret_is_there = false;
    bool is_damaged = false;
    do {
        TRY(user_page_read(page, store));
        for (size_t i = 0; i < page->count; i++) {
            *ret_is_there |= page->records[i] != NULL;
            is_damaged |= page->records[i] == NULL;
        }
    } while (page->is_more && !*ret_is_there);
    if (is_damaged && !*ret_is_there)
        return fail(ERR_INTERNAL, "",
                    "the only administrators are damaged (see the log); restore a backup");
    return OK;
}

// Takes the account out that has this very name: nobody vouches for it. What belonged to its user
// belongs to nobody then.
static fallible
remove_namesake(store_t *store, const struct text *name, struct user_writes *writes)
{
    owned(arena_finish) struct arena arena = {0};
    owned(record_page_destroy) struct record_page *page =
        user_page(KEY_USER, INDEX_USER_NAME, username_key(&arena, name));
    do {
        TRY(user_page_read(page, store));
        for (size_t i = 0; i < page->count; i++) {
            const struct record *user = frozen_record(page->records[i]);
            if (!user || !text_equal(user_of(user)->username, name))
                continue;
            TRY(end_sessions(store, record_key(user)));
            user_writes_add(writes, KEY_USER, user, NULL);
        }
    } while (page->is_more);
    return OK;
}

// Puts the new administrator in the place of an account with that name.
static fallible
write_administrator(store_t *store, const struct record *record)
{
    owned(user_writes_finish) struct user_writes writes = {0};
    TRY(remove_namesake(store, user_of(record)->username, &writes));
    user_writes_add(&writes, KEY_USER, NULL, record);
    return user_writes_commit(&writes, store);
}

// Standard output is for the operator. The log never has the password: others may keep it.
static void
tell_password(const char *name, const char *password)
{
    printf("dioramad: the administrator %s has the password %s (this is said once)\n", name,
           password);
    fflush(stdout);
}

static struct record *
new_administrator(struct arena *arena, const char *name, const char *hash)
{
    struct record *record = record_new(arena, &user_schema);
    record_set_text(record, USER_ID, key_generate_free(arena));
    record_set_text(record, USER_USERNAME, text_from(arena, name));
    record_set_text(record, USER_HASH, text_from(arena, hash));
    ((struct user *)(void *)record)->is_admin = true;
    record_mark(record, USER_ADMIN);
    set_flags(record, true);
    return record;
}

static fallible
make_administrator(store_t *store, const struct config *config)
{
    owned(arena_finish) struct arena arena = {0};
    char random[RANDOM_BYTES * 2 + 1], hash[PASSWORD_HASH_SIZE];
    unsigned char noise[RANDOM_BYTES];
    const char *password = config->auth_admin_password, *name = config->auth_admin_user;
    randombytes_buf(noise, sizeof noise);
    if (!*password)
        password = sodium_bin2hex(random, sizeof random, noise, sizeof noise);
    TRY(password_hash(text_from(&arena, password), hash));
    struct record *record = new_administrator(&arena, name, hash);
    TRY(write_administrator(store, record));
    audit_user("ADMINISTRATOR_MADE", record);
    log_info("administrator_made", "user=%s", name);
    if (password == random)
        tell_password(name, password);
    sodium_memzero(random, sizeof random);
    return OK;
}

fallible
user_bootstrap(store_t *store, const struct user_settings *settings)
{
    bool has_administrator;
    TRY(prepare_key(store, settings->sessions));
    if (!settings->config->auth_enabled || settings->requests.follows)
        return OK; // a follower has the users of its leader
    TRY(close_open_users(store));
    TRY(find_administrator(store, &has_administrator));
    return has_administrator ? OK : make_administrator(store, settings->config);
}
