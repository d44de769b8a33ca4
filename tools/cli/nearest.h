// nearest.h - finds the word that somebody meant: the one with the fewest typing errors.
#ifndef DIORAMA_TOOLS_CLI_NEAREST_H
#define DIORAMA_TOOLS_CLI_NEAREST_H

#include <stddef.h>

// Set `word` to what was typed, then try each word that may have been meant. `best` is the nearest
// one, borrowed; NULL if none is near enough to be a typing error.
struct nearest {
    const char *word;
    const char *best;
    size_t distance; // of `best`
};

// A word of more than 31 characters is near to nothing. Of words that are equally near the first
// one stays.
void nearest_try(struct nearest *self, const char *candidate);

// Typing errors between two words of at most 31 bytes: letters left out, added, replaced, or two
// neighbours exchanged.
size_t nearest_distance(const char *left, const char *right);

#endif
