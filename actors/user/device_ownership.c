// device_ownership.c - whose each device key is: of the user who registered it first (decisions 8,
// 12). The gateway asks before it lets a request through that names devices. Administrators may use
// all; the keys of a user who is gone are free. Runs on the user actor's thread.
#include "actors/user/accounts.h"
#include "proto/base/limits.h"

static const struct claim *
claim_of(const struct record *record)
{
    return (const struct claim *)(const void *)record;
}

// The claim that still holds, as it will be, or NULL.
static const struct claim *
find_claim(struct ledger *ledger, const struct text *device)
{
    const struct claim *claim = claim_of(ledger_latest(ledger, CLAIMS, device));
    return claim && ledger_latest(ledger, USERS, claim->user) ? claim : NULL;
}

// Whether the caller is still somebody: a body may have taken so long that they are out meanwhile,
// and who is out enters no scene.
static fallible
check_caller(struct ledger *ledger, const struct message *message)
{
    struct arena arena = {0};
    const struct record *record =
        ledger_latest(ledger, USERS, text_from(&arena, message->caller.user));
    arena_finish(&arena);
    if (message->caller.role == CALLER_TRUSTED)
        return OK;
    if (!record || !((const struct user *)(const void *)record)->is_active)
        return fail(ERR_UNAUTHENTICATED, "", "the session has ended");
    return OK;
}

static fallible
check_all(struct ledger *ledger, const struct message *message)
{
    TRY(check_caller(ledger, message));
    size_t count = message->records ? message->records->count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct claim *claim = find_claim(ledger, record_key(message->records->items[i]));
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
    return check_all(ledger_of(actor), message);
}

// How many of the request's devices are nobody's yet.
static size_t
count_free(struct ledger *ledger, const struct message *message)
{
    size_t count = 0;
    for (size_t i = 0; message->records && i < message->records->count; i++)
        count += find_claim(ledger, record_key(message->records->items[i])) == NULL;
    return count;
}

enum error
device_claim(actor_t *actor, struct message *message)
{
    struct ledger *ledger = ledger_of(actor);
    const struct text *user = text_from(&message->arena, message->caller.user);
    size_t count = message->records ? message->records->count : 0, held;
    TRY(check_all(ledger, message));
    ledger_find_by(ledger, CLAIMS, CLAIM_USER, user, &held);
    size_t fresh = count_free(ledger, message);
    if (fresh > 0 && held + fresh > LIMIT_USER_DEVICES)
        return fail(ERR_INVALID, "", "a user may have at most %d devices", LIMIT_USER_DEVICES);
    TRY(ledger_make_room(ledger, message, count));
    bool is_new = false;
    for (size_t i = 0; i < count; i++) {
        struct record *record = message->records->items[i];
        if (find_claim(ledger, record_key(record)))
            continue;
        record_set_text(record, CLAIM_USER, user);
        ledger_put(ledger, CLAIMS, record, ledger_latest(ledger, CLAIMS, record_key(record)));
        is_new = true;
    }
    return is_new ? ledger_answer_durable(ledger, message) : OK;
}
