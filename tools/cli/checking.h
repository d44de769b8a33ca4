// checking.h - what commands share that read backups, logs and archives on this machine: progress,
// what is wrong with files, how it ended. It can be ended by a signal.
#ifndef DIORAMA_CLI_CHECKING_H
#define DIORAMA_CLI_CHECKING_H

#include "store/backup/backup_check.h"
#include "tools/cli/command.h"
#include "tools/cli/progress.h"

// Embedded; it must stay where it is until the end.
struct checking {
    struct progress progress;
    struct backup_check check;
    bool is_of_log; // what is not there, or does not reach, is a refusal then
};

// `bytes`: about how many will be read; 0 = not known.
void checking_begin(struct checking *self, const char *command, uint64_t bytes);

// Ends the progress, and says why it failed or how many problems were told; DONE where there were
// none, and the command has the last word.
enum outcome checking_end(struct checking *self, const char *command, enum error error);

#endif
