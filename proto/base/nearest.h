// nearest.h - the known word that somebody probably meant.
#ifndef DIORAMA_PROTO_BASE_NEAREST_H
#define DIORAMA_PROTO_BASE_NEAREST_H

// How many characters must be added, removed or changed to turn `a` into `b` (Levenshtein), of at
// most 63 characters of each.
unsigned edit_distance(const char *a, const char *b);

#endif
