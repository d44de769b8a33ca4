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

void
sparse_start(cholmod_common *common)
{
    sparse_functions()->start(common);
    common->print = 0;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_GIVEN;
    common->quick_return_if_not_posdef = 1;
    common->grow2 = 0; // the pattern of a factor does not change: it takes exactly its space
}
