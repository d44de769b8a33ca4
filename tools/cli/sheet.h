// sheet.h - rows of cells printed as aligned columns, for people on a terminal.
#ifndef DIORAMA_TOOLS_CLI_SHEET_H
#define DIORAMA_TOOLS_CLI_SHEET_H

#include <stddef.h>
#include <stdio.h>

#include "proto/base/buffer.h"

enum { SHEET_COLUMNS_MAX = 16 };

// Embedded; all zero but `columns` and `cell_max` is a valid empty sheet.
struct sheet {
    size_t columns;  // 1 to SHEET_COLUMNS_MAX
    size_t cell_max; // widest cell except the first of a row, in columns of the terminal; 0 = any
    size_t cells;
    size_t widths[SHEET_COLUMNS_MAX];
    struct buffer text; // the cells, each with its NUL
};

void sheet_finish(struct sheet *self);

// Adds a cell, row after row, cleaned as by terminal_text_put. An empty cell becomes `-`; one that
// is too wide ends in `…`.
void sheet_add(struct sheet *self, const char *chars, size_t size);

// Prints complete rows, two blanks between columns, none at the end of a line.
void sheet_print(const struct sheet *self, FILE *out);

#endif
