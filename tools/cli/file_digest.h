// file_digest.h - the digest of a file as text.
#ifndef DIORAMA_TOOLS_CLI_FILE_DIGEST_H
#define DIORAMA_TOOLS_CLI_FILE_DIGEST_H

#include "proto/base/error.h"

enum { FILE_DIGEST_BYTES = 65 };

// Writes SHA-256 of the file as lower-case hex with its NUL. Fails with ERR_UNAVAILABLE.
fallible file_digest(const char *path, char ret_digest[FILE_DIGEST_BYTES]);

#endif
