// request_budget.c - places of uploads, streams and queries (request_budget.h). The worker's
// thread.
#include "gateway/request/request_budget.h"

enum budget
request_budget_of(const struct route *route)
{
    if (route->reply.form == REPLY_STREAM)
        return BUDGET_STREAMS;
    switch (route->body) {
    case BODY_UPLOAD:
        return BUDGET_UPLOADS;
    case BODY_FILTERS:
    case BODY_FILTERS_OR_BARE:
    case BODY_QUERY:
        return BUDGET_QUERIES;
    default:
        return BUDGET_COUNT;
    }
}

// Notes what is held.
static void
hold(struct request_budget *self, budget_book_t *book, enum budget budget, const char *payer)
{
    self->book = book;
    self->budget = budget;
    memcpy(self->payer, payer, sizeof self->payer);
}

fallible
request_budget_take(struct request_budget *self, budget_book_t *book, const struct route *route,
                    const struct caller *caller)
{
    enum budget budget = request_budget_of(route);
    char payer[PAYER_SIZE];
    if (budget == BUDGET_COUNT || budget == BUDGET_QUERIES || !payer_counts(budget, caller))
        return OK;
    payer_of(caller, payer);
    TRY(budget_book_take(book, budget, payer, 1));
    hold(self, book, budget, payer);
    return OK;
}

fallible
request_budget_await(struct request_budget *self, budget_book_t *book, const struct route *route,
                     const struct caller *caller, uint64_t deadline_ms)
{
    char payer[PAYER_SIZE];
    if (request_budget_of(route) != BUDGET_QUERIES || !payer_counts(BUDGET_QUERIES, caller))
        return OK;
    payer_of(caller, payer);
    TRY(budget_book_await(book, BUDGET_QUERIES, payer, 1, deadline_ms));
    hold(self, book, BUDGET_QUERIES, payer);
    return OK;
}

void
request_budget_end(struct request_budget *self)
{
    if (self->book)
        budget_book_add(self->book, self->budget, self->payer, -1);
    self->book = NULL;
}
