// audit_reader.c - the lines of all classes, merged: the smallest of the numbers that come next in
// each class is the next one.
#include "proto/message/audit_reader.h"

#include <stdlib.h>

#include "proto/base/memory.h"

// Where the reader stands in one class.
struct head {
    struct audit_files files;
    size_t next; // file to be opened
    FILE *file;
    char *chars;
    size_t capacity;
    struct arena arena;     // of the line
    struct audit_text line; // the next one of the class
    bool is_ended;
};

struct audit_reader {
    const char *folder;
    struct head heads[AUDIT_CLASSES];
    struct head *last; // whose line was read; it is replaced when the next one is asked for
    bool is_torn;
};

// A file whose successor begins at or before the wanted number has none of the wanted lines.
static size_t
first_file(const struct audit_files *files, uint64_t after)
{
    size_t index = 0;
    while (index + 1 < files->count && files->firsts[index + 1] <= after + 1)
        index++;
    return index;
}

// The next whole line of the class without its end; 0 at the end of its last file.
static size_t
next_size(audit_reader_t *self, struct head *head)
{
    for (;;) {
        ssize_t size = head->file ? getline(&head->chars, &head->capacity, head->file) : -1;
        if (size > 0 && head->chars[size - 1] == '\n')
            return (size_t)size - 1;
        self->is_torn = self->is_torn || size > 0;
        if (head->file)
            fclose(head->file);
        head->file = NULL;
        if (head->next == head->files.count)
            return 0;
        char path[AUDIT_PATH_SIZE];
        audit_files_path(self->folder, (enum audit_class)(head - self->heads),
                         head->files.firsts[head->next++], path);
        head->file = fopen(path, "re"); // NULL: it was removed meanwhile
    }
}

static void
advance(audit_reader_t *self, struct head *head)
{
    struct audit_text *line = &head->line;
    arena_finish(&head->arena);
    line->size = next_size(self, head);
    line->chars = head->chars;
    line->json = NULL;
    head->is_ended = line->size == 0 && !head->file;
    if (head->is_ended || json_parse(&head->arena, line->chars, line->size, &line->json) != OK)
        return;
    const struct json *number = json_find(line->json, "number");
    if (number && number->type == JSON_INTEGER && number->integer > 0)
        line->number = (uint64_t)number->integer;
}

fallible
audit_reader_create(const char *folder, uint64_t after, audit_reader_t **ret_reader)
{
    audit_reader_t *self = memory_take_zeroed(sizeof *self);
    self->folder = folder;
    for (int i = 0; i < AUDIT_CLASSES; i++) {
        enum error error = audit_files_read(folder, (enum audit_class)i, &self->heads[i].files);
        if (error != OK) {
            audit_reader_destroy(&self);
            return error;
        }
    }
    for (int i = 0; i < AUDIT_CLASSES; i++) {
        self->heads[i].line.class = (enum audit_class)i;
        self->heads[i].next = first_file(&self->heads[i].files, after);
        advance(self, &self->heads[i]);
    }
    *ret_reader = self;
    return OK;
}

void
audit_reader_destroy(audit_reader_t **self)
{
    if (!*self)
        return;
    for (int i = 0; i < AUDIT_CLASSES; i++) {
        struct head *head = &(*self)->heads[i];
        if (head->file)
            fclose(head->file);
        free(head->chars);
        audit_files_finish(&head->files);
        arena_finish(&head->arena);
    }
    free(*self);
    *self = NULL;
}

bool
audit_reader_next(audit_reader_t *self, struct audit_text *ret_line)
{
    struct head *first = NULL;
    if (self->last)
        advance(self, self->last);
    for (int i = 0; i < AUDIT_CLASSES; i++) {
        struct head *head = &self->heads[i];
        if (!head->is_ended && (!first || head->line.number < first->line.number))
            first = head;
    }
    self->last = first;
    if (first)
        *ret_line = first->line;
    return first != NULL;
}

bool
audit_reader_is_torn(const audit_reader_t *self)
{
    return self->is_torn;
}
