// error.c - the rows of the error table, and the fault noted by each thread.
#include "proto/base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "proto/base/text.h"

struct error_row {
    int code;
    int status;
    const char *slug;
    const char *sentence;
};

static const struct error_row rows[ERROR_COUNT] = {
#define X(name, code, status, slug, sentence) {code, status, slug, sentence},
    ERRORS(X)
#undef X
};

static _Thread_local struct fault noted;

static const struct error_row *
row_of(enum error error)
{
    assert((unsigned)error < ERROR_COUNT);
    return &rows[error];
}

int
error_code(enum error error)
{
    return row_of(error)->code;
}

int
error_status(enum error error)
{
    return row_of(error)->status;
}

const char *
error_slug(enum error error)
{
    return row_of(error)->slug;
}

const char *
error_sentence(enum error error)
{
    return row_of(error)->sentence;
}

void
fault_note(enum error error, const char *pointer, const char *format, ...)
{
    // Written apart from `noted`, since the arguments may be parts of the fault that was noted
    // before.
    struct fault fault = {.error = error};
    snprintf(fault.pointer, sizeof(fault.pointer), "%s", pointer);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault.detail, sizeof(fault.detail), format, arguments);
    va_end(arguments);
    // A sequence that is cut at the end would make the JSON of the answer unreadable.
    utf8_clean(fault.pointer);
    utf8_clean(fault.detail);
    noted = fault;
}

void
fault_note_budget(const char *name)
{
    noted.budget = name;
}

enum error
fault_note_again(const struct fault *fault)
{
    noted = *fault;
    return fault->error;
}

const struct fault *
fault_last(void)
{
    return &noted;
}

void
fault_take(enum error error, struct fault *ret_fault)
{
    if (noted.error == error && noted.detail[0])
        *ret_fault = noted;
    else {
        *ret_fault = (struct fault){.error = error};
        snprintf(ret_fault->detail, sizeof(ret_fault->detail), "%s", error_sentence(error));
    }
    // Removed, so that a later failure of this kind that notes nothing does not get these words.
    noted.error = OK;
}
