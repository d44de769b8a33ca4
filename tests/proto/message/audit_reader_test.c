// audit_reader_test.c - lines of all classes in the order of their numbers, whole ones only.
#include "proto/message/audit_reader.h"

#include <criterion/criterion.h>

#include "tests/support/temporary.h"

static struct temporary folder;

static void
begin(void)
{
    temporary_init(&folder);
}

static void
end(void)
{
    temporary_finish(&folder);
}

TestSuite(audit_reader, .init = begin, .fini = end);

static void
make(enum audit_class class, uint64_t first, const char *text)
{
    char path[AUDIT_PATH_SIZE];
    audit_files_path(folder.path, class, first, path);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

// Checks the numbers and classes of all lines: "1s 2w".
static bool
assert_read(uint64_t after, const char *expected)
{
    audit_reader_t *reader;
    struct audit_text line;
    struct buffer read = {0};
    cr_assert_eq(audit_reader_create(folder.path, after, &reader), OK);
    while (audit_reader_next(reader, &line))
        buffer_put_format(&read, "%llu%c%s ", (unsigned long long)line.number,
                          audit_class_rows[line.class].name[0], line.json ? "" : "?");
    buffer_put_char(&read, '\0');
    cr_assert_str_eq(read.data, expected);
    buffer_finish(&read);
    bool is_torn = audit_reader_is_torn(reader);
    audit_reader_destroy(&reader);
    return is_torn;
}

Test(audit_reader, classes_are_merged_over_all_their_files)
{
    make(AUDIT_CLASS_SECURITY, 1, "{\"number\":1}\n{\"number\":4}\n");
    make(AUDIT_CLASS_SECURITY, 6, "{\"number\":7}\n");
    make(AUDIT_CLASS_WRITES, 1, "{\"number\":2}\n{\"number\":3}\n{\"number\":6}\n");
    make(AUDIT_CLASS_FAILURES, 5, "{\"number\":5}\n");
    cr_assert_not(assert_read(0, "1s 2w 3w 4s 5f 6w 7s "));
    cr_assert_not(assert_read(5, "2w 3w 5f 6w 7s "), "the first file ends before");
}

Test(audit_reader, folder_of_one_class_is_read)
{
    make(AUDIT_CLASS_SECURITY, 1, "{\"number\":1}\n{\"number\":2}\n");
    cr_assert_not(assert_read(0, "1s 2s "));
}

Test(audit_reader, line_without_an_end_is_not_there)
{
    make(AUDIT_CLASS_SECURITY, 1, "{\"number\":1}\n{\"number\":2");
    make(AUDIT_CLASS_WRITES, 1, "{\"number\":3}\n");
    cr_assert(assert_read(0, "1s 3w "));
}

Test(audit_reader, what_is_no_line_has_the_number_of_the_one_before)
{
    make(AUDIT_CLASS_SECURITY, 1, "{\"number\":4}\nnoise\n\n{\"number\":5}\n");
    cr_assert_not(assert_read(0, "4s 4s? 4s? 5s "));
}
