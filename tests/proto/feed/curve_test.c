// curve_test.c - keys of CURVE in files: ours, those of czmq, and files without keys.
#include "proto/feed/curve.h"

#include <criterion/criterion.h>
#include <czmq.h>
#include <sys/stat.h>

#include "tests/support/temporary.h"

static struct temporary folder;
static char path[TEMPORARY_PATH_BYTES];
static char secret_path[TEMPORARY_PATH_BYTES];

static void
start(void)
{
    temporary_init(&folder);
    temporary_path(&folder, "alice.key", path);
    temporary_path(&folder, "alice.key_secret", secret_path);
}

static void
end(void)
{
    temporary_finish(&folder);
}

TestSuite(curve, .init = start, .fini = end);

static void
write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

Test(curve, a_pair_that_was_made_is_read_again)
{
    struct curve_keys made, open, secret;
    cr_assert_eq(curve_keys_make(path, &made), OK);
    cr_assert_eq(curve_keys_read(path, &open), OK);
    cr_assert_eq(curve_keys_read_secret(path, &secret), OK);
    cr_expect_str_eq(open.open, made.open);
    cr_expect_str_eq(open.secret, "");
    cr_expect_str_eq(secret.open, made.open);
    cr_expect_eq(strlen(secret.secret), 40);
}

Test(curve, the_secret_file_is_for_its_owner_alone)
{
    struct curve_keys made;
    struct stat status;
    cr_assert_eq(curve_keys_make(path, &made), OK);
    cr_assert_eq(stat(secret_path, &status), 0);
    cr_expect_eq(status.st_mode & 07777, 0600);
}

Test(curve, keys_that_are_there_are_not_replaced)
{
    struct curve_keys made, again;
    cr_assert_eq(curve_keys_make(path, &made), OK);
    cr_expect_eq(curve_keys_make(path, &again), ERR_CONFLICT);
    cr_assert_eq(curve_keys_read(path, &again), OK);
    cr_expect_str_eq(again.open, made.open);
}

Test(curve, certificates_of_czmq_are_read_and_ours_by_czmq)
{
    struct curve_keys keys;
    zcert_t *theirs = zcert_new();
    cr_assert_eq(zcert_save(theirs, path), 0);
    cr_assert_eq(curve_keys_read(path, &keys), OK);
    cr_expect_str_eq(keys.open, zcert_public_txt(theirs));
    cr_assert_eq(curve_keys_read_secret(path, &keys), OK);
    cr_expect_str_eq(keys.secret, zcert_secret_txt(theirs));
    zcert_destroy(&theirs);
    temporary_path(&folder, "bob.key", path);
    cr_assert_eq(curve_keys_make(path, &keys), OK);
    theirs = zcert_load(path);
    cr_assert_not_null(theirs);
    cr_expect_str_eq(zcert_public_txt(theirs), keys.open);
    zcert_destroy(&theirs);
}

Test(curve, a_public_file_is_no_secret_one)
{
    struct curve_keys keys;
    write_text("curve\n    public-key = \"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID\"\n");
    cr_assert_eq(curve_keys_read(path, &keys), OK);
    cr_expect_eq(curve_keys_read_secret(path, &keys), ERR_NOT_FOUND);
    cr_assert_eq(rename(path, secret_path), 0);
    cr_expect_eq(curve_keys_read_secret(path, &keys), ERR_INVALID);
}

Test(curve, what_is_no_certificate_is_refused)
{
    static const char *const texts[] = {
        "",
        "\xff\xfe\x01 nonsense",
        "curve\n",
        "curve\n    public-key = \"short\"\n",
        "curve\n    public-key = \"~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\"\n",
        "curve\n    public-key = \"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hIDx\"\n",
    };
    struct curve_keys keys;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text(texts[i]);
        cr_expect_eq(curve_keys_read(path, &keys), ERR_INVALID, "%zu", i);
    }
    temporary_path(&folder, "nobody.key", path);
    cr_expect_eq(curve_keys_read(path, &keys), ERR_NOT_FOUND);
}
