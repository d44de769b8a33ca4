// blob_test.c - hashes that name blobs, and calls that an engine answers.
#include "proto/message/blob.h"

#include <criterion/criterion.h>
#include <string.h>

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

Test(blob, a_hash_is_64_lower_case_hex_characters)
{
    char hex[BLOB_HEX_SIZE];
    struct blob_hash hash;
    cr_assert(blob_hash_from_hex(ABC, 64, &hash));
    blob_hash_to_hex(&hash, hex);
    cr_expect_str_eq(hex, ABC);
}

Test(blob, a_text_of_another_size_or_with_other_characters_is_no_hash)
{
    struct blob_hash hash;
    cr_expect_not(blob_hash_from_hex(ABC, 63, &hash));
    cr_expect_not(blob_hash_from_hex("", 0, &hash));
    cr_expect_not(blob_hash_from_hex(
        "zz7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 64, &hash));
}

Test(blob, nothing_is_aborted_and_unpinned_without_an_engine)
{
    blob_writer_t *writer = NULL;
    struct blob_pin *pin = NULL;
    blob_abort(&writer);
    blob_unpin(&pin);
    cr_expect_null(writer);
    cr_expect_null(pin);
}
