// command.c - how a failure of a command is told.
#include "tools/cli/command.h"

#include <stdio.h>

enum outcome
command_failed(const char *command, enum error error, enum outcome outcome)
{
    struct fault fault;
    fault_take(error, &fault);
    fprintf(stderr, "diorama %s: %s\n", command, fault.detail);
    return outcome;
}
