// password.h - passwords come from a terminal, a file or standard input, never from an argument,
// which every user of the machine could read.
#ifndef DIORAMA_TOOLS_CLI_PASSWORD_H
#define DIORAMA_TOOLS_CLI_PASSWORD_H

#include <stdbool.h>

#include "proto/base/buffer.h"
#include "proto/base/error.h"

// Writes the password over `out`, with a NUL: the first line of `file` ("-" = standard input), or
// where `file` is "" what is typed at the terminal without echo, twice where `is_new`, or where
// standard input is none its first line. Fails with ERR_INVALID (empty, differs), ERR_UNAVAILABLE
// (cannot be read, a signal came).
fallible password_read(const char *file, bool is_new, struct buffer *out);

// Overwrites the memory before it is given back.
void password_finish(struct buffer *self);

#endif
