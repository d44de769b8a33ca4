// fuzz.h - what the fuzz targets share. A target is one file: a function that is called with input
// after input, and the properties that hold whatever the input. The first that does not hold ends
// the run; the input that did it is kept.
#ifndef DIORAMA_TESTS_FUZZ_FUZZ_H
#define DIORAMA_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Ends the run where the property does not hold.
#define must(property) ((property) ? (void)0 : fuzz_end(#property, __FILE__, __LINE__))

_Noreturn void fuzz_end(const char *property, const char *file, int line);

// From now on no single allocation may be larger than `bytes`; 0 = any size.
void fuzz_limit_allocations(size_t bytes);

// What is left of an input that is read from its start.
struct input {
    const char *data;
    size_t size;
};

static inline struct input
input_of(const uint8_t *data, size_t size)
{
    return (struct input){(const char *)data, size};
}

// The next line without its LF, in the arena; "" at the end. A NUL ends it for whoever reads a
// C string.
char *input_line(struct input *self, struct arena *arena);

#endif
