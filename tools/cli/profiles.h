// profiles.h - servers by name, with the login at each: the file `diorama/profiles` in
// $XDG_CONFIG_HOME (or ~/.config). It holds tokens: mode 0600, and what others may read is refused.
#ifndef DIORAMA_TOOLS_CLI_PROFILES_H
#define DIORAMA_TOOLS_CLI_PROFILES_H

#include <stddef.h>

#include "proto/base/arena.h"
#include "proto/base/buffer.h"
#include "proto/base/error.h"

enum { PROFILES_MAX = 64 };

// Texts are "" where nothing is known.
struct profile {
    const char *name; // 1 to 64 of A-Z a-z 0-9 . _ -
    const char *url;
    const char *username;
    const char *token;
};

// Embedded; all zero is a valid empty set. Texts given to it must live as long, those read do.
struct profiles {
    struct profile items[PROFILES_MAX];
    size_t count;
    const char *current; // name, or NULL
    struct arena arena;
};

// Fills an empty set from the file; a file that is not there, and no home, is an empty set. Fails
// with ERR_UNAVAILABLE (cannot be read), ERR_FORBIDDEN (others may read it), ERR_MALFORMED.
fallible profiles_read(struct profiles *self);

// Replaces the file in one step. Fails with ERR_UNAVAILABLE.
fallible profiles_write(const struct profiles *self);
void profiles_finish(struct profiles *self);

// The profile of this name, or NULL.
struct profile *profiles_find(struct profiles *self, const char *name);

// Adds one, its URL as profiles_take_url has it; the first is the current one. Fails
// with ERR_INVALID: name or URL is none, exists, too many.
fallible profiles_add(struct profiles *self, const struct profile *profile);

// Removes one of them; without a current one where it was that.
void profiles_remove(struct profiles *self, const struct profile *profile);

// Takes a base URL, without the slashes at its end. Fails with ERR_INVALID where it is none: http
// or https, a host, no password, no blank, query or fragment.
fallible profiles_take_url(struct profiles *self, const char *url, const char **ret_url);

#endif
