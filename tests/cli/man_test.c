// man_test.c - each command and each noun has a page, with every option of the tables.
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <string.h>

#include "proto/base/owned.h"
#include "tests/support/temporary.h"
#include "tools/cli/command_list.h"
#include "tools/cli/command_table.h"
#include "tools/cli/file_text.h"

static struct temporary directory;

static void
begin(void)
{
    temporary_init(&directory);
    command_table_install();
}

static void
end(void)
{
    temporary_finish(&directory);
}

TestSuite(man, .init = begin, .fini = end);

static void
write_pages(void)
{
    char *argv[] = {directory.path};
    cr_assert_eq(command_run(&man_command, 1, argv), OUTCOME_DONE);
}

// The page of this name, with its NUL.
static void
read_page(const char *name, struct buffer *ret_page)
{
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(&directory, name, path);
    cr_assert_eq(file_text_read(path, ret_page), OK, "%s", path);
    buffer_put_char(ret_page, '\0');
}

// An option is a bold word with escaped dashes.
static void
look_for_options(void *context, const struct command *command)
{
    (void)context;
    char name[64], label[96] = "\\fB\\-\\-";
    owned(buffer_finish) struct buffer page = {0};
    snprintf(name, sizeof name, "diorama-%.*s.1", (int)strcspn(command->name, " "), command->name);
    read_page(name, &page);
    for (size_t i = 0; i < command->option_count; i++) {
        size_t size = strlen("\\fB\\-\\-");
        if (command->options[i].is_operand)
            continue;
        for (const char *letter = command->options[i].name; *letter; letter++)
            size += (size_t)snprintf(label + size, sizeof label - size,
                                     *letter == '-' ? "\\-" : "%c", *letter);
        cr_expect(strstr(page.data, label), "%s: %s", name, label);
    }
}

Test(man, page_of_each_command_and_noun_has_its_options)
{
    write_pages();
    command_list_walk(look_for_options, NULL);
}

Test(man, overview_names_every_page)
{
    owned(buffer_finish) struct buffer page = {0};
    char line[64];
    write_pages();
    read_page("diorama.1", &page);
    for (size_t i = 0; i < command_list_count(); i++) {
        snprintf(line, sizeof line, ".BR diorama\\-%s (1)\n", command_list_item(i)->name);
        cr_expect(strstr(page.data, line), "%s", line);
    }
    for (size_t i = 0; i < nouns_count; i++) {
        snprintf(line, sizeof line, ".BR diorama\\-%s (1)\n", nouns[i]->name);
        cr_expect(strstr(page.data, line), "%s", line);
    }
}

Test(man, exit_codes_stand_on_each_page)
{
    owned(buffer_finish) struct buffer page = {0};
    write_pages();
    read_page("diorama-health.1", &page);
    cr_assert(strstr(page.data, ".SH EXIT STATUS\n.TP\n0\nDone"));
    cr_assert(strstr(page.data, ".TP\n3\nThe server cannot be reached"));
}

Test(man, folder_that_is_not_there_is_told)
{
    char path[TEMPORARY_PATH_BYTES], expected[TEMPORARY_PATH_BYTES + 128];
    temporary_path(&directory, "none", path);
    char *argv[] = {path};
    cr_redirect_stderr();
    cr_assert_eq(command_run(&man_command, 1, argv), OUTCOME_FILE);
    snprintf(expected, sizeof expected, "diorama man: %s/diorama.1: No such file or directory\n",
             path);
    cr_assert_stderr_eq_str(expected);
}
