// terminal_text.h - text of strangers on a terminal: nothing in it steers, and its width is known.
#ifndef DIORAMA_TOOLS_CLI_TERMINAL_TEXT_H
#define DIORAMA_TOOLS_CLI_TERMINAL_TEXT_H

#include <stddef.h>

#include "proto/base/buffer.h"

// Appends one character of `chars` (`left` bytes, at least one) and gives the columns that it takes
// and in `ret_step` its bytes. What could steer a terminal (control characters, changes of writing
// direction) and what is not UTF-8 becomes `?`.
size_t terminal_text_put_one(struct buffer *out, const char *chars, size_t left, size_t *ret_step);

// Appends all of `chars` and its NUL.
void terminal_text_put(struct buffer *out, const char *chars);

// Columns of what was put.
size_t terminal_text_width(const char *chars);

#endif
