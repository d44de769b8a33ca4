// budget_book.c - payers and what they have, in shards (budget_book.h). Any thread.
#include "proto/budget/budget_book.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/condition.h"
#include "proto/base/memory.h"
#include "proto/base/table.h"
#include "proto/budget/payer.h"
#include "proto/message/metrics.h"

enum { SHARDS = 64 }; // by the upper six bits of a hash; the tables use the lower ones

struct account {
    uint64_t hash;
    char payer[PAYER_SIZE];
    int64_t held[BUDGET_COUNT];
    int64_t *own;     // limits of the payer's own, or NULL
    unsigned waiters; // threads that wait until something is given back
};

struct shard {
    pthread_mutex_t lock;
    pthread_cond_t given_back;
    struct table accounts;
};

struct budget_book {
    int64_t limits[BUDGET_COUNT];
    unsigned waiters;
    _Atomic size_t own; // payers with limits of their own
    struct shard shards[SHARDS];
};

static bool
is_of(const void *value, const void *key)
{
    const struct account *account = value;
    return strcmp(account->payer, key) == 0;
}

static void
shard_init(struct shard *self)
{
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->given_back, NULL);
}

budget_book_t *
budget_book_create(const int64_t limits[BUDGET_COUNT], unsigned waiters)
{
    budget_book_t *self = memory_take_zeroed(sizeof *self);
    memcpy(self->limits, limits, sizeof self->limits);
    self->waiters = waiters;
    for (unsigned i = 0; i < BUDGET_COUNT; i++)
        gauge_add(GAUGE_BUDGET_LIMIT + i, limits[i]);
    for (unsigned i = 0; i < SHARDS; i++)
        shard_init(&self->shards[i]);
    return self;
}

static void
account_destroy(struct account *self)
{
    free(self->own);
    free(self);
}

static void
shard_finish(struct shard *self)
{
    size_t cursor = 0;
    for (struct account *account; (account = table_next(&self->accounts, &cursor)) != NULL;)
        account_destroy(account);
    table_finish(&self->accounts);
    pthread_cond_destroy(&self->given_back);
    pthread_mutex_destroy(&self->lock);
}

void
budget_book_destroy(budget_book_t **self)
{
    if (!*self)
        return;
    for (unsigned i = 0; i < SHARDS; i++)
        shard_finish(&(*self)->shards[i]);
    for (unsigned i = 0; i < BUDGET_COUNT; i++)
        gauge_add(GAUGE_BUDGET_LIMIT + i, -(*self)->limits[i]);
    free(*self);
    *self = NULL;
}

// The shard of a payer, locked.
static struct shard *
shard_enter(budget_book_t *self, uint64_t hash)
{
    struct shard *shard = &self->shards[hash >> 58];
    pthread_mutex_lock(&shard->lock);
    return shard;
}

static void
shard_leave(struct shard *self)
{
    pthread_mutex_unlock(&self->lock);
}

static struct account *
account_open(struct shard *shard, uint64_t hash, const char *payer)
{
    struct account *account = table_find(&shard->accounts, hash, is_of, payer);
    if (account)
        return account;
    account = memory_take_zeroed(sizeof *account);
    account->hash = hash;
    snprintf(account->payer, sizeof account->payer, "%s", payer);
    table_add(&shard->accounts, hash, account);
    return account;
}

// Removes an account that says nothing.
static void
account_close(struct shard *shard, struct account *account)
{
    if (account->own || account->waiters)
        return;
    for (unsigned i = 0; i < BUDGET_COUNT; i++)
        if (account->held[i])
            return;
    table_remove(&shard->accounts, account->hash, account);
    account_destroy(account);
}

static int64_t
limit_of(const budget_book_t *self, enum budget budget, const struct account *account)
{
    bool has_own = account && account->own && account->own[budget] >= 0;
    return has_own ? account->own[budget] : self->limits[budget];
}

static bool
fits(const budget_book_t *self, enum budget budget, const struct account *account, int64_t amount)
{
    int64_t most = limit_of(self, budget, account);
    return most == 0 || account->held[budget] + amount <= most;
}

static void
account_add(struct account *self, enum budget budget, int64_t amount)
{
    self->held[budget] += amount;
    assert(self->held[budget] >= 0);
    gauge_add(GAUGE_BUDGET_HELD + budget, amount);
}

static enum error
refuse(enum budget budget, int64_t most)
{
    counter_add(COUNT_BUDGET_REFUSED + budget, 1);
    return budget_refuse(budget, most);
}

int64_t
budget_book_limit(budget_book_t *self, enum budget budget, const char *payer)
{
    if (!self)
        return 0;
    if (atomic_load(&self->own) == 0)
        return self->limits[budget];
    uint64_t hash = table_hash_chars(payer);
    struct shard *shard = shard_enter(self, hash);
    int64_t most = limit_of(self, budget, table_find(&shard->accounts, hash, is_of, payer));
    shard_leave(shard);
    return most;
}

int64_t
budget_book_held(budget_book_t *self, enum budget budget, const char *payer)
{
    if (!self)
        return 0;
    uint64_t hash = table_hash_chars(payer);
    struct shard *shard = shard_enter(self, hash);
    const struct account *account = table_find(&shard->accounts, hash, is_of, payer);
    int64_t held = account ? account->held[budget] : 0;
    shard_leave(shard);
    return held;
}

fallible
budget_book_take(budget_book_t *self, enum budget budget, const char *payer, int64_t amount)
{
    if (!self)
        return OK;
    uint64_t hash = table_hash_chars(payer);
    struct shard *shard = shard_enter(self, hash);
    struct account *account = account_open(shard, hash, payer);
    bool is_taken = fits(self, budget, account, amount);
    int64_t most = limit_of(self, budget, account);
    if (is_taken)
        account_add(account, budget, amount);
    account_close(shard, account);
    shard_leave(shard);
    return is_taken ? OK : refuse(budget, most);
}

fallible
budget_book_check(budget_book_t *self, enum budget budget, const char *payer, int64_t amount)
{
    int64_t most = budget_book_limit(self, budget, payer);
    bool has_room = most == 0 || budget_book_held(self, budget, payer) + amount <= most;
    return has_room ? OK : refuse(budget, most);
}

// Waits until the amount fits, or the deadline.
static bool
account_await(const budget_book_t *self, struct shard *shard, struct account *account,
              enum budget budget, int64_t amount, uint64_t deadline_ms)
{
    bool is_in_time = true;
    account->waiters++;
    while (!fits(self, budget, account, amount) && is_in_time)
        is_in_time = condition_await(&shard->given_back, &shard->lock, deadline_ms);
    account->waiters--;
    return fits(self, budget, account, amount);
}

fallible
budget_book_await(budget_book_t *self, enum budget budget, const char *payer, int64_t amount,
                  uint64_t deadline_ms)
{
    if (!self)
        return OK;
    uint64_t hash = table_hash_chars(payer);
    struct shard *shard = shard_enter(self, hash);
    struct account *account = account_open(shard, hash, payer);
    bool has_place = fits(self, budget, account, amount) || account->waiters < self->waiters;
    bool is_taken = has_place && account_await(self, shard, account, budget, amount, deadline_ms);
    int64_t most = limit_of(self, budget, account);
    if (is_taken)
        account_add(account, budget, amount);
    account_close(shard, account);
    shard_leave(shard);
    if (is_taken)
        return OK;
    if (!has_place)
        return refuse(budget, most);
    return fail(ERR_UNAVAILABLE, "", "the budget of %s did not have room in time",
                budget_rows[budget].name);
}

void
budget_book_add(budget_book_t *self, enum budget budget, const char *payer, int64_t amount)
{
    if (!self)
        return;
    uint64_t hash = table_hash_chars(payer);
    struct shard *shard = shard_enter(self, hash);
    struct account *account = account_open(shard, hash, payer);
    account_add(account, budget, amount);
    if (amount < 0 && account->waiters)
        pthread_cond_broadcast(&shard->given_back);
    account_close(shard, account);
    shard_leave(shard);
}

void
budget_book_set_limits(budget_book_t *self, const char *payer, const int64_t *limits)
{
    if (!self)
        return;
    uint64_t hash = table_hash_chars(payer);
    struct shard *shard = shard_enter(self, hash);
    struct account *account = account_open(shard, hash, payer);
    if (account->own)
        atomic_fetch_sub(&self->own, 1);
    free(account->own);
    account->own = NULL;
    if (limits) {
        account->own = memory_take(sizeof account->held);
        memcpy(account->own, limits, sizeof account->held);
        atomic_fetch_add(&self->own, 1);
    }
    pthread_cond_broadcast(&shard->given_back);
    account_close(shard, account);
    shard_leave(shard);
}

enum error
budget_book_refuse(budget_book_t *self, enum budget budget, const char *payer)
{
    return refuse(budget, budget_book_limit(self, budget, payer));
}
