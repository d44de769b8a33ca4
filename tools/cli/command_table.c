// command_table.c - the table of the commands of `diorama`, in the order of its help.
#include "tools/cli/command_table.h"

#include "tools/cli/command_list.h"

static const struct command *const commands[] = {
    &demo_command,   &watch_command,      &events_command, &top_command,   &replay_command,
    &listen_command, &bench_command,      &health_command, &login_command, &logout_command,
    &keygen_command, &alignment_command,  &audit_command,  &trace_command, &export_command,
    &import_command, &completion_command, &man_command,
};

void
command_table_install(void)
{
    command_list_set(commands, sizeof commands / sizeof commands[0]);
}
