// profile_commands.c - `diorama profile add|list|use|remove`: reads the file, changes and writes
// it.
#include "tools/cli/profile_commands.h"

#include <string.h>

#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/profiles.h"
#include "tools/cli/sheet.h"

struct profile_values {
    const char *name;
    const char *url;
    const char *username;
};

// clang-format off
static const struct option_row add_rows[] = {
    OPTION (struct profile_values, name,     "NAME",     NULL,   NULL, "Name of the profile: 1 to 64 of A-Z a-z 0-9 . _ -", .is_operand = true),
    OPTION (struct profile_values, url,      "url",      "URL",  NULL, "The server's HTTP interface; required."),
    OPTION (struct profile_values, username, "username", "NAME", "",   "Account for diorama login."),
};
static const struct option_row name_rows[] = {
    OPTION (struct profile_values, name, "NAME", NULL, NULL, "Name of the profile.", .is_operand = true),
};
// clang-format on

static const char more[] = "Profiles are kept in $XDG_CONFIG_HOME/diorama/profiles.\n";

static fallible
find(struct profiles *profiles, const char *name, struct profile **ret_profile)
{
    *ret_profile = profiles_find(profiles, name);
    return *ret_profile ? OK : fail(ERR_INVALID, "", "there is no profile %s", name);
}

static fallible
add(struct profiles *profiles, const struct profile_values *values)
{
    const struct profile profile = {values->name, values->url, values->username, ""};
    return profiles_add(profiles, &profile);
}

static fallible
use(struct profiles *profiles, const struct profile_values *values)
{
    struct profile *profile;
    TRY(find(profiles, values->name, &profile));
    profiles->current = profile->name;
    return OK;
}

static fallible
remove_one(struct profiles *profiles, const struct profile_values *values)
{
    struct profile *profile;
    TRY(find(profiles, values->name, &profile));
    profiles_remove(profiles, profile);
    return OK;
}

static enum outcome
change(const char *command, const void *values,
       enum error (*function)(struct profiles *, const struct profile_values *))
{
    owned(profiles_finish) struct profiles profiles = {0};
    enum error error = profiles_read(&profiles);
    if (error == OK)
        error = function(&profiles, values);
    if (error == OK)
        error = profiles_write(&profiles);
    return error == OK ? OUTCOME_DONE : connection_failed(command, error);
}

static enum outcome
add_run(const void *values)
{
    return change("profile add", values, add);
}

static enum outcome
use_run(const void *values)
{
    return change("profile use", values, use);
}

static enum outcome
remove_run(const void *values)
{
    return change("profile remove", values, remove_one);
}

static void
add_cells(struct sheet *sheet, const char *const *cells)
{
    for (size_t i = 0; i < sheet->columns; i++)
        sheet_add(sheet, cells[i], strlen(cells[i]));
}

static enum outcome
list_run(const void *values)
{
    (void)values;
    owned(profiles_finish) struct profiles profiles = {0};
    owned(sheet_finish) struct sheet sheet = {.columns = 5};
    enum error error = profiles_read(&profiles);
    if (error != OK)
        return connection_failed("profile list", error);
    add_cells(&sheet, (const char *const[]){"name", "url", "username", "login", "current"});
    for (size_t i = 0; i < profiles.count; i++) {
        const struct profile *profile = &profiles.items[i];
        add_cells(&sheet, (const char *const[]){profile->name, profile->url, profile->username,
                                                profile->token[0] ? "yes" : "no",
                                                profile->name == profiles.current ? "yes" : "no"});
    }
    sheet_print(&sheet, stdout);
    return OUTCOME_DONE;
}

const struct command profile_add_command = {
    .name = "profile add",
    .about = "Add a server by name; the first one becomes the current profile.",
    .more = more,
    .options = add_rows,
    .option_count = sizeof add_rows / sizeof add_rows[0],
    .values_size = sizeof(struct profile_values),
    .run = add_run,
};

const struct command profile_list_command = {
    .name = "profile list",
    .about = "List the profiles; never shows a token.",
    .more = more,
    .values_size = sizeof(struct profile_values),
    .run = list_run,
};

const struct command profile_use_command = {
    .name = "profile use",
    .about = "Make a profile the current one.",
    .more = more,
    .options = name_rows,
    .option_count = sizeof name_rows / sizeof name_rows[0],
    .values_size = sizeof(struct profile_values),
    .run = use_run,
};

const struct command profile_remove_command = {
    .name = "profile remove",
    .about = "Forget a profile and its login.",
    .more = more,
    .options = name_rows,
    .option_count = sizeof name_rows / sizeof name_rows[0],
    .values_size = sizeof(struct profile_values),
    .run = remove_run,
};
