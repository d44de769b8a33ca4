// dues.c - amounts of records, and how changes move them (dues.h). The thread of the actor.
#include "actors/runtime/dues.h"

static int64_t
integer_of(const struct record *record, unsigned id)
{
    const struct field *field = schema_field(record->schema, id);
    return field && record_has(record, id) ? MEMBER_CONST(int64_t, record, field) : 0;
}

static int64_t
content_of(const struct due_row *row, const struct record *record)
{
    if (row->content == BUDGET_COUNT)
        return 0;
    return integer_of(record, row->size) + (row->more ? integer_of(record, row->more) : 0);
}

static struct dues
dues_of(const struct due_row *row, const struct record *record, size_t bytes)
{
    struct dues dues = {.budgets = {row->count, BUDGET_RECORD_BYTES, row->content}};
    if (!record)
        return dues;
    dues.payer = record_text(record, row->payer);
    dues.amounts[0] = 1;
    dues.amounts[1] = (int64_t)bytes;
    dues.amounts[2] = content_of(row, record);
    return dues;
}

// A packed record costs what it costs plain: it is the same whether it rests or not.
struct dues
dues_of_frozen(const struct due_row *row, const frozen_t *frozen)
{
    struct opened room;
    const struct record *record = frozen_open(frozen, &room);
    if (!record)
        return dues_of(row, NULL, 0);
    bool is_packed = frozen_is_packed(frozen);
    return dues_of(row, record,
                   is_packed ? record_frozen_size(record->schema, record) : record_size(frozen));
}

// How much more `after` takes than `before` does of what both pay for together; all of it where
// others paid before.
static int64_t
rise(const struct dues *before, const struct dues *after, unsigned i)
{
    bool is_same = text_equal(before->payer, after->payer);
    int64_t more = after->amounts[i] - (is_same ? before->amounts[i] : 0);
    return more > 0 ? more : 0;
}

// Adds the rise from `from` to `to`, times `sign`, to who pays for `to`.
static void
move(budget_book_t *book, const struct dues *from, const struct dues *to, int sign)
{
    if (text_size(to->payer) == 0)
        return;
    for (unsigned i = 0; i < DUE_AMOUNTS; i++) {
        int64_t more = rise(from, to, i);
        if (more && to->budgets[i] < BUDGET_COUNT)
            budget_book_add(book, to->budgets[i], text_chars(to->payer), sign * more);
    }
}

static bool
has_users(const struct message *message)
{
    return message->caller.role != CALLER_TRUSTED;
}

fallible
dues_check(budget_book_t *book, const struct due_row *row, const struct message *message,
           const struct schema *schema, const frozen_t *before, const struct record *after)
{
    struct dues old = dues_of_frozen(row, before);
    struct dues new = dues_of(row, after, record_frozen_size(schema, after));
    if (!book || !has_users(message) || text_size(new.payer) == 0)
        return OK;
    for (unsigned i = 0; i < DUE_AMOUNTS; i++) {
        int64_t more = rise(&old, &new, i);
        if (more && new.budgets[i] < BUDGET_COUNT)
            TRY(budget_book_check(book, new.budgets[i], text_chars(new.payer), more));
    }
    return OK;
}

fallible
dues_check_amount(budget_book_t *book, enum budget budget, const struct message *message,
                  int64_t amount)
{
    if (!book || amount == 0 || !has_users(message) || !message->caller.user[0])
        return OK;
    return budget_book_check(book, budget, message->caller.user, amount);
}

void
dues_staged(budget_book_t *book, const struct due_row *row, const frozen_t *before,
            const frozen_t *after)
{
    struct dues old = dues_of_frozen(row, before), new = dues_of_frozen(row, after);
    move(book, &old, &new, 1);
}

void
dues_settled(budget_book_t *book, const struct due_row *row, const frozen_t *before,
             const frozen_t *after)
{
    struct dues old = dues_of_frozen(row, before), new = dues_of_frozen(row, after);
    move(book, &new, &old, -1);
}

void
dues_dropped(budget_book_t *book, const struct due_row *row, const frozen_t *before,
             const frozen_t *after)
{
    struct dues old = dues_of_frozen(row, before), new = dues_of_frozen(row, after);
    move(book, &old, &new, -1);
}

void
dues_enter(budget_book_t *book, const struct due_row *row, const frozen_t *record)
{
    dues_staged(book, row, NULL, record);
}

void
dues_enter_sum(budget_book_t *book, const struct due_row *row, const char *payer,
               const int64_t amounts[DUE_AMOUNTS])
{
    const struct dues budgets = dues_of(row, NULL, 0);
    for (unsigned i = 0; i < DUE_AMOUNTS; i++)
        if (amounts[i] && budgets.budgets[i] < BUDGET_COUNT)
            budget_book_add(book, budgets.budgets[i], payer, amounts[i]);
}
