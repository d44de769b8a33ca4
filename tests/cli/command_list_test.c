// command_list_test.c - what `diorama` can do is found by its name, and walked in order.
#include "tools/cli/command_list.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tools/cli/command_table.h"

// How many were visited, and the first of them.
struct visits {
    size_t count;
    char first[32];
};

static void
note(void *context, const struct command *command)
{
    struct visits *visits = context;
    if (visits->count++ == 0)
        snprintf(visits->first, sizeof visits->first, "%s", command->name);
    cr_expect(command->about && command->about[0], "%s", command->name);
}

TestSuite(command_list, .init = command_table_install);

Test(command_list, command_is_found_by_its_name)
{
    cr_assert_eq(command_list_find("watch"), &watch_command);
    cr_assert_null(command_list_find("scene"));
    cr_assert_null(command_list_find(""));
}

Test(command_list, walk_visits_each_command_and_each_verb)
{
    struct visits visits = {0};
    command_list_walk(note, &visits);
    cr_assert_eq(visits.count, command_list_count() + verbs_count);
    cr_assert_str_eq(visits.first, "demo");
    cr_assert_eq(command_list_item(0), &demo_command);
}
