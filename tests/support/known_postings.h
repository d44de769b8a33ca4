// known_postings.h - postings (record_cache.h) that a repository without a reader is told of.
#ifndef DIORAMA_TESTS_SUPPORT_KNOWN_POSTINGS_H
#define DIORAMA_TESTS_SUPPORT_KNOWN_POSTINGS_H

#include "actors/repository/repository.h"

// The posting of a text, as if it had been read: with nothing in it at first.
struct cached_record *known_posting(struct repository *repository, const struct index_row *rows,
                                    unsigned row, const struct text *value);

#endif
