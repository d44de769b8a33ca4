// warnings.c - a short list in an arena. Pure; any thread.
#include "proto/record/warnings.h"

#include <stdarg.h>
#include <stdio.h>

enum { DETAIL_SIZE = 160 };

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
