// man.c - `diorama man`: writes manual pages from the tables of commands, verbs and options.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/version.h"
#include "tools/cli/command_list.h"

struct man_values {
    const char *folder;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct man_values, folder, "FOLDER", NULL, NULL, "Folder for the pages, such as ~/.local/share/man/man1; it exists.", .is_operand = true),
};
// clang-format on

static const char more[] =
    "diorama.1 lists everything; each command and each noun has a page of its\n"
    "own: man diorama-watch, man diorama-scene.\n";

// Text in roff: what would be a request or an escape is not. Line ends are kept.
static void
put_text(FILE *page, const char *text)
{
    bool is_first = true;
    for (; *text; text++) {
        if (is_first && (*text == '.' || *text == '\''))
            fputs("\\&", page);
        if (*text == '\\')
            fputs("\\e", page);
        else if (*text == '-')
            fputs("\\-", page);
        else
            fputc(*text, page);
        is_first = *text == '\n';
    }
}

// --- parts of a page ---

static void
put_options(FILE *page, const struct command *command, bool operands)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option_row *row = &command->options[i];
        if (row->is_operand != operands)
            continue;
        fprintf(page, ".TP\n\\fB%s", operands ? "" : "\\-\\-");
        put_text(page, row->name);
        fputs("\\fR", page);
        if (row->placeholder)
            fprintf(page, "=\\fI%s\\fR", row->placeholder);
        fputc('\n', page);
        put_text(page, row->about);
        if (row->placeholder && row->preset && row->preset[0]) {
            fputs(" Default: ", page);
            put_text(page, row->preset);
            fputc('.', page);
        }
        fputc('\n', page);
    }
}

static void
put_usage(FILE *page, const struct command *command)
{
    fputs("\\fBdiorama ", page);
    put_text(page, command->name);
    fputs("\\fR", page);
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].is_operand)
            fprintf(page, command->options[i].preset ? " [\\fI%s\\fR]" : " \\fI%s\\fR",
                    command->options[i].name);
    fputs(" [\\fIOPTION\\fR]...\n", page);
}

// Lines as they are.
static void
put_literal(FILE *page, const char *text)
{
    fputs(".nf\n", page);
    put_text(page, text);
    fputs(".fi\n", page);
}

static void
put_examples(FILE *page, const char *examples)
{
    fputs(".nf\n", page);
    for (const char *line = examples; *line;) {
        char example[512];
        size_t size = strcspn(line, "\n");
        snprintf(example, sizeof example, "diorama %.*s\n", (int)size, line);
        put_text(page, example);
        line += size + (line[size] == '\n');
    }
    fputs(".fi\n", page);
}

static void
put_exit_codes(FILE *page)
{
    fputs(".SH EXIT STATUS\n", page);
#define X(name, code, about)                                                                       \
    fprintf(page, ".TP\n%d\n", code);                                                              \
    put_text(page, about "\n");
    OUTCOMES(X)
#undef X
}

// --- pages ---

struct writing {
    const char *folder;
    const struct noun *noun; // whose verbs are written
    FILE *page;              // of that noun
    enum error error;        // the first one
};

static FILE *
page_open(struct writing *self, const char *name, const char *about)
{
    char path[4096];
    if (self->error != OK)
        return NULL;
    snprintf(path, sizeof path, "%s/diorama%s%s.1", self->folder, *name ? "-" : "", name);
    FILE *page = fopen(path, "w");
    if (!page) {
        self->error = fail(ERR_UNAVAILABLE, "", "%s: %s", path, strerror(errno));
        return NULL;
    }
    fprintf(page, ".TH DIORAMA%s%s 1 \"\" \"Diorama %s\"\n.SH NAME\ndiorama%s%s \\- ",
            *name ? "-" : "", name, version_text(), *name ? "\\-" : "", name);
    put_text(page, about);
    fputc('\n', page);
    return page;
}

static void
page_close(struct writing *self, FILE *page)
{
    put_exit_codes(page);
    bool is_bad = ferror(page) != 0;
    if ((fclose(page) != 0 || is_bad) && self->error == OK)
        self->error = fail(ERR_UNAVAILABLE, "", "%s: a page cannot be written", self->folder);
}

static void
write_command(struct writing *self, const struct command *command)
{
    FILE *page = page_open(self, command->name, command->about);
    if (!page)
        return;
    fputs(".SH SYNOPSIS\n", page);
    put_usage(page, command);
    if (command->more) {
        fputs(".SH DESCRIPTION\n", page);
        put_literal(page, command->more);
    }
    fputs(".SH OPTIONS\n", page);
    put_options(page, command, true);
    put_options(page, command, false);
    if (command->examples) {
        fputs(".SH EXAMPLES\n", page);
        put_examples(page, command->examples);
    }
    page_close(self, page);
}

static void
write_verb(void *context, const struct command *command)
{
    struct writing *self = context;
    fputs(".SS ", self->page);
    put_text(self->page, command->name);
    fputs("\n", self->page);
    put_usage(self->page, command);
    fputs(".PP\n", self->page);
    put_text(self->page, command->about);
    fputs("\n", self->page);
    put_options(self->page, command, true);
    put_options(self->page, command, false);
    if (command->examples)
        put_examples(self->page, command->examples);
}

static void
write_noun(struct writing *self, const struct noun *noun)
{
    self->page = page_open(self, noun->name, noun->about);
    if (!self->page)
        return;
    fprintf(self->page,
            ".SH SYNOPSIS\n\\fBdiorama %s\\fR \\fIVERB\\fR [\\fIARGUMENT\\fR]... "
            "[\\fIOPTION\\fR]...\n.SH VERBS\n",
            noun->name);
    for (size_t i = 0; i < verbs_count; i++)
        if (verbs[i].noun == noun)
            ask_describe(&verbs[i], write_verb, self);
    fputs(".SH EXAMPLES\n", self->page);
    put_examples(self->page, noun->examples);
    page_close(self, self->page);
}

static void
put_entry(FILE *page, const char *name, const char *about)
{
    fprintf(page, ".TP\n.BR diorama\\-%s (1)\n", name);
    put_text(page, about);
    fputc('\n', page);
}

static void
write_overview(struct writing *self)
{
    FILE *page = page_open(self, "", "client of the Diorama spatial scene server");
    if (!page)
        return;
    fputs(".SH SYNOPSIS\n\\fBdiorama\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n\\fBdiorama\\fR "
          "\\fINOUN VERB\\fR [\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n.SH COMMANDS\n",
          page);
    for (size_t i = 0; i < command_list_count(); i++)
        put_entry(page, command_list_item(i)->name, command_list_item(i)->about);
    fputs(".SH NOUNS\n", page);
    for (size_t i = 0; i < nouns_count; i++)
        put_entry(page, nouns[i]->name, nouns[i]->about);
    page_close(self, page);
}

static enum outcome
man_run(const void *untyped)
{
    const struct man_values *values = untyped;
    struct writing self = {.folder = values->folder};
    write_overview(&self);
    for (size_t i = 0; i < command_list_count(); i++)
        write_command(&self, command_list_item(i));
    for (size_t i = 0; i < nouns_count; i++)
        write_noun(&self, nouns[i]);
    return self.error == OK ? OUTCOME_DONE : command_failed("man", self.error, OUTCOME_FILE);
}

const struct command man_command = {
    .name = "man",
    .about = "Write manual pages to a folder.",
    .more = more,
    .examples = "man ~/.local/share/man/man1",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct man_values),
    .run = man_run,
};
