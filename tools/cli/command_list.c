// command_list.c - the walk over commands and verbs, for help, completion and manual.
#include "tools/cli/command_list.h"

#include <string.h>

static const struct command *const *list;
static size_t list_count;

void
command_list_set(const struct command *const *commands, size_t count)
{
    list = commands;
    list_count = count;
}

size_t
command_list_count(void)
{
    return list_count;
}

const struct command *
command_list_item(size_t index)
{
    return list[index];
}

const struct command *
command_list_find(const char *name)
{
    for (size_t i = 0; i < list_count; i++)
        if (strcmp(name, list[i]->name) == 0)
            return list[i];
    return NULL;
}

void
command_list_walk(command_visitor *visit, void *context)
{
    for (size_t i = 0; i < list_count; i++)
        visit(context, list[i]);
    for (size_t i = 0; i < verbs_count; i++)
        ask_describe(&verbs[i], visit, context);
}
