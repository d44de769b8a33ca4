// completion_test.c - the scripts for shells have every command, verb and option of the tables.
// That shells understand them is seen in tests/system/cli_words_test.py.
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/memory.h"
#include "tools/cli/command_list.h"
#include "tools/cli/command_table.h"

enum { SCRIPT_BYTES = 1 << 20 };

static char *script;

// Fills `script` with what the command prints.
static void
print_for(const char *shell)
{
    char word[8];
    snprintf(word, sizeof word, "%s", shell);
    char *argv[] = {word};
    command_table_install();
    FILE *printed = tmpfile(); // a pipe is too short
    cr_assert(printed);
    int standard = dup(STDOUT_FILENO);
    dup2(fileno(printed), STDOUT_FILENO);
    enum outcome outcome = command_run(&completion_command, 1, argv);
    dup2(standard, STDOUT_FILENO);
    close(standard);
    cr_assert_eq(outcome, OUTCOME_DONE);
    script = memory_take_zeroed(SCRIPT_BYTES);
    rewind(printed);
    cr_assert_lt(fread(script, 1, SCRIPT_BYTES - 1, printed), SCRIPT_BYTES - 1);
    fclose(printed);
}

static void
look_for_options(const char *from, const char *dashes, const struct command *command)
{
    char word[64];
    const char *end = strchr(from, '\n');
    cr_assert(end);
    for (size_t i = 0; i < command->option_count; i++) {
        if (command->options[i].is_operand)
            continue;
        snprintf(word, sizeof word, " %s%s", dashes, command->options[i].name);
        const char *found = strstr(from, word);
        cr_expect(found && found < end, "%s%s", command->name, word);
    }
}

static void
look_in_bash(void *context, const struct command *command)
{
    char pattern[96];
    snprintf(pattern, sizeof pattern, "\"%s \"*) found=\"", command->name);
    const char *found = strstr(context, pattern);
    cr_assert(found, "%s", command->name);
    look_for_options(found, "--", command);
}

Test(completion, bash_has_all_options_of_all_commands)
{
    print_for("bash");
    command_list_walk(look_in_bash, script);
    free(script);
}

Test(completion, bash_has_choices_as_words)
{
    print_for("bash");
    cr_assert(strstr(script, " --via=udp --via=http"));
    free(script);
}

Test(completion, zsh_reads_the_same_behind_its_own_first_lines)
{
    print_for("zsh");
    cr_assert_eq(strncmp(script, "#compdef diorama\n", strlen("#compdef diorama\n")), 0);
    command_list_walk(look_in_bash, script);
    free(script);
}

static void
look_in_fish(void *context, const struct command *command)
{
    char line[128];
    for (size_t i = 0; i < command->option_count; i++) {
        if (command->options[i].is_operand)
            continue;
        snprintf(line, sizeof line, "-n '__diorama_in %s' -l %s ", command->name,
                 command->options[i].name);
        cr_expect(strstr(context, line), "%s", line);
    }
}

Test(completion, fish_has_all_options_of_all_commands)
{
    print_for("fish");
    command_list_walk(look_in_fish, script);
    free(script);
}

Test(completion, other_shells_are_refused)
{
    char word[] = "tcsh", *argv[] = {word};
    cr_redirect_stderr();
    cr_assert_eq(command_run(&completion_command, 1, argv), OUTCOME_USAGE);
    cr_assert_stderr_eq_str("diorama completion: SHELL: must be one of bash|zsh|fish\n");
}
