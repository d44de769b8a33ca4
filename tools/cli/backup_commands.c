// backup_commands.c - asks a server for a backup and waits for it; checks and restores backups on
// this machine, which needs no server.
#include "tools/cli/backup_commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "store/backup/backup_check.h"
#include "store/backup/backup_folder.h"
#include "store/backup/log_restore.h"
#include "tools/cli/calendar_time.h"
#include "tools/cli/checking.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"
#include "tools/cli/stop.h"

enum { LOOK_US = 200000, MIB = 1 << 20 };

static const char backups_path[] = "/v1/backup";

// --- create ---

struct create_values {
    struct connection_values connection;
};

// clang-format off
static const struct option_row create_rows[] = {
    CONNECTION_URL (struct create_values, connection),
    CONNECTION_PROFILE (struct create_values, connection),
};
// clang-format on

// Asks the server; *ret_answer lives until the next call.
static fallible
call(http_client_t *http, const char *method, const struct json **ret_answer)
{
    owned(buffer_finish) struct buffer path = {0};
    buffer_put_chars(&path, backups_path);
    TRY(http_client_call(http, method, &path, NULL, ret_answer));
    return *ret_answer ? OK : fail(ERR_MALFORMED, "", "the answer is empty");
}

// What the server says of the backup `key`; NULL if it does not name it.
static const struct json *
find_backup(const struct json *list, const char *key)
{
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->count; i++)
        if (strcmp(json_value_chars(&list->items[i], "key", ""), key) == 0)
            return &list->items[i];
    return NULL;
}

// Waits until the backup `key` is made. Fails with the reason why it was not.
static fallible
await_backup(http_client_t *http, const char *key)
{
    const struct json *list, *backup;
    do {
        stop_wait_until(clock_now_us() + LOOK_US);
        TRY(call(http, "GET", &list));
        backup = find_backup(list, key);
        if (!backup || strcmp(json_value_chars(backup, "state", ""), "failed") == 0)
            return fail(ERR_UNAVAILABLE, "", "%s",
                        backup ? json_value_chars(backup, "reason", "") : "it is gone");
    } while (strcmp(json_value_chars(backup, "state", ""), "done") != 0);
    printf("%s: %" PRIu64 " files, %.1f MB, %.1f MB of them copied, %.1f s\n", key,
           json_value_unsigned(backup, "files", 0),
           (double)json_value_unsigned(backup, "bytes", 0) / MIB,
           (double)json_value_unsigned(backup, "copied", 0) / MIB,
           (double)json_value_unsigned(backup, "took_ms", 0) / 1e3);
    return OK;
}

static fallible
create(http_client_t *http)
{
    const struct json *begun;
    char key[BACKUP_NAME_SIZE];
    TRY(call(http, "POST", &begun));
    snprintf(key, sizeof key, "%s", json_value_chars(begun, "key", ""));
    return await_backup(http, key);
}

static enum outcome
create_run(const void *untyped)
{
    const struct create_values *values = untyped;
    owned(http_client_destroy) http_client_t *http = NULL;
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("backup create", error);
    error = create(http);
    return error == OK ? OUTCOME_DONE : command_refused("backup create", error);
}

const struct command backup_create_command = {
    .name = "backup create",
    .about = "Make a backup of the server in its backup.dir, and wait for it.",
    .more =
        "For administrators; without users on the server's machine alone. The server works on.\n",
    .options = create_rows,
    .option_count = sizeof create_rows / sizeof create_rows[0],
    .values_size = sizeof(struct create_values),
    .run = create_run,
};

// --- verify and restore ---

struct check_values {
    const char *folder;
    const char *to;
    const char *at;
    const char *log;
};

// clang-format off
static const struct option_row verify_rows[] = {
    OPTION (struct check_values, folder, "FOLDER", NULL, NULL, "Folder of one backup.", .is_operand = true),
};

static const struct option_row log_rows[] = {
    OPTION (struct check_values, folder, "FOLDER", NULL, NULL, "Folder of the log: backup.log.", .is_operand = true),
};

static const struct option_row restore_rows[] = {
    OPTION (struct check_values, folder, "FOLDER", NULL, NULL, "Folder of one backup; with --at also that of all, of which the newest fitting one is taken.", .is_operand = true),
    OPTION (struct check_values, to,     "DATA",   NULL, NULL, "The data.dir to make: a folder that is missing or empty.", .is_operand = true),
    OPTION (struct check_values, at,     "at",     "TIME",   "", "Go on to this time with the log: 2026-11-24T19:04:11Z, or end for all that it has."),
    OPTION (struct check_values, log,    "log",    "FOLDER", "", "Folder of the log: backup.log."),
};
// clang-format on

// The bytes that the backup says it has, for the progress bar.
static uint64_t
bytes_of(const char *folder)
{
    struct arena arena = {0};
    struct backup *backup;
    uint64_t bytes = 0;
    if (backup_read(folder, &arena, &backup) == OK)
        bytes = (uint64_t)backup->bytes;
    arena_finish(&arena);
    return bytes;
}

static void
tell_sum(const struct checking *checking)
{
    printf("%" PRIu64 " files, %.1f MB: all right\n", checking->check.files,
           (double)checking->check.bytes / MIB);
}

static enum outcome
verify_run(const void *untyped)
{
    static const char command[] = "backup verify";
    const struct check_values *values = untyped;
    struct checking checking;
    checking_begin(&checking, command, bytes_of(values->folder));
    enum error error = backup_verify(values->folder, &checking.check);
    enum outcome outcome = checking_end(&checking, command, error);
    if (outcome == OUTCOME_DONE)
        tell_sum(&checking);
    return outcome;
}

static void
tell_chain(void *context, const char *line)
{
    struct checking *self = context;
    progress_end(&self->progress);
    puts(line);
}

static enum outcome
log_run(const void *untyped)
{
    static const char command[] = "backup log";
    const struct check_values *values = untyped;
    struct checking checking;
    checking_begin(&checking, command, 0);
    enum error error = log_verify(values->folder, tell_chain, &checking.check);
    enum outcome outcome = checking_end(&checking, command, error);
    if (outcome == OUTCOME_DONE)
        tell_sum(&checking);
    return outcome;
}

static enum outcome
restore_backup(const struct check_values *values, const char *command)
{
    struct checking checking;
    checking_begin(&checking, command, bytes_of(values->folder));
    enum error error = backup_restore(values->folder, values->to, &checking.check);
    enum outcome outcome = checking_end(&checking, command, error);
    if (outcome == OUTCOME_DONE)
        tell_sum(&checking);
    return outcome;
}

static enum outcome
restore_at(const struct check_values *values, const char *command, uint64_t time_us)
{
    struct checking checking;
    struct log_restore ask = {.backups = values->folder, .log = values->log, .time_us = time_us};
    checking_begin(&checking, command, 0);
    checking.is_of_log = true;
    enum error error = log_restore(&ask, values->to, &checking.check);
    enum outcome outcome = checking_end(&checking, command, error);
    if (outcome != OUTCOME_DONE)
        return outcome;
    printf("%s and %" PRIu64 " commits of the log\n", ask.backup, ask.commits);
    tell_sum(&checking);
    return outcome;
}

static enum outcome
restore_run(const void *untyped)
{
    static const char command[] = "backup restore";
    const struct check_values *values = untyped;
    uint64_t time_us = LOG_RESTORE_END;
    if (!*values->at != !*values->log)
        return command_failed(command, fail(ERR_INVALID, "", "--at and --log belong together"),
                              OUTCOME_USAGE);
    if (!*values->at)
        return restore_backup(values, command);
    if (strcmp(values->at, "end") != 0 && !calendar_time_read(values->at, &time_us))
        return command_failed(command,
                              fail(ERR_INVALID, "",
                                   "--at=%.40s is no time like "
                                   "2026-11-24T19:04:11Z",
                                   values->at),
                              OUTCOME_USAGE);
    return restore_at(values, command, time_us);
}

const struct command backup_verify_command = {
    .name = "backup verify",
    .about = "Read every file of a backup on this machine and compare it with its digest.",
    .more = "Without this program: cd FOLDER && sha256sum --quiet -c SHA256SUMS\n",
    .options = verify_rows,
    .option_count = sizeof verify_rows / sizeof verify_rows[0],
    .values_size = sizeof(struct check_values),
    .run = verify_run,
};

const struct command backup_log_command = {
    .name = "backup log",
    .about = "Read the log of a server on this machine, and say to which times a restore can go.",
    .more = "A line for each time without a gap: from the first backup in it until its end.\n",
    .options = log_rows,
    .option_count = sizeof log_rows / sizeof log_rows[0],
    .values_size = sizeof(struct check_values),
    .run = log_run,
};

const struct command backup_restore_command = {
    .name = "backup restore",
    .about = "Make a data.dir from a backup on this machine, every file of it verified.",
    .more =
        "Start a server with it: dioramad --data.dir=DATA. Nothing is ever restored over another\n"
        "folder, and nothing is there before all files are right. With --at the server is as it "
        "was\n"
        "at that time, to a second; where the log has a gap before it, nothing is restored.\n",
    .options = restore_rows,
    .option_count = sizeof restore_rows / sizeof restore_rows[0],
    .values_size = sizeof(struct check_values),
    .run = restore_run,
};
