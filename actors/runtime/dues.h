// dues.h - what a stored record takes from the budgets of who pays for it. Actors enter what
// they read at the start, records or stored sums (due_sums.h), and keep the book by their changes.
// So the book is right after any crash. A record that names nobody (there are no users) is free.
//
// What a change adds is taken when it is staged, so that many requests of one batch cannot all
// find the same room; what it leaves free is given back when it is durable.
#ifndef DIORAMA_ACTORS_RUNTIME_DUES_H
#define DIORAMA_ACTORS_RUNTIME_DUES_H

#include "proto/budget/budget_book.h"
#include "proto/message/message.h"
#include "proto/record/record.h"

// Of one kind of records. All of them take their bytes in memory from `record_bytes`.
struct due_row {
    unsigned payer;      // id of the text member with the user who pays
    enum budget count;   // each record is one of these; BUDGET_COUNT = of none
    enum budget content; // member `size` counts towards this; BUDGET_COUNT = none
    unsigned size;       // id of that member
    unsigned more;       // id of another one that counts towards it too; 0 = none
};

enum { DUE_AMOUNTS = 3 };

// What one record takes.
struct dues {
    const struct text *payer; // borrowed; NULL: nobody pays
    enum budget budgets[DUE_AMOUNTS];
    int64_t amounts[DUE_AMOUNTS]; // records, bytes in memory, content
};

// NULL takes nothing.
struct dues dues_of_frozen(const struct due_row *row, const frozen_t *record);

// Whether the caller may put `after` (loose or frozen, of `schema`) in the place of `before` (NULL
// = nothing) as far as the budgets of who pays go. Without users everybody may. Fails with
// ERR_OVER_STORED_BUDGET.
fallible dues_check(budget_book_t *book, const struct due_row *row, const struct message *message,
                    const struct schema *schema, const frozen_t *before,
                    const struct record *after);

// Whether the caller has room for `amount` more of what they would pay for themselves.
fallible dues_check_amount(budget_book_t *book, enum budget budget, const struct message *message,
                           int64_t amount);

// A record that was read at the start.
void dues_enter(budget_book_t *book, const struct due_row *row, const frozen_t *record);
// What a payer takes with all records of the row, or gives back (due_sums.h).
void dues_enter_sum(budget_book_t *book, const struct due_row *row, const char *payer,
                    const int64_t amounts[DUE_AMOUNTS]);

// A change from `before` to `after` (either may be NULL) is staged; then it is durable, or it is
// dropped.
void dues_staged(budget_book_t *book, const struct due_row *row, const frozen_t *before,
                 const frozen_t *after);
void dues_settled(budget_book_t *book, const struct due_row *row, const frozen_t *before,
                  const frozen_t *after);
void dues_dropped(budget_book_t *book, const struct due_row *row, const frozen_t *before,
                  const frozen_t *after);

#endif
