// postgres_known_test.c - what a file says of a database: written whole, and refused where it is
// not.
#include "store/postgres/postgres_known.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/diorama-known-XXXXXX";
static char path[64];
static struct postgres_known known;

static void
begin(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/" POSTGRES_KNOWN_FILE, folder);
}

static void
end(void)
{
    unlink(path);
    rmdir(folder); // fails where something was left beside it
    cr_assert_neq(access(folder, F_OK), 0);
}

TestSuite(postgres_known, .init = begin, .fini = end);

static void
put(const char *text)
{
    FILE *file = fopen(path, "wbe");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

Test(postgres_known, without_a_file_nothing_is_known)
{
    cr_assert_eq(postgres_known_read(path, &known), OK);
    cr_assert_eq(known.system, 0);
    cr_assert_eq(known.timeline, 0);
}

Test(postgres_known, what_is_written_is_read_and_may_be_read_by_people)
{
    char text[64] = "";
    const struct postgres_known written = {
        .system = UINT64_MAX, .database = 5, .timeline = UINT32_MAX};
    cr_assert_eq(postgres_known_write(path, &(struct postgres_known){1, 2, 3}), OK);
    cr_assert_eq(postgres_known_write(path, &written), OK);
    cr_assert_eq(postgres_known_read(path, &known), OK);
    cr_assert_eq(known.system, UINT64_MAX);
    cr_assert_eq(known.timeline, UINT32_MAX);
    FILE *file = fopen(path, "rbe");
    cr_assert_not_null(file);
    cr_assert_gt(fread(text, 1, sizeof text - 1, file), 0);
    fclose(file);
    cr_assert_eq(known.database, 5);
    cr_assert_str_eq(text, "system 18446744073709551615\ndatabase 5\ntimeline 4294967295\n");
}

Test(postgres_known, what_is_not_as_it_was_written_is_refused_with_the_name_of_the_file)
{
    static const char *const damaged[] = {
        "",
        "system 1\n",
        "system 1\ndatabase 5\ntimeline 2",
        "system 1\ndatabase 5\ntimeline 2\n\n",
        "system -1\ndatabase 5\ntimeline 2\n",
        "system 18446744073709551616\ndatabase 5\ntimeline 2\n",
        "system 1\ndatabase 5\ntimeline 4294967296\n",
        "system 01\ndatabase 5\ntimeline 2\n",
        "timeline 2\nsystem 1\ndatabase 5\n",
        "system 1\ndatabase 4294967296\ntimeline 2\n",
        "system 1\ndatabase 5\ntimeline 2\nsystem 1\ndatabase 5\ntimeline 2\nsystem 1\ndatabase "
        "5\ntimeline 2\nsystem 1\ndatabase 5\ntimeline 2\n",
    };
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        put(damaged[i]);
        cr_assert_eq(postgres_known_read(path, &known), ERR_UNAVAILABLE, "%zu", i);
        cr_assert(strstr(fault_last()->detail, path));
    }
}

Test(postgres_known, what_cannot_be_written_leaves_what_was_there)
{
    char beside[80];
    snprintf(beside, sizeof beside, "%s.new", path);
    cr_assert_eq(postgres_known_write(path, &(struct postgres_known){1, 2, 3}), OK);
    cr_assert_eq(mkdir(beside, 0700), 0);
    cr_assert_eq(postgres_known_write(path, &(struct postgres_known){1, 2, 4}), ERR_UNAVAILABLE);
    cr_assert_eq(rmdir(beside), 0);
    cr_assert_eq(postgres_known_read(path, &known), OK);
    cr_assert_eq(known.timeline, 3);
}

Test(postgres_known, what_is_no_file_keeps_nobody_waiting, .timeout = 10)
{
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(postgres_known_read(path, &known), ERR_UNAVAILABLE);
}
