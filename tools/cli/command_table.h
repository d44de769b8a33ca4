// command_table.h - the table of the commands of `diorama`.
#ifndef DIORAMA_TOOLS_CLI_COMMAND_TABLE_H
#define DIORAMA_TOOLS_CLI_COMMAND_TABLE_H

// Hands the table to command_list.h.
void command_table_install(void);

#endif
