// device_ownership.c - a device key belongs to the user who registered it first. The gateway asks
// before it sends a request on that names devices. Administrators may use all keys; those of a
// deleted user are free. Runs on the user actor's thread.
#include "actors/user/device_ownership.h"

#include "actors/repository/repository_fetch.h"
#include "actors/repository/repository_staged.h"
#include "actors/user/user_index.h"
#include "actors/user/user_state.h"
#include "proto/base/limits.h"
#include "proto/records/user.h"

static const struct claim *
claim_of(const frozen_t *record)
{
    return (const struct claim *)(const void *)frozen_record(record);
}

enum { CLAIMS_AT_ONCE = 100 }; // so many are read together

// --- what has to be known ---

static size_t
count_of(const struct message *message)
{
    return message->records ? message->records->count : 0;
}

// The claims of the request's devices from `first` on.
static fallible
need_claims(struct repository *repository, struct message *message, size_t first)
{
    struct needs needs = {0};
    for (size_t i = first; i < count_of(message) && i < first + CLAIMS_AT_ONCE; i++)
        needs_add(&needs, &message->arena, CLAIMS, 0, record_key(message->records->items[i]));
    return repository_need(repository, &needs, message);
}

// Who they belong to; their claims are known.
static fallible
need_owners(struct repository *repository, struct message *message, size_t first)
{
    struct needs needs = {0};
    for (size_t i = first; i < count_of(message) && i < first + CLAIMS_AT_ONCE; i++) {
        const struct claim *claim =
            claim_of(repository_latest(repository, CLAIMS, record_key(message->records->items[i])));
        if (claim)
            needs_add(&needs, &message->arena, USERS, 0, claim->user);
    }
    return repository_need(repository, &needs, message);
}

// The caller, the claims of all devices of the request, and whose they are.
static fallible
need_all(struct repository *repository, struct message *message)
{
    const frozen_t *caller;
    const struct text *user = text_from(&message->arena, message->caller.user);
    TRY(repository_fetch(repository, USERS, user, message, &caller));
    for (size_t i = 0; i < count_of(message); i += CLAIMS_AT_ONCE) {
        TRY(need_claims(repository, message, i));
        TRY(need_owners(repository, message, i));
    }
    return OK;
}

// --- whose it is ---

// The claim that holds, as it will be; NULL = the key is free.
static const struct claim *
find_claim(struct repository *repository, const struct text *device)
{
    const struct claim *claim = claim_of(repository_latest(repository, CLAIMS, device));
    return claim && repository_latest(repository, USERS, claim->user) ? claim : NULL;
}

// Whether the caller is still an active user: they may have been deactivated while the body was
// read, and then they may not enter a scene.
static fallible
check_caller(struct repository *repository, const struct message *message)
{
    struct arena arena = {0};
    const frozen_t *record =
        repository_latest(repository, USERS, text_from(&arena, message->caller.user));
    arena_finish(&arena);
    if (message->caller.role == CALLER_TRUSTED)
        return OK;
    if (!record || !user_of(frozen_record(record))->is_active)
        return fail(ERR_UNAUTHENTICATED, "", "the session has ended");
    return OK;
}

static fallible
check_all(struct repository *repository, struct message *message)
{
    TRY(need_all(repository, message));
    TRY(check_caller(repository, message));
    for (size_t i = 0; i < count_of(message); i++) {
        const struct claim *claim = find_claim(repository, record_key(message->records->items[i]));
        if (claim && !text_is(claim->user, message->caller.user) &&
            message->caller.role == CALLER_USER)
            return fail(ERR_FORBIDDEN, "", "device %.128s belongs to another user",
                        text_chars(claim->device));
    }
    return OK;
}

enum error
device_check(actor_t *actor, struct message *message)
{
    return check_all(repository_of(actor), message);
}

// For the claims of all devices of the request.
static struct room
room_for_claims(const struct message *message)
{
    size_t count = count_of(message), bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += record_frozen_size(&claim_schema, message->records->items[i]) + USER_ID_SIZE + 64;
    return room_for_records(count, bytes);
}

// How many of the request's devices belong to nobody yet.
static size_t
count_free(struct repository *repository, const struct message *message)
{
    size_t count = 0;
    for (size_t i = 0; i < count_of(message); i++)
        count += find_claim(repository, record_key(message->records->items[i])) == NULL;
    return count;
}

// Whether the user may have so many more.
static fallible
check_count(struct repository *repository, struct message *message, const struct text *user,
            size_t fresh)
{
    if (fresh == 0 || text_size(user) == 0)
        return OK;
    TRY(repository_need_by(repository, CLAIMS, INDEX_CLAIM_USER, user, message));
    size_t held = record_set_count(repository_posting(repository, CLAIMS, INDEX_CLAIM_USER, user));
    if (held + fresh > LIMIT_USER_DEVICES)
        return fail(ERR_INVALID, "", "a user may have at most %d devices", LIMIT_USER_DEVICES);
    return OK;
}

enum error
device_claim(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct text *user = text_from(&message->arena, message->caller.user);
    size_t count = count_of(message);
    TRY(check_all(repository, message));
    TRY(check_count(repository, message, user, count_free(repository, message)));
    TRY(repository_make_room(repository, message, room_for_claims(message)));
    bool is_new = false;
    for (size_t i = 0; i < count; i++) {
        struct record *record = message->records->items[i];
        if (find_claim(repository, record_key(record)))
            continue;
        record_set_text(record, CLAIM_USER, user);
        repository_put(repository, CLAIMS, record,
                       repository_latest(repository, CLAIMS, record_key(record)));
        is_new = true;
    }
    return is_new ? repository_answer_durable(repository, message) : OK;
}
