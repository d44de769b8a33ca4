// late_library.h - functions of libraries that are opened when something is first solved, not with
// the program: METIS has 28 KiB for each thread of a program that starts with it, and the
// libraries behind CHOLMOD give printf conversions of their own, which makes all others slow.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_LATE_LIBRARY_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_LATE_LIBRARY_H

// The function of this name. The package says that the library is there (tools/packages, runtime):
// without it the process ends, with a line of the log. Any thread.
void *late_library_function(const char *library, const char *name);

#endif
