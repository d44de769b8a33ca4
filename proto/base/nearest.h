// nearest.h - the known word that somebody probably meant.
#ifndef DIORAMA_PROTO_BASE_NEAREST_H
#define DIORAMA_PROTO_BASE_NEAREST_H

// How many characters must be added, left out or changed to make `b` of `a` (Levenshtein), of at
// most 63 characters of each.
unsigned edit_distance(const char *a, const char *b);

#endif
