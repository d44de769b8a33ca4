// terminal_text.h - makes text of strangers safe for a terminal and tells its width.
#ifndef DIORAMA_TOOLS_CLI_TERMINAL_TEXT_H
#define DIORAMA_TOOLS_CLI_TERMINAL_TEXT_H

#include <stddef.h>

#include "proto/base/buffer.h"

// Appends one character of `chars` (`left` bytes, at least one). Returns the columns that it takes,
// and in `ret_step` its bytes. Characters that control a terminal or change the writing direction,
// and bytes that are not UTF-8, become `?`.
size_t terminal_text_put_one(struct buffer *out, const char *chars, size_t left, size_t *ret_step);

// Appends all of `chars` and its NUL.
void terminal_text_put(struct buffer *out, const char *chars);

// The columns that text written by terminal_text_put takes.
size_t terminal_text_width(const char *chars);

#endif
