// late_library.c - the dynamic loader, which keeps what it has opened (late_library.h).
#include "actors/alignment/solver/late_library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "proto/base/log.h"

void *
late_library_function(const char *library, const char *name)
{
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *function = opened ? dlsym(opened, name) : NULL;
    if (!function) {
        log_error("library_missing", "library=%s function=%s reason=%s", library, name, dlerror());
        abort();
    }
    return function;
}
