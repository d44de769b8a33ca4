// user_bootstrap.c - what is made sure of before the user actor reads its records (decisions 12):
// the key that tokens are hashed with; where users log in, that what everybody could do before
// counts for nothing, and that there is an administrator. Written directly: nobody asks for
// anything yet.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/user/accounts.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/codec/record_msgpack.h"
#include "proto/message/partition.h"
#include "store/key.h"

enum { START_DEADLINE_MS = 30000, CLOSE_AT_ONCE = 200, RANDOM_BYTES = 15 };

// What a look at all users finds.
struct survey {
    struct arena arena;
    const char *name; // of the administrator to be made
    bool has_administrator;
    bool is_damaged;
    struct record *namesake; // another user with that name, or NULL
    struct record **open;    // users to be closed
    size_t open_count;
    size_t open_capacity;
};

// A few records that are written together.
struct writing {
    struct buffer values;
    struct key keys[CLOSE_AT_ONCE];
    size_t offsets[CLOSE_AT_ONCE + 1];
    struct store_operation operations[CLOSE_AT_ONCE];
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
    const struct store_operation put = {.address = address, .value = {secret, sizeof secret}};
    return commit(store, &put, 1);
}

static void
survey_add_open(struct survey *self, struct record *record)
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
look_at_user(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct survey *self = context;
    struct record *record;
    (void)key, (void)version;
    if (record_from_stored(&self->arena, &user_schema, value.data, value.size, &record) != OK) {
        self->is_damaged = true; // whoever reads the users says so
        return false;
    }
    const struct user *user = user_of(record);
    if (user->is_open)
        survey_add_open(self, record);
    else if (user->is_admin && user->is_active)
        self->has_administrator = true;
    if (text_is(user->username, self->name))
        self->namesake = record;
    return true;
}

static fallible
survey(store_t *store, struct survey *self)
{
    const struct key low = key_of_tag(KEY_USER), high = key_after(&low);
    enum store_result result =
        store_scan(store, FAMILY_USER, 0, key_bytes(&low), key_bytes(&high), false, 0,
                   clock_deadline_ms(START_DEADLINE_MS), look_at_user, self);
    return result == STORE_OK ? OK : fail(store_error(result), "", "users cannot be read");
}

// Writes `count` users, at most CLOSE_AT_ONCE.
static fallible
put_users(store_t *store, struct record *const *users, size_t count)
{
    struct writing *writing = calloc(1, sizeof *writing);
    if (!writing)
        abort();
    for (size_t i = 0; i < count; i++) {
        writing->offsets[i] = writing->values.size;
        record_to_stored(users[i], &writing->values);
    }
    writing->offsets[count] = writing->values.size;
    for (size_t i = 0; i < count; i++) {
        writing->keys[i] = key_of_text(KEY_USER, record_key(users[i]));
        writing->operations[i] = (struct store_operation){
            .address = {FAMILY_USER, 0, key_bytes(&writing->keys[i])},
            .value = {writing->values.data + writing->offsets[i],
                      writing->offsets[i + 1] - writing->offsets[i]},
        };
    }
    enum error error = commit(store, writing->operations, count);
    buffer_finish(&writing->values);
    free(writing);
    return error;
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

static fallible
close_open_users(store_t *store, const struct survey *survey)
{
    for (size_t i = 0; i < survey->open_count; i++)
        set_flags(survey->open[i], false);
    for (size_t i = 0; i < survey->open_count; i += CLOSE_AT_ONCE) {
        size_t left = survey->open_count - i;
        TRY(put_users(store, &survey->open[i], left < CLOSE_AT_ONCE ? left : CLOSE_AT_ONCE));
    }
    if (survey->open_count)
        log_info("users_closed", "count=%zu", survey->open_count);
    return OK;
}

// An account of that name, which nobody vouches for, goes: what was its user's is nobody's then.
static fallible
drop_namesake(store_t *store, const struct survey *survey)
{
    if (!survey->namesake)
        return OK;
    const struct key key = key_of_text(KEY_USER, record_key(survey->namesake));
    const struct store_operation drop = {.address = {FAMILY_USER, 0, key_bytes(&key)},
                                         .is_delete = true};
    return commit(store, &drop, 1);
}

// Standard output is for the operator; the log, which others keep, never has it.
static void
tell_password(const char *name, const char *password)
{
    printf("dioramad: the administrator %s has the password %s (this is said once)\n", name,
           password);
    fflush(stdout);
}

static fallible
make_administrator(store_t *store, const struct config *config, struct survey *survey)
{
    char random[RANDOM_BYTES * 2 + 1], hash[PASSWORD_HASH_SIZE];
    unsigned char noise[RANDOM_BYTES];
    const char *password = config->auth_admin_password;
    randombytes_buf(noise, sizeof noise);
    if (!*password)
        password = sodium_bin2hex(random, sizeof random, noise, sizeof noise);
    TRY(password_hash(text_from(&survey->arena, password), hash));
    struct record *record = record_new(&survey->arena, &user_schema);
    record_set_text(record, USER_ID, key_generate_free(&survey->arena));
    record_set_text(record, USER_USERNAME, text_from(&survey->arena, survey->name));
    record_set_text(record, USER_HASH, text_from(&survey->arena, hash));
    ((struct user *)(void *)record)->is_admin = true;
    record_mark(record, USER_ADMIN);
    set_flags(record, true);
    TRY(drop_namesake(store, survey));
    TRY(put_users(store, &record, 1));
    log_info("administrator_made", "user=%s", survey->name);
    if (password == random)
        tell_password(survey->name, password);
    sodium_memzero(random, sizeof random);
    return OK;
}

fallible
user_bootstrap(store_t *store, const struct user_settings *settings)
{
    struct survey found = {.name = settings->config->auth_admin_user};
    TRY(prepare_key(store, settings->sessions));
    if (!settings->config->auth_enabled)
        return OK;
    enum error error = survey(store, &found);
    if (error == OK && !found.is_damaged)
        error = close_open_users(store, &found);
    if (error == OK && !found.is_damaged && !found.has_administrator)
        error = make_administrator(store, settings->config, &found);
    arena_finish(&found.arena);
    return error;
}
