// accounts.c - accounts: sign-up, changes, roles. The gateway has already decided that the caller
// is the user in question or an administrator. Runs on the user actor's thread.
#include "actors/user/accounts.h"

#include "actors/repository/resource_lists.h"
#include "actors/user/device_release.h"
#include "actors/user/logins.h"
#include "actors/user/password_change.h"
#include "actors/user/user_budgets.h"
#include "actors/user/user_erase.h"
#include "actors/user/user_index.h"
#include "actors/user/user_lookup.h"
#include "actors/user/user_state.h"
#include "actors/user/username.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/origin.h"
#include "proto/message/list_query.h"
#include "proto/message/partition.h"
#include "proto/records/user.h"

// In milliseconds.
static const struct rate sign_up_rate = {.burst = 200, .interval = 100};

static struct user *
user_edit(struct record *record)
{
    return (struct user *)(void *)record;
}

// --- rules for every write ---

// Who asked may have lost their session since the gateway looked: while a password was hashed, a
// record was read, or there was no room.
static fallible
check_caller(struct repository *repository, struct message *message)
{
    const struct caller *caller = &message->caller;
    if (caller->role == CALLER_TRUSTED || !caller->session[0])
        return OK;
    const frozen_t *session =
        repository_latest(repository, SESSIONS, text_from(&message->arena, caller->session));
    if (!session || (caller->role == CALLER_ADMIN && !session_is_admin(session)))
        return fail(ERR_UNAUTHENTICATED, "", "the session has ended");
    return OK;
}

// What is looked up is known (user_lookup_need). A name that stays is not compared: users from
// before names were compared keep theirs.
static fallible
check_names(struct repository *repository, struct message *message, const struct user *before,
            const struct user *user)
{
    struct user_actor *self = user_actor_of(&repository->base);
    bool is_new = !before || !text_equal(before->username, user->username);
    if (is_new && user_lookup_name_is_taken(self, &message->arena, user))
        return fail(ERR_CONFLICT, "", "this username is taken");
    if (user_lookup_address_is_taken(self, &message->arena, user))
        return fail(ERR_CONFLICT, "", "this e-mail address is taken");
    return OK;
}

// With authentication there must be somebody who can activate users.
static fallible
check_last_administrator(struct repository *repository, struct message *message,
                         const struct user *before, const struct user *after)
{
    struct user_actor *self = user_actor_of(&repository->base);
    if (!self->auth_enabled || !before || !user_is_administrator(&before->base) ||
        (after && user_is_administrator(&after->base)) ||
        user_lookup_has_other_administrator(self, &message->arena, before))
        return OK;
    return fail(ERR_CONFLICT, "", "this is the last active administrator");
}

// Whether the change ends the sessions of the user.
static bool
ends_sessions(const struct user *before, const struct user *after)
{
    return !after || (before->is_active && !after->is_active) ||
           (before->is_admin && !after->is_admin) || !text_equal(before->hash, after->hash);
}

// A user who may see less than before leaves the scenes that they may not see; one who is
// deactivated or deleted leaves all. What they register once they have access again stays: it has
// the new number of revocations.
static void
expel(struct repository *repository, struct message *message, const struct user *before,
      struct record *after)
{
    const struct user *new = user_of(after);
    bool is_out = !new || (before->is_active && !new->is_active);
    if (!is_out && !(before->is_admin && !new->is_admin))
        return;
    int64_t revocations = before->revocations + 1;
    if (after)
        record_set_integer(after, USER_REVOCATIONS, revocations);
    struct effect *effect = effect_new(message, EXPEL, before->id, revocations);
    effect->may_stay = !is_out;
    record_mark(&effect->base, EFFECT_MAY_STAY);
    outbox_stage(&repository->outbox, message, 0, effect);
}

static fallible
before_write(struct repository *repository, struct message *message, const frozen_t *before,
             struct record *after)
{
    const struct user *old = user_of(frozen_record(before)), *new = user_of(after);
    TRY(user_lookup_need(user_actor_of(&repository->base), message, old, new));
    TRY(check_caller(repository, message));
    TRY(check_last_administrator(repository, message, old, new));
    if (new)
        TRY(check_names(repository, message, old, new));
    if (!new)
        user_budget_end(repository, old->id);
    if (old && ends_sessions(old, new))
        sessions_revoke(repository, message, old->id);
    else if (old && !old->is_admin && new->is_admin)
        sessions_promote(repository, message, old->id);
    if (!new)
        device_release_stage(repository, message, old->id);
    if (!new) // before they are expelled: from then on they cannot register again
        user_erase_stage(repository, message, ERASE_SCENES, old->id);
    if (old)
        expel(repository, message, old, after);
    if (!new)
        user_erase_stage(repository, message, ERASE_LIBRARY, old->id);
    return OK;
}

const struct resource user_resource = {
    .noun = "user",
    .kind = USERS,
    .key = USER_ID,
    .param = PARAMS_USER,
    .owner = NO_FIELD,
    .is_public = NO_FIELD,
    .basics = FIELD_BIT(USER_USERNAME) | FIELD_BIT(USER_EMAIL),
    .view = &user_view_full,
    .before_write = before_write,
    // Sessions, limits of their own, what gives up their devices, effects.
    .extra = {USER_ENDS + 5,
              (USER_ENDS + 5) * WRITE_COST + 4 * EFFECT_BYTES + (USER_ENDS * SESSION_BYTES)},
};

void
user_committed(struct repository *repository, const frozen_t *before, const frozen_t *after)
{
    if (!after) // what they asked for may still wait here, for a hash
        actor_end_sessions(&repository->base, user_of(frozen_record(before))->id, ALL_SESSIONS);
}

// --- requests ---

static fallible
request_user(const struct message *message, struct user **ret_user)
{
    if (!message->records || message->records->count == 0)
        return fail(ERR_MISSING, "", "a body is needed");
    *ret_user = user_edit(message->records->items[0]);
    return OK;
}

// Makes a single address a list of one, and a name the one that is kept, unless it stays (`before`,
// or NULL). An empty name or password counts as absent.
static fallible
normalize_request(struct message *message, struct user *request, const struct user *before)
{
    bool stays = before && text_equal(before->username, request->username);
    if (text_size(request->email_text) && texts_count(request->email) == 0) {
        request->email = texts_of_one(&message->arena, request->email_text);
        record_mark(&request->base, USER_EMAIL);
    }
    if (text_size(request->username) == 0)
        request->base.present &= ~FIELD_BIT(USER_USERNAME);
    if (text_size(request->password) == 0)
        request->base.present &= ~FIELD_BIT(USER_PASSWORD);
    if (record_has(&request->base, USER_USERNAME) && !stays)
        return username_prepare(&message->arena, request->username, &request->username);
    return OK;
}

static void
set_flag(struct record *record, unsigned id, bool value)
{
    MEMBER(bool, record, schema_field(record->schema, id)) = value;
    record_mark(record, id);
}

// Puts the hash in the place of the password, and marks what was set without authentication.
static void
seal(struct message *message, struct record *record, const struct password_job *job)
{
    if (job)
        record_set_text(record, USER_HASH, text_from(&message->arena, job->hash));
    user_edit(record)->password = user_edit(record)->current = NULL;
    record->present &= ~(FIELD_BIT(USER_PASSWORD) | FIELD_BIT(USER_CURRENT));
    if (message->caller.role == CALLER_TRUSTED)
        set_flag(record, USER_OPEN, true);
}

// Counts the sign-ups of one address; of IPv6 those of its network.
static fallible
take_sign_up(struct user_actor *self, struct message *message)
{
    char origin[ORIGIN_SIZE];
    origin_of(message->caller.peer, origin);
    uint64_t key = rates_key(self->sign_ups, 0, origin, NULL);
    uint64_t wait_ms = rates_take(self->sign_ups, key, &sign_up_rate, clock_now_ms());
    if (wait_ms == 0)
        return OK;
    record_set_integer(&reply_envelope(message)->base, ENVELOPE_RETRY_AFTER_S,
                       rate_wait_s(wait_ms));
    return fail(ERR_THROTTLED, "", "too many sign-ups from this address");
}

static fallible
new_user(struct message *message, const struct user *request, struct record **ret_record)
{
    struct record *record;
    TRY(record_merge(&message->arena, &user_schema, record_new(&message->arena, &user_schema),
                     &request->base, LIST_OVERWRITE, &record));
    record_set_text(record, USER_ID, key_generate_free(&message->arena));
    if (!record_has(record, USER_ACTIVE))
        set_flag(record, USER_ACTIVE, true);
    *ret_record = record;
    return OK;
}

enum error
user_sign_up(actor_t *actor, struct message *message)
{
    struct user_actor *self = user_actor_of(actor);
    struct user *request;
    struct record *record;
    struct password_job *job;
    TRY(request_user(message, &request));
    TRY(normalize_request(message, request, NULL));
    if (!record_has(&request->base, USER_USERNAME))
        return fail(ERR_MISSING, "/username", "is needed");
    if (!record_has(&request->base, USER_PASSWORD))
        return fail(ERR_MISSING, "/password", "is needed");
    TRY(password_check(self, request->password));
    TRY(new_user(message, request, &record));
    TRY(user_lookup_need(self, message, NULL, user_of(record)));
    TRY(check_names(&self->repository, message, NULL, user_of(record)));
    if (!message->parcel)
        TRY(take_sign_up(self, message));
    TRY(password_queue_need(self, message, request->password, NULL, &job));
    seal(message, record, job);
    return resource_write(&self->repository, &user_resource, message, NULL, record);
}

enum error
user_update(actor_t *actor, struct message *message)
{
    struct user_actor *self = user_actor_of(actor);
    const frozen_t *before;
    struct user *request;
    struct record *edit, *after;
    struct password_job *job = NULL;
    TRY(resource_latest(&self->repository, &user_resource, message, &before));
    TRY(request_user(message, &request));
    const struct user *user = user_of(frozen_record(before));
    TRY(normalize_request(message, request, user));
    TRY(resource_edit(&user_resource, message, &user->base, &request->base, &edit));
    if (record_has(&request->base, USER_PASSWORD))
        TRY(password_change(self, message, request, user, &job));
    TRY(record_merge(&message->arena, &user_schema, frozen_record(before), edit,
                     params_list_mode(message->params), &after));
    seal(message, after, job);
    return resource_write(&self->repository, &user_resource, message, before, after);
}

enum error
user_set_flag(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct user_flag *flag = actor_operation_of(actor, message)->of;
    const frozen_t *before;
    TRY(resource_latest(repository, &user_resource, message, &before));
    struct record *after = record_copy(&message->arena, &user_schema, frozen_record(before));
    set_flag(after, flag->field, flag->value);
    if (flag->value)
        seal(message, after, NULL);
    return resource_write(repository, &user_resource, message, before, after);
}

// Whether the request names the user that it looks for.
static bool
has_name(const struct message *message)
{
    const struct record *filter =
        message->records && message->records->count ? message->records->items[0] : NULL;
    return filter && (record_has(filter, USER_USERNAME) || record_has(filter, USER_EMAIL));
}

// Users are told about themselves.
static fallible
find_own(struct repository *repository, struct message *message)
{
    const frozen_t *own;
    const struct text *id = text_from(&message->arena, message->caller.user);
    TRY(repository_fetch(repository, USERS, id, message, &own));
    if (!own || !has_name(message) ||
        !record_matches(frozen_record(own), message->records->items[0]))
        return fail(ERR_FORBIDDEN, "", "this is for that user and for administrators");
    reply_add(message, own);
    return OK;
}

// Those of whom a name or an address is known, which few have, in the order of their keys.
static fallible
find_named(struct repository *repository, struct message *message)
{
    const struct record *filter = message->records->items[0];
    const struct user *named = user_of(filter);
    bool has_username = text_size(named->username) > 0;
    unsigned row = has_username ? INDEX_USER_NAME : INDEX_USER_ADDRESS;
    const struct text *value =
        has_username ? username_key(&message->arena, named->username) : named->email->items[0];
    struct page page = page_of(message);
    size_t count;
    TRY(repository_need_by(repository, USERS, row, value, message));
    const frozen_t *const *found =
        record_set_items(repository_posting(repository, USERS, row, value), &count);
    for (size_t i = 0; i < count && page.left; i++)
        if (record_matches(frozen_record(found[i]), filter))
            page_add(&page, message, found[i]);
    return OK;
}

// Whether what the request asks for is found by a name or an address.
static bool
is_by_name(const struct message *message)
{
    if (list_is_asked(message) || !has_name(message))
        return false;
    const struct user *named = user_of(message->records->items[0]);
    return text_size(named->username) > 0 ||
           (texts_count(named->email) > 0 && text_size(named->email->items[0]) > 0);
}

// Administrators find anybody, others only themselves.
enum error
user_find(actor_t *actor, struct message *message)
{
    bool is_user = message->caller.role == CALLER_USER;
    if (is_user && list_is_asked(message))
        return fail(ERR_FORBIDDEN, "", "lists of users are for administrators");
    if (is_user)
        return find_own(repository_of(actor), message);
    return is_by_name(message) ? find_named(repository_of(actor), message)
                               : resource_list(actor, message);
}
