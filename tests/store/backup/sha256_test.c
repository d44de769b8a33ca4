// sha256_test.c - digests that are known, in one piece and in several.
#include "store/backup/sha256.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "store/backup/digest_list.h"

static void
check(const char *expected, const char *first, size_t first_size, const char *second,
      size_t second_size)
{
    owned(sha256_finish) struct sha256 sha256;
    struct file_digest digest;
    char hex[DIGEST_HEX_SIZE];
    sha256_begin(&sha256);
    sha256_add(&sha256, first, first_size);
    sha256_add(&sha256, second, second_size);
    sha256_end(&sha256, &digest);
    file_digest_to_hex(&digest, hex);
    cr_assert_str_eq(hex, expected);
}

Test(sha256, is_that_of_the_standard)
{
    check("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "", 0, "", 0);
    check("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "a", 1, "bc", 2);
}
