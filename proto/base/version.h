// version.h - the version of the programs, as the build names it.
#ifndef DIORAMA_PROTO_BASE_VERSION_H
#define DIORAMA_PROTO_BASE_VERSION_H

// "1.2.3"
const char *version_text(void);

#endif
