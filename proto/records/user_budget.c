// user_budget.c - the fields of a user's own limits: a row for each budget that limits one user.
#include "proto/records/user_budget.h"

#define LIMIT(id_, name_, most_, unit_, about_)                                                    \
    FIELD(USER_BUDGET_FIRST + BUDGET_##id_, struct user_budget, limits[BUDGET_##id_], name_,       \
          about_, .flags = FIELD_OPTIONAL, .unit = (unit_), .maximum = (most_)),
#define LIMIT_RATE(...) LIMIT(__VA_ARGS__)
#define LIMIT_AT_ONCE(...) LIMIT(__VA_ARGS__)
#define LIMIT_STORED(...) LIMIT(__VA_ARGS__)
#define LIMIT_SERVER(...) // no user's
#define X(id_, name_, kind_, local_, default_, most_, unit_, about_)                               \
    LIMIT_##kind_(id_, name_, most_, unit_, about_)

static const struct field user_budget_fields[] = {FIELD(USER_BUDGET_USER, struct user_budget, user,
                                                        "user", "Id of the user.",
                                                        .flags = FIELD_FIXED),
                                                  BUDGETS(X)};
#undef X

const struct schema user_budget_schema =
    SCHEMA(struct user_budget, "user_budget", "user_budgets", user_budget_fields);

const struct view user_budget_view_full = {.of = &user_budget_schema, .name = ""};
