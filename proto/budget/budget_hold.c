// budget_hold.c - amounts that are taken and given back (budget_hold.h).
#include "proto/budget/budget_hold.h"

#include "proto/base/chars.h"

static void
begin(struct budget_hold *self, budget_book_t *book, enum budget budget, const char *payer,
      int64_t amount)
{
    *self = (struct budget_hold){.book = book, .budget = budget, .amount = amount};
    chars_copy(self->payer, sizeof self->payer, payer);
}

fallible
budget_hold_take(struct budget_hold *self, budget_book_t *book, enum budget budget,
                 const char *payer, int64_t amount)
{
    TRY(budget_book_take(book, budget, payer, amount));
    begin(self, book, budget, payer, amount);
    return OK;
}

fallible
budget_hold_await(struct budget_hold *self, budget_book_t *book, enum budget budget,
                  const char *payer, int64_t amount, uint64_t deadline_ms)
{
    TRY(budget_book_await(book, budget, payer, amount, deadline_ms));
    begin(self, book, budget, payer, amount);
    return OK;
}

fallible
budget_hold_more(struct budget_hold *self, int64_t amount)
{
    if (!self->book)
        return OK;
    TRY(budget_book_take(self->book, self->budget, self->payer, amount));
    self->amount += amount;
    return OK;
}

void
budget_hold_settle(struct budget_hold *self, int64_t amount)
{
    if (!self->book || self->amount == amount)
        return;
    budget_book_add(self->book, self->budget, self->payer, amount - self->amount);
    self->amount = amount;
}

void
budget_hold_move(struct budget_hold *self, struct budget_hold *to)
{
    *to = *self;
    *self = (struct budget_hold){0};
}

void
budget_hold_end(struct budget_hold *self)
{
    budget_hold_settle(self, 0);
    self->book = NULL;
}
