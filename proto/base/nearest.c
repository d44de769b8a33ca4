// nearest.c - the edit distance between two words.
#include "proto/base/nearest.h"

#include <string.h>

enum { WORD_BYTES = 63 };

static unsigned
least(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

unsigned
edit_distance(const char *a, const char *b)
{
    size_t a_size = strnlen(a, WORD_BYTES), b_size = strnlen(b, WORD_BYTES);
    unsigned row[WORD_BYTES + 1]; // of the matrix; row[j] = distance of a[0..i) and b[0..j)
    for (size_t j = 0; j <= b_size; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; i < a_size; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < b_size; j++) {
            unsigned changed = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = least(changed, row[j] + 1, row[j + 1] + 1);
        }
    }
    return row[b_size];
}
