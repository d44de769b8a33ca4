// file_text.h - small files, whole.
#ifndef DIORAMA_TOOLS_CLI_FILE_TEXT_H
#define DIORAMA_TOOLS_CLI_FILE_TEXT_H

#include "proto/base/buffer.h"
#include "proto/base/error.h"

// Appends the file, or standard input where `path` is "-", at most 64 MiB. Fails with
// ERR_UNAVAILABLE or ERR_TOO_LARGE.
fallible file_text_read(const char *path, struct buffer *out);

// Replaces the file in one step by one that its owner alone may read. Fails with ERR_UNAVAILABLE;
// the old file stands then.
fallible file_text_replace(const char *path, const struct buffer *text);

// ERR_UNAVAILABLE with the path and what errno says of it.
fallible file_text_failed(const char *path);

#endif
