// warnings.c - a short list in an arena. Pure; any thread.
#include "proto/record/warnings.h"

#include <stdarg.h>
#include <stdio.h>

enum { DETAIL_SIZE = 160 };

static bool
is_known(const struct warnings *self, const char *pointer, const char *detail)
{
    for (const struct warning *at = self->first; at; at = at->next)
        if (text_is(at->pointer, pointer) && text_is(at->detail, detail))
            return true;
    return false;
}

void
warnings_add(struct warnings *self, struct arena *arena, const struct path *path,
             const char *format, ...)
{
    char pointer[PATH_POINTER_SIZE], detail[DETAIL_SIZE];
    va_list arguments;
    if (self->count == WARNINGS_MOST)
        return;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    path_write(path, pointer);
    utf8_clean(pointer); // a name of the client's may have been cut
    utf8_clean(detail);
    if (is_known(self, pointer, detail))
        return;
    struct warning *warning = arena_new(arena, struct warning);
    warning->pointer = text_from(arena, pointer);
    warning->detail = text_from(arena, detail);
    if (self->last)
        self->last->next = warning;
    else
        self->first = warning;
    self->last = warning;
    self->count++;
}
