// user_budgets.c - limits of one user's own (user_budgets.h).
#include "actors/user/user_budgets.h"

#include "actors/repository/resource.h"
#include "actors/runtime/preconditions.h"
#include "actors/user/user_state.h"
#include "proto/records/user.h"
#include "proto/records/user_budget.h"

static fallible
check_user(const frozen_t *user, const struct message *message)
{
    if (!user)
        return fail(ERR_NOT_FOUND, "", "there is no user %s", text_chars(message->params->user));
    return OK;
}

enum error
user_budget_get(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct text *user = message->params->user;
    const frozen_t *account;
    TRY(repository_fetch(repository, USERS, user, message, &account));
    TRY(check_user(account, message));
    const frozen_t *budget = repository_find(repository, LIMITS, user);
    if (budget) {
        reply_add(message, budget);
        return OK;
    }
    struct record *nothing = record_new(&message->arena, &user_budget_schema);
    record_set_text(nothing, USER_BUDGET_USER, user);
    reply_add_loose(message, &user_budget_schema, nothing);
    return OK;
}

enum error
user_budget_put(actor_t *actor, struct message *message)
{
    struct repository *repository = repository_of(actor);
    const struct text *user = message->params->user;
    struct record *request, *record;
    const frozen_t *account;
    TRY(repository_fetch_latest(repository, USERS, user, message, &account));
    TRY(check_user(account, message));
    TRY(resource_request(message, &request));
    const frozen_t *before = repository_latest(repository, LIMITS, user);
    TRY(preconditions_check(message, frozen_record(before), &user_budget_view_full));
    TRY(record_merge(&message->arena, &user_budget_schema, NULL, request, LIST_OVERWRITE, &record));
    record_set_text(record, USER_BUDGET_USER, user);
    TRY(repository_make_room(repository, message,
                             room_for_records(1, record_frozen_size(&user_budget_schema, record))));
    reply_add(message, repository_put(repository, LIMITS, record, before));
    return repository_answer_durable(repository, message);
}

void
user_budget_committed(struct repository *repository, const frozen_t *before, const frozen_t *after)
{
    const struct user_actor *self = user_actor_of(&repository->base);
    int64_t limits[BUDGET_COUNT];
    const struct user_budget *set = user_budget_of(frozen_record(after));
    for (unsigned i = 0; set && i < BUDGET_COUNT; i++)
        limits[i] = record_has(&set->base, USER_BUDGET_FIRST + i) ? set->limits[i] : -1;
    budget_book_set_limits(self->book, text_chars(frozen_key(after ? after : before)),
                           set ? limits : NULL);
}

void
user_budget_end(struct repository *repository, const struct text *user)
{
    const frozen_t *budget = repository_latest(repository, LIMITS, user);
    if (budget)
        repository_delete(repository, LIMITS, budget);
}
