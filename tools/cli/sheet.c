// sheet.c - cleans and measures cells when they are added.
#include "tools/cli/sheet.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tools/cli/terminal_text.h"

void
sheet_finish(struct sheet *self)
{
    buffer_finish(&self->text);
}

void
sheet_add(struct sheet *self, const char *chars, size_t size)
{
    size_t column = self->cells++ % self->columns, width = 0, step;
    size_t most = column > 0 && self->cell_max ? self->cell_max : SIZE_MAX;
    size_t fits = self->text.size; // where the cell ends if it is cut
    for (size_t i = 0; i < size && width <= most; i += step) {
        width += terminal_text_put_one(&self->text, chars + i, size - i, &step);
        if (width < most)
            fits = self->text.size;
    }
    if (width > most) {
        self->text.size = fits;
        buffer_put_chars(&self->text, "…");
        width = most;
    }
    if (size == 0) {
        buffer_put_char(&self->text, '-');
        width = 1;
    }
    buffer_put_char(&self->text, '\0');
    if (width > self->widths[column])
        self->widths[column] = width;
}

void
sheet_print(const struct sheet *self, FILE *out)
{
    const char *cell = self->text.data;
    for (size_t i = 0; i < self->cells; i++) {
        size_t column = i % self->columns;
        bool is_last = column + 1 == self->columns;
        size_t blanks = is_last ? 0 : self->widths[column] + 2 - terminal_text_width(cell);
        fprintf(out, "%s%*s", cell, (int)blanks, "");
        if (is_last)
            fputc('\n', out);
        cell += strlen(cell) + 1;
    }
}
