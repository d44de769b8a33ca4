// file_digest_test.c - SHA-256 of files.
#include "tools/cli/file_digest.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"

// The digest of `text`, `times` times.
static void
assert_digest(const char *text, int times, const char *expected)
{
    owned(temporary_finish) struct temporary directory;
    char path[TEMPORARY_PATH_BYTES], digest[FILE_DIGEST_BYTES];
    temporary_init(&directory);
    temporary_path(&directory, "file", path);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    for (int i = 0; i < times; i++)
        cr_assert(fputs(text, file) >= 0);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(file_digest(path, digest), OK);
    cr_assert_str_eq(digest, expected);
}

// The examples of FIPS 180-2, appendix B.
Test(file_digest, digests_are_those_of_the_standard)
{
    assert_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest("aaaaaaaaaa", 100000,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    assert_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

Test(file_digest, file_that_is_not_there_is_unavailable)
{
    char digest[FILE_DIGEST_BYTES];
    cr_assert_eq(file_digest("/nonexistent/file", digest), ERR_UNAVAILABLE);
}
