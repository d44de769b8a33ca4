// password.h - reads passwords from a terminal, a file or standard input. They are never arguments,
// which every user of the machine could read.
#ifndef DIORAMA_TOOLS_CLI_PASSWORD_H
#define DIORAMA_TOOLS_CLI_PASSWORD_H

#include <stdbool.h>

#include "proto/base/buffer.h"
#include "proto/base/error.h"

// Writes the password over `out`, with a NUL. It is the first line of `file` ("-" = standard
// input). If `file` is "", it is typed at the terminal without echo, twice if `is_new`; without a
// terminal it is the first line of standard input. Fails with ERR_INVALID (empty, differs),
// ERR_UNAVAILABLE (cannot be read, a signal came).
fallible password_read(const char *file, bool is_new, struct buffer *out);

// Overwrites the memory and frees it.
void password_finish(struct buffer *self);

#endif
