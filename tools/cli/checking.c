// checking.c - see checking.h.
#include "tools/cli/checking.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/cli/stop.h"

static enum error
go_on(void *context)
{
    struct checking *self = context;
    progress_at(&self->progress, self->check.bytes);
    return stop_asked() ? fail(ERR_UNAVAILABLE, "", "a signal came") : OK;
}

static void
complain(void *context, const char *path, const char *what)
{
    struct checking *self = context;
    progress_end(&self->progress);
    fprintf(stderr, "%s %s\n", path, what);
}

void
checking_begin(struct checking *self, const char *command, uint64_t bytes)
{
    *self = (struct checking){.check = {.complain = complain, .context = self}};
    self->check.pace = (struct backup_pace){go_on, self};
    stop_open();
    progress_begin(&self->progress, command, bytes);
    self->progress.is_bytes = true;
}

// What is damaged, or does not reach, is no trouble of a file.
static enum outcome
outcome_of(const struct checking *self, enum error error)
{
    bool is_refused = self->is_of_log && (error == ERR_CONFLICT || error == ERR_NOT_FOUND);
    return error == ERR_INVALID || is_refused ? OUTCOME_FAILED : OUTCOME_FILE;
}

enum outcome
checking_end(struct checking *self, const char *command, enum error error)
{
    progress_end(&self->progress);
    if (error == OK && self->check.problems == 0)
        return OUTCOME_DONE;
    if (error == OK)
        error = fail(ERR_INVALID, "", "%" PRIu64 " problems", self->check.problems);
    if (stop_asked())
        return command_failed(command, error, OUTCOME_INTERRUPTED);
    return command_failed(command, error, outcome_of(self, error));
}
