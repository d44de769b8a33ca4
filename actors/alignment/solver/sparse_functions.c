// sparse_functions.c - looks the functions up, once (sparse_functions.h).
#include "actors/alignment/solver/sparse_functions.h"

#include <pthread.h>

#include "actors/alignment/solver/late_library.h"

static struct sparse_functions functions;
static pthread_once_t looked_up = PTHREAD_ONCE_INIT;

static void
look_up(void)
{
#define X(name)                                                                                    \
    functions.name =                                                                               \
        (__typeof__(functions.name))late_library_function(CHOLMOD_FILE, "cholmod_" #name);
    SPARSE_FUNCTIONS(X)
#undef X
}

const struct sparse_functions *
sparse_functions(void)
{
    pthread_once(&looked_up, look_up);
    return &functions;
}
