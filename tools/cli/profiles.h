// profiles.h - named servers and the login to each: the file `diorama/profiles` in $XDG_CONFIG_HOME
// (or ~/.config). It holds tokens, so its mode is 0600; a file that others may read is refused.
#ifndef DIORAMA_TOOLS_CLI_PROFILES_H
#define DIORAMA_TOOLS_CLI_PROFILES_H

#include <stddef.h>

#include "proto/base/arena.h"
#include "proto/base/buffer.h"
#include "proto/base/error.h"

enum { PROFILES_MAX = 64 };

// Texts are "" if unknown.
struct profile {
    const char *name; // 1 to 64 of A-Z a-z 0-9 . _ -
    const char *url;
    const char *username;
    const char *token;
};

// Embedded; all zero is a valid empty set. Texts given to it must live as long as it does.
struct profiles {
    struct profile items[PROFILES_MAX];
    size_t count;
    const char *current; // name, or NULL
    struct arena arena;
};

// Fills an empty set from the file; without a file or a home it stays empty. Fails with
// ERR_UNAVAILABLE (cannot be read), ERR_FORBIDDEN (others may read it), ERR_MALFORMED.
fallible profiles_read(struct profiles *self);

// Replaces the file in one step. Fails with ERR_UNAVAILABLE.
fallible profiles_write(const struct profiles *self);
void profiles_finish(struct profiles *self);

// The profile of this name, or NULL.
struct profile *profiles_find(struct profiles *self, const char *name);

// Adds a profile, its URL as profiles_take_url returns it; the first one becomes current. Fails
// with ERR_INVALID: bad name or URL, name exists, too many.
fallible profiles_add(struct profiles *self, const struct profile *profile);

// Removes one of them. If it was current, no profile is current any more.
void profiles_remove(struct profiles *self, const struct profile *profile);

// Checks a base URL and removes the slashes at its end. It needs http or https and a host; it has
// no password, blank, query or fragment. Fails with ERR_INVALID.
fallible profiles_take_url(struct profiles *self, const char *url, const char **ret_url);

#endif
