// file_text.h - reads and replaces small files as a whole.
#ifndef DIORAMA_TOOLS_CLI_FILE_TEXT_H
#define DIORAMA_TOOLS_CLI_FILE_TEXT_H

#include "proto/base/buffer.h"
#include "proto/base/error.h"

// Appends the file, or standard input where `path` is "-", at most 64 MiB. Fails with
// ERR_UNAVAILABLE or ERR_TOO_LARGE.
fallible file_text_read(const char *path, struct buffer *out);

// Replaces the file in one step by one that only its owner may read. Fails with ERR_UNAVAILABLE and
// leaves the old file.
fallible file_text_replace(const char *path, const struct buffer *text);

// Fails with ERR_UNAVAILABLE; the detail is the path and the text of errno.
fallible file_text_failed(const char *path);

#endif
