// erased_users.c - a ring of ids (erased_users.h).
#include "actors/runtime/erased_users.h"

#include <stdio.h>
#include <string.h>

bool
erased_users_have(const struct erased_users *self, const char *id)
{
    for (unsigned i = 0; i < self->count; i++)
        if (strcmp(self->ids[i], id) == 0)
            return true;
    return false;
}

void
erased_users_add(struct erased_users *self, const char *id)
{
    if (strlen(id) >= USER_ID_SIZE || erased_users_have(self, id))
        return; // longer than any id: nobody can have it
    snprintf(self->ids[self->next], USER_ID_SIZE, "%s", id);
    self->next = (self->next + 1) % ERASED_USERS_MOST;
    if (self->count < ERASED_USERS_MOST)
        self->count++;
}
