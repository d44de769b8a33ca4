// words.h - the words of texts as searches compare them: small letters without marks ("Café" is
// "cafe"), each once. What stands between letters and digits separates them. Pure.
#ifndef DIORAMA_PROTO_BASE_WORDS_H
#define DIORAMA_PROTO_BASE_WORDS_H

#include "proto/base/text.h"

enum {
    WORD_BYTES = 96,   // of a longer word these many count
    WORDS_BYTES = 512, // of all words of a record, with a byte each for their sizes
};

// Words one after another, each behind a byte with its size. All zero is none.
struct words {
    size_t size;
    char bytes[WORDS_BYTES];
};

// Adds the words of a text (NULL = none) that are not there yet and have room.
void words_add(struct words *self, const struct text *text);

// Walks `size` bytes of words: *at = 0 at first. Writes the next one and its size (not 0); false:
// there are no more.
bool words_next(const char *bytes, size_t size, size_t *at, const char **ret_word,
                size_t *ret_size);

// Whether one of them begins with `prefix`.
bool words_have(const char *words, size_t words_size, const char *prefix, size_t size);

#endif
