// version.c - the version of the programs; the build defines it for this file alone.
#include "proto/base/version.h"

const char *
version_text(void)
{
    return DIORAMA_VERSION;
}
