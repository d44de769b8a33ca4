// user_actor.c - the tables of the user actor: what it keeps, and what it can be asked; its start
// and its end.
#include "actors/user/user_actor.h"

#include "actors/repository/export.h"
#include "actors/repository/record_copy.h"
#include "actors/repository/repository_fetch.h"
#include "actors/repository/resource_lists.h"
#include "actors/user/accounts.h"
#include "actors/user/device_ownership.h"
#include "actors/user/device_release.h"
#include "actors/user/logins.h"
#include "actors/user/password_queue.h"
#include "actors/user/session_report.h"
#include "actors/user/token_secret.h"
#include "actors/user/user_bootstrap.h"
#include "actors/user/user_budgets.h"
#include "actors/user/user_erase.h"
#include "actors/user/user_export.h"
#include "actors/user/user_index.h"
#include "actors/user/user_state.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/records/export_item.h"
#include "proto/records/secret.h"
#include "proto/records/user.h"
#include "proto/records/user_budget.h"

enum { SIGN_UP_SLOTS = 4096, LOOK_MS = 60000 };

// clang-format off
static const struct repository_kind kinds[USER_KINDS] = {
    [SECRETS]  = {.tag = KEY_ROTATED, .schema = &secret_schema,       .committed = token_secret_committed},
    [USERS]    = {.tag = KEY_USER,    .schema = &user_schema,         .committed = user_committed, .stored = user_index, .lists = &user_lists, .topic = &topics[TOPIC_USERS], .is_cached = true},
    [SESSIONS] = {.tag = KEY_SESSION, .schema = &user_session_schema, .index_count = 1, .indexes = {SESSION_USER},  .committed = session_committed, .stored = session_index},
    [CLAIMS]   = {.tag = KEY_CLAIM,   .schema = &claim_schema,        .stored = claim_index, .is_cached = true},
    [LIMITS]   = {.tag = KEY_LIMITS,  .schema = &user_budget_schema,  .committed = user_budget_committed},
    [LEAVERS]  = {.tag = KEY_LEAVER,  .schema = &leaver_schema},
};

static const struct resource_list user_projects = {&user_resource, USER_PROJECTS, PARAMS_PROJECT};
static const struct resource_list user_scenes = {&user_resource, USER_SCENES, PARAMS_SCENE};

// What of them belongs to a user. The id of a session is what its token is known by.
static const struct export_row exported[] = {
    {.noun = "account", .kind = USERS,    .owner = USER_ID,          .member = EXPORT_ITEM_USER},
    {.noun = "budget",  .kind = LIMITS,   .owner = USER_BUDGET_USER, .member = EXPORT_ITEM_BUDGET},
    {.noun = "device",  .kind = CLAIMS,   .owner = CLAIM_USER,       .member = EXPORT_ITEM_CLAIM, .index = INDEX_CLAIM_USER},
    {.noun = "session", .kind = SESSIONS, .owner = SESSION_USER,     .member = EXPORT_ITEM_SESSION, .left_out = FIELD_BIT(SESSION_ID)},
    {0}};

static const struct user_flag promoted = {USER_ADMIN, true};
static const struct user_flag demoted = {USER_ADMIN, false};
static const struct user_flag activated = {USER_ACTIVE, true};
static const struct user_flag deactivated = {USER_ACTIVE, false};

// clang-format on

static void
drain_users(actor_t *actor)
{
    sessions_sweep(user_actor_of(actor));
    device_release_turn(user_actor_of(actor));
    repository_drained(actor);
}

static int
timeout_ms(actor_t *actor)
{
    if (sessions_sweep_goes_on(user_actor_of(actor)))
        return 0;
    int retry_ms = repository_timeout_ms(actor);
    int release_ms = device_release_timeout_ms(user_actor_of(actor));
    int next_ms = retry_ms >= 0 && retry_ms < LOOK_MS ? retry_ms : LOOK_MS;
    return release_ms >= 0 && release_ms < next_ms ? release_ms : next_ms;
}

// The threads that hash passwords belong to this actor alone.
static enum error
open_users(actor_t *actor)
{
    struct user_actor *self = user_actor_of(actor);
    for (unsigned i = 0; i < self->passwords; i++) {
        char name[MAILBOX_NAME_SIZE];
        password_mailbox(i, name);
        TRY(password_create(name, &self->hashers[i]));
    }
    return repository_open(actor);
}

static void
close_users(actor_t *actor)
{
    struct user_actor *self = user_actor_of(actor);
    for (unsigned i = 0; i < self->passwords; i++)
        password_destroy(&self->hashers[i], actor->mailbox);
    password_queue_finish(self);
    login_throttle_destroy(&self->throttle);
    rates_destroy(&self->sign_ups);
    record_walk_restart(&self->expired);
    repository_close(actor);
}

// clang-format off
static const struct actor_behaviour behaviour = {
    .operations = {
        [SIGN_UP]           = {user_sign_up},
        [USER_FIND]         = {user_find, &user_resource, .is_long = true},
        [USER_GET]          = {resource_get, &user_resource},
        [USER_UPDATE]       = {user_update},
        [USER_DELETE]       = {resource_delete, &user_resource},
        [USER_ADD_PROJECT]  = {resource_add, &user_projects},
        [USER_DROP_PROJECT] = {resource_remove, &user_projects},
        [USER_ADD_SCENE]    = {resource_add, &user_scenes},
        [USER_DROP_SCENE]   = {resource_remove, &user_scenes},
        [USER_BUDGET_GET]   = {user_budget_get},
        [USER_BUDGET_PUT]   = {user_budget_put},
        [USER_ERASE]        = {user_erase, &user_resource},
        [USER_EXPORT]       = {user_export, exported, .is_long = true},
        [USER_PROMOTE]      = {user_set_flag, &promoted},
        [USER_DEMOTE]       = {user_set_flag, &demoted},
        [USER_ACTIVATE]     = {user_set_flag, &activated},
        [USER_DEACTIVATE]   = {user_set_flag, &deactivated},
        [LOGIN]             = {user_login},
        [LOGOUT]            = {user_logout},
        [TOKENS_ROTATE]     = {token_secret_rotate},
        [SESSION_GET]       = {session_report},
        [DEVICE_CLAIM]      = {device_claim},
        [DEVICE_CHECK]      = {device_check},
        [PASSWORD_DONE]     = {password_queue_done},
        [EXPEL]             = {repository_acknowledged},
        [ERASE_SCENES]      = {repository_acknowledged},
        [ERASE_LIBRARY]     = {repository_acknowledged},
        [DEVICES_RELEASE]   = {device_release, NULL, device_release_goes_on},
        [COPY_NEED]         = {record_copy_need},
        [COPY_APPLY]        = {record_copy_apply},
        [COMMITTED]         = {repository_committed, .finish = repository_goes_on, .is_apart = true},
        [RECALLED]          = {repeats_recalled},
        [CATALOGUE_TELL]    = {repository_told},
        [PAGE_READ]         = {repository_fetched},
        [LIST_READ]         = {repository_listed},
    },
    .open = open_users,
    .drained = drain_users,
    .timeout_ms = timeout_ms,
    .stopping = repository_is_done,
    .close = close_users,
};
// clang-format on

fallible
user_actor_create(store_t *store, const struct user_settings *settings, user_actor_t **ret_actor)
{
    const struct repository_settings repository = {
        .family = FAMILY_USER,
        .name = actor_mailbox(USER_ACTOR),
        .committer = settings->committer,
        .reader = "reader.user",
        .memory = settings->memory,
        .kinds = kinds,
        .kind_count = USER_KINDS,
        .gauge = GAUGE_RECORDS_USERS,
        .behaviour = &behaviour,
        .store = store,
        .shards = settings->shards,
        .requests = settings->requests,
    };
    TRY(user_bootstrap(store, settings));
    struct user_actor *self = memory_take_zeroed(sizeof *self);
    self->sessions = settings->sessions;
    self->throttle = login_throttle_create();
    self->sign_ups = rates_create(SIGN_UP_SLOTS);
    self->book = settings->book;
    self->auth_enabled = settings->config->auth_enabled;
    self->epoch = settings->epoch;
    self->password_min = (size_t)settings->config->auth_password_min;
    self->passwords = settings->passwords;
    TRY(repository_create(&self->repository, &repository));
    *ret_actor = self;
    return OK;
}

struct index_family
user_actor_indexes(void)
{
    return user_indexes;
}

void
user_actor_destroy(user_actor_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->repository.base, from);
    *self = NULL;
}
