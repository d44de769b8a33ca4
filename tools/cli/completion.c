// completion.c - `diorama completion`: prints what a shell needs to complete command lines, made
// from the tables of commands, verbs and options.
#include <stdio.h>
#include <string.h>

#include "tools/cli/command_list.h"

struct completion_values {
    const char *shell;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct completion_values, shell, "SHELL", NULL, NULL, "Shell to complete in: bash, zsh or fish.", .choices = "bash|zsh|fish", .is_operand = true),
};
// clang-format on

static const char more[] =
    "bash: eval \"$(diorama completion bash)\" in ~/.bashrc\n"
    "zsh:  eval \"$(diorama completion zsh)\" in ~/.zshrc, after compinit\n"
    "fish: diorama completion fish > ~/.config/fish/completions/diorama.fish\n";

// --- bash, which zsh can read too ---

// bash cuts a word at `=`: what stands before it is put back for the search, and is removed from
// what is found.
static const char bash_begin[] =
    "_diorama() {\n"
    "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
    "    local words=\"\" count=0 cut=\"\" found=\"\" i\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        case \"${COMP_WORDS[i]}\" in\n"
    "            =) i=$((i + 1)) ;;\n"
    "            --url|--http|--profile) [ \"${COMP_WORDS[i+1]}\" = \"=\" ] || i=$((i + 1)) ;;\n"
    "            -*) ;;\n"
    "            *) count=$((count + 1))\n"
    "               [ $count -le 2 ] && words=\"$words${COMP_WORDS[i]} \" ;;\n"
    "        esac\n"
    "    done\n"
    "    if [ \"$cur\" = \"=\" ]; then cut=\"$prev=\"; cur=\"$cut\"\n"
    "    elif [ \"$prev\" = \"=\" ]; then cut=\"${COMP_WORDS[COMP_CWORD-2]}=\"; cur=\"$cut$cur\"\n"
    "    fi\n"
    "    case \"$words\" in\n";

static const char bash_end[] =
    "    esac\n"
    "    COMPREPLY=()\n"
    "    for i in $(compgen -W \"$found\" -- \"$cur\"); do COMPREPLY+=(\"${i#\"$cut\"}\"); done\n"
    "    [ -n \"${COMPREPLY[*]-}\" ] || case \"$cur\" in -*) ;; *) COMPREPLY=($(compgen -f -- "
    "\"${cur#\"$cut\"}\")) ;; esac\n"
    "}\n"
    "complete -o nosort -F _diorama diorama\n";

// An option as it is typed, with each of its choices.
static void
put_bash_option(const struct option_row *row)
{
    if (row->is_operand)
        return;
    if (!row->choices) {
        printf(" --%s%s", row->name, row->placeholder ? "=" : "");
        return;
    }
    for (const char *choice = row->choices; *choice;) {
        size_t size = strcspn(choice, "|");
        printf(" --%s=%.*s", row->name, (int)size, choice);
        choice += size + (choice[size] == '|');
    }
}

static void
put_bash_command(void *context, const struct command *command)
{
    (void)context;
    printf("        \"%s \"*) found=\"--help", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        put_bash_option(&command->options[i]);
    puts("\" ;;");
}

static void
put_bash_noun(const struct noun *noun, const char *pattern)
{
    printf("        %s) found=\"--help", pattern);
    for (size_t i = 0; i < verbs_count; i++)
        if (verbs[i].noun == noun)
            printf(" %s", verbs[i].name);
    puts("\" ;;");
}

static void
put_bash_first_words(void)
{
    fputs("        *) found=\"help --help --version --url= --profile=", stdout);
    for (size_t i = 0; i < command_list_count(); i++)
        printf(" %s", command_list_item(i)->name);
    for (size_t i = 0; i < nouns_count; i++)
        printf(" %s", nouns[i]->name);
    puts("\" ;;");
}

static void
put_bash(void)
{
    char pattern[64];
    fputs(bash_begin, stdout);
    command_list_walk(put_bash_command, NULL);
    for (size_t i = 0; i < nouns_count; i++) {
        snprintf(pattern, sizeof pattern, "\"%s \"*", nouns[i]->name);
        put_bash_noun(nouns[i], pattern);
    }
    put_bash_first_words();
    fputs(bash_end, stdout);
}

static void
put_zsh(void)
{
    puts("#compdef diorama\nautoload -Uz bashcompinit && bashcompinit");
    put_bash();
}

// --- fish ---

// A sentence between single quotes.
static void
put_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

// A word that may come after these words.
static void
put_fish_word(const char *after, const char *word, const char *about)
{
    printf("complete -c diorama -n '__diorama_after %s' -xa %s -d ", after, word);
    put_quoted(about);
    putchar('\n');
}

static void
put_fish_option(const struct command *command, const struct option_row *row)
{
    if (row->is_operand)
        return;
    printf("complete -c diorama -n '__diorama_in %s' -l %s", command->name, row->name);
    if (row->letter)
        printf(" -s %c", row->letter);
    if (row->choices) {
        fputs(" -xa '", stdout);
        for (const char *c = row->choices; *c; c++)
            putchar(*c == '|' ? ' ' : *c);
        putchar('\'');
    } else if (row->placeholder) {
        fputs(" -r", stdout);
    }
    fputs(" -d ", stdout);
    put_quoted(row->about);
    putchar('\n');
}

static void
put_fish_command(void *context, const struct command *command)
{
    (void)context;
    const char *blank = strchr(command->name, ' ');
    char noun[32];
    snprintf(noun, sizeof noun, "%.*s", blank ? (int)(blank - command->name) : 0, command->name);
    put_fish_word(noun, blank ? blank + 1 : command->name, command->about);
    for (size_t i = 0; i < command->option_count; i++)
        put_fish_option(command, &command->options[i]);
}

static void
put_fish(void)
{
    puts("function __diorama_words\n"
         "    string match -v -- '-*' (commandline -opc)[2..-1]\n"
         "end\n"
         "function __diorama_after\n"
         "    test (string join ' ' -- (__diorama_words)) = (string join ' ' -- $argv)\n"
         "end\n"
         "function __diorama_in\n"
         "    set -l words (__diorama_words)\n"
         "    test (count $words) -ge (count $argv)\n"
         "    and test (string join ' ' -- $words[1..(count $argv)]) = (string join ' ' -- $argv)\n"
         "end");
    for (size_t i = 0; i < nouns_count; i++)
        put_fish_word("", nouns[i]->name, nouns[i]->about);
    command_list_walk(put_fish_command, NULL);
}

static enum outcome
completion_run(const void *untyped)
{
    const struct completion_values *values = untyped;
    if (values->shell[0] == 'b')
        put_bash();
    else if (values->shell[0] == 'z')
        put_zsh();
    else
        put_fish();
    return fflush(stdout) == 0 ? OUTCOME_DONE : OUTCOME_FILE;
}

const struct command completion_command = {
    .name = "completion",
    .about = "Print what a shell needs to complete command lines.",
    .more = more,
    .examples = "completion bash\ncompletion fish",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct completion_values),
    .run = completion_run,
};
