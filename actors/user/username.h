// username.h - which names a user may have, and when two names are one: UsernameCasePreserved and
// UsernameCaseMapped of RFC 8265. Pure; the only user of utf8proc.
#ifndef DIORAMA_ACTORS_USER_USERNAME_H
#define DIORAMA_ACTORS_USER_USERNAME_H

#include "proto/base/error.h"
#include "proto/base/text.h"

// The name as it is kept: full and half width characters become ordinary ones, parts of characters
// are composed, case stays. It is in the arena. Fails with ERR_INVALID at /username where it has
// characters that nobody could tell apart or type, blanks at its ends, or two writing directions.
fallible username_prepare(struct arena *arena, const struct text *name,
                          const struct text **ret_name);

// What names are compared by: the same without case. A name that RFC 8265 knows nothing of (a byte
// that is no UTF-8) stays as it is, so every name has one. It is in the arena.
const struct text *username_key(struct arena *arena, const struct text *name);

#endif
