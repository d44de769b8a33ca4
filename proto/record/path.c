// path.c - JSON Pointers of what is wrong. Pure; any thread.
#include "proto/record/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pointer {
    size_t size;
    char *chars;
};

static void
pointer_put(struct pointer *self, const char *chars, size_t size)
{
    size_t room = PATH_POINTER_SIZE - 1 - self->size;
    size_t fits = size < room ? size : room;
    memcpy(self->chars + self->size, chars, fits);
    self->size += fits;
    self->chars[self->size] = '\0';
}

static void
pointer_put_name(struct pointer *self, const char *name)
{
    pointer_put(self, "/", 1);
    for (; *name; name++)
        if (*name == '~')
            pointer_put(self, "~0", 2);
        else if (*name == '/')
            pointer_put(self, "~1", 2);
        else
            pointer_put(self, name, 1);
}

static void
pointer_put_path(struct pointer *self, const struct path *path)
{
    char index[24];
    if (!path->up) {
        pointer_put(self, path->name, strlen(path->name));
        return;
    }
    pointer_put_path(self, path->up);
    if (path->name)
        pointer_put_name(self, path->name);
    else
        pointer_put(self, index, (size_t)snprintf(index, sizeof index, "/%zu", path->index));
}

void
path_write(const struct path *self, char ret_pointer[PATH_POINTER_SIZE])
{
    struct pointer pointer = {.chars = ret_pointer};
    ret_pointer[0] = '\0';
    pointer_put_path(&pointer, self);
}

fallible
path_fail(const struct path *self, enum error error, const char *format, ...)
{
    char pointer[PATH_POINTER_SIZE];
    char detail[sizeof(((struct fault *)0)->detail)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    path_write(self, pointer);
    return fail(error, pointer, "%s", detail);
}
