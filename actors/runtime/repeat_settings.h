// repeat_settings.h - how long the answers of requests with an Idempotency-Key are kept, and who
// may have how many.
#ifndef DIORAMA_ACTORS_RUNTIME_REPEAT_SETTINGS_H
#define DIORAMA_ACTORS_RUNTIME_REPEAT_SETTINGS_H

#include "proto/budget/budget_book.h"

struct repeat_settings {
    uint64_t lifetime_s;
    budget_book_t *book; // borrowed; NULL = no limits
};

#endif
