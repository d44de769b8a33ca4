// request_budget.c - places of uploads, streams and queries (request_budget.h). The worker's
// thread.
#include "gateway/request/request_budget.h"

enum budget
request_budget_of(const struct route *route)
{
    if (route->reply.form == REPLY_STREAM)
        return BUDGET_STREAMS;
    const struct operation_row *operation = route_operation(route);
    if (operation && (operation->target == ALL_KINDS || operation->target == ALL_PARTS ||
                      operation->target == ALL_LISTS || operation->target == ALL_SCENES))
        return BUDGET_QUERIES;
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

fallible
request_budget_take(struct budget_hold *self, budget_book_t *book, const struct route *route,
                    const struct caller *caller)
{
    enum budget budget = request_budget_of(route);
    char payer[PAYER_SIZE];
    if (budget == BUDGET_COUNT || budget == BUDGET_QUERIES || !payer_counts(budget, caller))
        return OK;
    payer_of(caller, payer);
    return budget_hold_take(self, book, budget, payer, 1);
}

fallible
request_budget_begin_file(struct budget_hold *self, budget_book_t *book, const struct route *route,
                          const struct caller *caller)
{
    char payer[PAYER_SIZE];
    if (route->body != BODY_UPLOAD || !payer_counts(BUDGET_ASSET_BYTES, caller))
        return OK;
    payer_of(caller, payer);
    return budget_hold_take(self, book, BUDGET_ASSET_BYTES, payer, 0);
}

fallible
request_budget_await(struct budget_hold *self, budget_book_t *book, const struct route *route,
                     const struct caller *caller, uint64_t deadline_ms)
{
    char payer[PAYER_SIZE];
    if (request_budget_of(route) != BUDGET_QUERIES || !payer_counts(BUDGET_QUERIES, caller))
        return OK;
    payer_of(caller, payer);
    return budget_hold_await(self, book, BUDGET_QUERIES, payer, 1, deadline_ms);
}
