// diorama.h - client of Diorama, a spatial scene server, in one header of C99 (POSIX sockets).
//
//   #define DIORAMA_IMPLEMENTATION      in one file, before any other header
//   #define DIORAMA_CURL                HTTP by libcurl; else options.http is yours
//   #define DIORAMA_SODIUM              diorama_seal by libsodium; else there is none
//   #include "diorama.h"
//
//   struct diorama *d = diorama_join("http://127.0.0.1:8080", "plaza",
//                                    &(struct diorama_options){.device = "rig", .rate = 60});
//   for (struct diorama_event e; diorama_next(d, &e, 16);)   // waits 16 ms at most
//       if (e.kind == DIORAMA_MOVED)
//           place(e.key, e.transform);
//   diorama_leave(&d);
//
// How it behaves: tools/sdk/README.md; like other clients, but it shows what the server says alone:
// what you sent is yours to draw. A `struct diorama` is used by one thread at a time; several are
// independent.
#if defined(DIORAMA_IMPLEMENTATION) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "tools/sdk/c/api.h"

#ifdef DIORAMA_IMPLEMENTATION
#include "tools/sdk/c/client.h"
#endif
