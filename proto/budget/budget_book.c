// budget_book.c - payers and what they have, in shards (budget_book.h). Any thread.
#include "proto/budget/budget_book.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/base/table.h"
#include "proto/budget/payer.h"
#include "proto/budget/waiting_line.h"
#include "proto/message/metrics.h"

enum { SHARDS = 64 }; // by the upper six bits of a hash; the tables use the lower ones

struct account {
    uint64_t hash;
    char payer[PAYER_SIZE];
    int64_t held[BUDGET_COUNT];
    int64_t *own;     // limits of the payer's own, or NULL
    unsigned waiters; // threads that wait until something is given back, in
    struct waiting_line lines[BUDGET_COUNT];
};

struct shard {
    pthread_mutex_t lock;
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

// What a payer has of a budget, as those who wait for it know it.
struct account_room {
    struct room base;
    const budget_book_t *book;
    struct account *account;
    enum budget budget;
};

// More than the limit fits alone: it may be one body.
static bool
account_take(const struct room *room, int64_t amount)
{
    const struct account_room *self = (const struct account_room *)(const void *)room;
    if (self->account->held[self->budget] && !fits(self->book, self->budget, self->account, amount))
        return false;
    account_add(self->account, self->budget, amount);
    return true;
}

static struct account_room
room_of(const budget_book_t *self, struct shard *shard, struct account *account, enum budget budget)
{
    return (struct account_room){{account_take, &shard->lock}, self, account, budget};
}

// There may be room for those who wait.
static void
account_serve(const budget_book_t *self, struct shard *shard, struct account *account,
              enum budget budget)
{
    const struct account_room room = room_of(self, shard, account, budget);
    if (account->waiters)
        waiting_line_serve(&account->lines[budget], &room.base);
}

// Takes the amount if it fits, or waits for it; OK, or what kept it.
static enum error
account_await(const budget_book_t *self, struct shard *shard, struct account *account,
              enum budget budget, int64_t amount, uint64_t deadline_ms)
{
    const struct account_room room = room_of(self, shard, account, budget);
    struct waiting_line *line = &account->lines[budget];
    if (!line->first && account_take(&room.base, amount))
        return OK;
    if (account->waiters >= self->waiters)
        return ERR_OVER_BUDGET;
    account->waiters++;
    bool is_taken = waiting_line_await(line, &room.base, account->payer, amount, deadline_ms);
    account->waiters--;
    return is_taken ? OK : ERR_UNAVAILABLE;
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
    enum error error = account_await(self, shard, account, budget, amount, deadline_ms);
    int64_t most = limit_of(self, budget, account);
    account_close(shard, account);
    shard_leave(shard);
    if (error == ERR_OVER_BUDGET)
        return refuse(budget, most);
    if (error != OK)
        return fail(error, "", "the budget of %s did not have room in time",
                    budget_rows[budget].name);
    return OK;
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
    if (amount < 0)
        account_serve(self, shard, account, budget);
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
    for (unsigned i = 0; i < BUDGET_COUNT; i++)
        account_serve(self, shard, account, (enum budget)i);
    account_close(shard, account);
    shard_leave(shard);
}

enum error
budget_book_refuse(budget_book_t *self, enum budget budget, const char *payer)
{
    return refuse(budget, budget_book_limit(self, budget, payer));
}
