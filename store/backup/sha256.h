// sha256.h - SHA-256 of much data, by OpenSSL, which uses what the processor has for it: about five
// times as fast as libsodium's.
#ifndef DIORAMA_STORE_BACKUP_SHA256_H
#define DIORAMA_STORE_BACKUP_SHA256_H

#include <stddef.h>

#include "store/backup/backup_file.h"

// Embedded; NULL is one that was not begun.
struct sha256 {
    void *context;
};

void sha256_begin(struct sha256 *self);
void sha256_add(struct sha256 *self, const void *data, size_t size);
// The digest of what was added; nothing can be added after it.
void sha256_end(struct sha256 *self, struct file_digest *ret_digest);
// Frees it; for owned().
void sha256_finish(struct sha256 *self);

// All at once.
void sha256_of(const void *data, size_t size, struct file_digest *ret_digest);

#endif
