// background.h - runs work beside those who answer requests.
#ifndef DIORAMA_ACTORS_ALIGNMENT_BACKGROUND_H
#define DIORAMA_ACTORS_ALIGNMENT_BACKGROUND_H

#include <stdbool.h>

// Does the work on a thread of its own and waits for it. If it `yields`, threads of usual priority
// go first. A thread that has given up its priority cannot take it back without rights, so each
// work gets a new one.
void background_run(bool yields, void (*work)(void *argument), void *argument);

#endif
