// sha256.c - see sha256.h. Only here is openssl/ included.
#include "store/backup/sha256.h"

#include <openssl/evp.h>
#include <stdlib.h>

// It fails only where the system refuses memory, or its library has no SHA-256.
static void
must(int is_done)
{
    if (is_done != 1)
        abort();
}

void
sha256_begin(struct sha256 *self)
{
    self->context = EVP_MD_CTX_new();
    must(self->context && EVP_DigestInit_ex(self->context, EVP_sha256(), NULL));
}

void
sha256_add(struct sha256 *self, const void *data, size_t size)
{
    must(EVP_DigestUpdate(self->context, data, size));
}

void
sha256_end(struct sha256 *self, struct file_digest *ret_digest)
{
    must(EVP_DigestFinal_ex(self->context, ret_digest->bytes, NULL));
}

void
sha256_finish(struct sha256 *self)
{
    EVP_MD_CTX_free(self->context);
    self->context = NULL;
}

void
sha256_of(const void *data, size_t size, struct file_digest *ret_digest)
{
    must(EVP_Digest(data, size, ret_digest->bytes, NULL, EVP_sha256(), NULL));
}
