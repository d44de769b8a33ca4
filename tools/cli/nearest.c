// nearest.c - counts typing errors: the optimal string alignment distance. Pure.
#include "tools/cli/nearest.h"

#include <assert.h>
#include <string.h>

enum { WORD_MAX = 31, LETTERS_PER_ERROR = 3 };

static unsigned
smaller(unsigned left, unsigned right)
{
    return left < right ? left : right;
}

size_t
nearest_distance(const char *left, const char *right)
{
    unsigned table[WORD_MAX + 1][WORD_MAX + 1];
    unsigned rows = (unsigned)strlen(left), columns = (unsigned)strlen(right);
    assert(rows <= WORD_MAX && columns <= WORD_MAX);
    for (unsigned i = 0; i <= rows; i++)
        for (unsigned k = 0; k <= columns; k++) {
            if (i == 0 || k == 0) {
                table[i][k] = i + k;
                continue;
            }
            unsigned replaced = table[i - 1][k - 1] + (left[i - 1] != right[k - 1]);
            table[i][k] = smaller(replaced, 1 + smaller(table[i - 1][k], table[i][k - 1]));
            if (i > 1 && k > 1 && left[i - 1] == right[k - 2] && left[i - 2] == right[k - 1])
                table[i][k] = smaller(table[i][k], table[i - 2][k - 2] + 1);
        }
    return table[rows][columns];
}

// A word that was begun is as near as one with one error.
static size_t
distance_of(const char *word, const char *candidate)
{
    size_t size = strlen(word);
    if (size > 1 && strncmp(word, candidate, size) == 0)
        return 1;
    return nearest_distance(word, candidate);
}

void
nearest_try(struct nearest *self, const char *candidate)
{
    size_t size = strlen(self->word);
    if (size > WORD_MAX || strlen(candidate) > WORD_MAX)
        return;
    size_t distance = distance_of(self->word, candidate);
    size_t most = 1 + (size - (size > 0)) / LETTERS_PER_ERROR;
    if (distance > most || distance >= size || (self->best && distance >= self->distance))
        return;
    self->best = candidate;
    self->distance = distance;
}
