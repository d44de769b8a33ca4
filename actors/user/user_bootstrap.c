// user_bootstrap.c - prepares the stored users before the user actor reads them. It makes the key
// that tokens are hashed with. With authentication it deactivates the accounts that were open
// without it, and makes an administrator if there is none. It writes to the store directly, as no
// request is served yet.
#include "actors/user/user_bootstrap.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/user/password_hasher.h"
#include "actors/user/user_family.h"
#include "actors/user/user_index.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/audit.h"
#include "proto/message/partition.h"
#include "proto/records/user.h"
#include "store/key.h"

enum {
    START_DEADLINE_MS = 30000,
    CLOSE_AT_ONCE = 200,
    RANDOM_BYTES = 15,
    WRITES_MOST = LIMIT_COMMIT_OPERATIONS, // a user who is closed changes one index record
};

// What is found among all stored users.
struct stored_users {
    struct arena arena;
    const char *name; // of the administrator to be made
    bool has_administrator;
    bool is_damaged;
    struct record *namesake; // another user with that name, or NULL
    struct record **open;    // users to be closed
    size_t open_count;
    size_t open_capacity;
};

// A few records that are written together, with their index records.
struct writing {
    struct buffer values;
    size_t count;
    struct key keys[WRITES_MOST];
    size_t offsets[WRITES_MOST + 1]; // of each value
    bool is_delete[WRITES_MOST];
    struct store_operation operations[WRITES_MOST];
};

static fallible
commit(store_t *store, const struct store_operation *operations, size_t count)
{
    const struct store_commit commit = {.id = store_version_new(),
                                        .operations = operations,
                                        .operation_count = count,
                                        .is_vital = true};
    enum store_result result = store_commit(store, &commit, clock_deadline_ms(START_DEADLINE_MS));
    return result == STORE_OK ? OK : fail(store_error(result), "", "users cannot be written");
}

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
    return store_commit(store, &commit, clock_deadline_ms(START_DEADLINE_MS));
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
    enum store_result result =
        store_get(store, &address, clock_deadline_ms(START_DEADLINE_MS), &version, &value, &size);
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

static void
add_open(struct stored_users *self, struct record *record)
{
    if (self->open_count == self->open_capacity) {
        size_t capacity = self->open_capacity ? self->open_capacity * 2 : 64;
        struct record **grown = arena_alloc(&self->arena, capacity * sizeof *grown);
        if (self->open_count)
            memcpy(grown, self->open, self->open_count * sizeof *grown);
        self->open = grown;
        self->open_capacity = capacity;
    }
    self->open[self->open_count++] = record;
}

static bool
read_user(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct stored_users *self = context;
    struct record *record;
    (void)key, (void)version;
    if (record_from_stored(&self->arena, &user_schema, value.data, value.size, &record) != OK) {
        self->is_damaged = true; // the actor, which reads them too, reports it
        return false;
    }
    const struct user *user = user_of(record);
    if (user->is_open)
        add_open(self, record);
    else if (user->is_admin && user->is_active)
        self->has_administrator = true;
    if (text_is(user->username, self->name))
        self->namesake = record;
    return true;
}

static fallible
read_users(store_t *store, struct stored_users *self)
{
    const struct key low = key_of_tag(KEY_USER), high = key_after(&low);
    enum store_result result =
        store_scan(store, FAMILY_USER, 0, key_bytes(&low), key_bytes(&high), false, 0,
                   clock_deadline_ms(START_DEADLINE_MS), read_user, self);
    return result == STORE_OK ? OK : fail(store_error(result), "", "users cannot be read");
}

static void
add_write(struct writing *self, const struct key *key, bool is_delete)
{
    assert(self->count < WRITES_MOST);
    self->keys[self->count] = *key;
    self->is_delete[self->count] = is_delete;
    self->offsets[++self->count] = self->values.size;
}

static void
add_index(void *context, const struct key *key, bool is_delete)
{
    add_write(context, key, is_delete);
}

// `after` takes the place of `before`; NULL = nothing.
static void
add_user(struct writing *self, const struct record *before, const struct record *after)
{
    const struct text *id = record_key(after ? after : before);
    const struct key key = key_of_text(KEY_USER, id);
    if (after)
        record_to_stored(after, &self->values);
    add_write(self, &key, !after);
    index_records_change(user_index, (struct bytes){text_bytes(id), text_size(id)}, before, after,
                         add_index, self);
}

static fallible
write_users(store_t *store, struct writing *self)
{
    for (size_t i = 0; i < self->count; i++)
        self->operations[i] = (struct store_operation){
            .address = {FAMILY_USER, 0, key_bytes(&self->keys[i])},
            .is_delete = self->is_delete[i],
            .value = {self->values.data + self->offsets[i],
                      self->offsets[i + 1] - self->offsets[i]},
        };
    return commit(store, self->operations, self->count);
}

static void
writing_destroy(struct writing **self)
{
    buffer_finish(&(*self)->values);
    free(*self);
}

static void
set_flags(struct record *record, bool is_active)
{
    struct user *user = (struct user *)(void *)record;
    user->is_active = is_active;
    user->is_open = false;
    record_mark(record, USER_ACTIVE);
    record_mark(record, USER_OPEN);
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

// Closes `count` users, at most CLOSE_AT_ONCE.
static fallible
close_users(store_t *store, struct record *const *users, size_t count)
{
    owned(writing_destroy) struct writing *writing = memory_take_zeroed(sizeof *writing);
    owned(arena_finish) struct arena arena = {0};
    for (size_t i = 0; i < count; i++) {
        struct record *closed = record_copy_flat(&arena, &user_schema, users[i]);
        set_flags(closed, false);
        add_user(writing, users[i], closed);
    }
    return write_users(store, writing);
}

static fallible
close_open_users(store_t *store, const struct stored_users *users)
{
    for (size_t i = 0; i < users->open_count; i += CLOSE_AT_ONCE) {
        size_t left = users->open_count - i;
        TRY(close_users(store, &users->open[i], left < CLOSE_AT_ONCE ? left : CLOSE_AT_ONCE));
    }
    for (size_t i = 0; i < users->open_count; i++)
        audit_user("USER_CLOSED", users->open[i]);
    if (users->open_count)
        log_info("users_closed", "count=%zu", users->open_count);
    return OK;
}

// Puts the new administrator in the place of an account with that name: nobody vouches for it. What
// belonged to its user belongs to nobody then.
static fallible
write_administrator(store_t *store, const struct stored_users *users, const struct record *record)
{
    owned(writing_destroy) struct writing *writing = memory_take_zeroed(sizeof *writing);
    if (users->namesake)
        add_user(writing, users->namesake, NULL);
    add_user(writing, NULL, record);
    return write_users(store, writing);
}

// Standard output is for the operator. The log never has the password: others may keep it.
static void
tell_password(const char *name, const char *password)
{
    printf("dioramad: the administrator %s has the password %s (this is said once)\n", name,
           password);
    fflush(stdout);
}

static fallible
make_administrator(store_t *store, const struct config *config, struct stored_users *users)
{
    char random[RANDOM_BYTES * 2 + 1], hash[PASSWORD_HASH_SIZE];
    unsigned char noise[RANDOM_BYTES];
    const char *password = config->auth_admin_password;
    randombytes_buf(noise, sizeof noise);
    if (!*password)
        password = sodium_bin2hex(random, sizeof random, noise, sizeof noise);
    TRY(password_hash(text_from(&users->arena, password), hash));
    struct record *record = record_new(&users->arena, &user_schema);
    record_set_text(record, USER_ID, key_generate_free(&users->arena));
    record_set_text(record, USER_USERNAME, text_from(&users->arena, users->name));
    record_set_text(record, USER_HASH, text_from(&users->arena, hash));
    ((struct user *)(void *)record)->is_admin = true;
    record_mark(record, USER_ADMIN);
    set_flags(record, true);
    TRY(write_administrator(store, users, record));
    audit_user("ADMINISTRATOR_MADE", record);
    log_info("administrator_made", "user=%s", users->name);
    if (password == random)
        tell_password(users->name, password);
    sodium_memzero(random, sizeof random);
    return OK;
}

fallible
user_bootstrap(store_t *store, const struct user_settings *settings)
{
    struct stored_users found = {.name = settings->config->auth_admin_user};
    TRY(prepare_key(store, settings->sessions));
    if (!settings->config->auth_enabled || settings->requests.follows)
        return OK; // a follower has the users of its leader
    enum error error = read_users(store, &found);
    if (error == OK && !found.is_damaged)
        error = close_open_users(store, &found);
    if (error == OK && !found.is_damaged && !found.has_administrator)
        error = make_administrator(store, settings->config, &found);
    arena_finish(&found.arena);
    return error;
}
