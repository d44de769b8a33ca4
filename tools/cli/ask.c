// ask.c - runs all verbs: the row of a verb says what to ask the server for and what to show.
#include "tools/cli/ask.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"
#include "tools/cli/members.h"
#include "tools/cli/nearest.h"
#include "tools/cli/password.h"
#include "tools/cli/request_text.h"
#include "tools/cli/show.h"

enum { ROWS_MAX = VERB_OPERANDS_MAX + 12, WORD_BYTES = 32, MORE_BYTES = 512 };

struct ask_values {
    struct connection_values connection;
    struct request_values request;
    const char *password_file;
    bool json;
};

// A verb as a command; its options follow from its row.
struct ask {
    const struct verb *verb;
    struct command command;
    struct option_row rows[ROWS_MAX];
    char name[2 * WORD_BYTES];
    char operands[VERB_OPERANDS_MAX][WORD_BYTES];
    char more[MORE_BYTES];
};

// clang-format off
static const struct option_row common_rows[] = {
    OPTION (struct ask_values, json,          "json",          NULL,   "no", "Print the server's answer unchanged, on one line."),
    CONNECTION_URL (struct ask_values, connection),
    CONNECTION_PROFILE (struct ask_values, connection),
};
static const struct option_row operand_row =
    OPTION (struct ask_values, request.operands[0], "", NULL, NULL, "", .is_operand = true);
static const struct option_row members_row =
    OPTION (struct ask_values, request.members, "NAME=VALUE", NULL, "", "", .is_operand = true);
static const struct option_row file_row =
    OPTION (struct ask_values, request.file,  "file",          "FILE", "",   "JSON to start from: a record, an array of records, or a whole body; - = standard input.");
static const struct option_row lenient_row =
    OPTION (struct ask_values, request.lenient, "lenient",     NULL,   "no", "Send what is probably not meant (unknown members, places outside the map) all the same.");
static const struct option_row limit_row =
    OPTION (struct ask_values, request.limit, "limit",         "N",    "0",  "Show at most N; 0 = the server's default.", .maximum = LIMIT_RECORDS);
static const struct option_row start_row =
    OPTION (struct ask_values, request.start, "start",         "N",    "0",  "", .maximum = 1e15);
static const struct option_row device_row =
    OPTION (struct ask_values, request.device, "device",       "KEY",  "",   "Device that holds the lock, if the server enforces locks.");
static const struct option_row convention_row =
    OPTION (struct ask_values, request.convention, "convention", "NAME", "",  "Axes of the transforms sent and shown: gltf (or godot, three), unity, unreal, ros, enu (or blender), cv, ned.");
static const struct option_row form_row =
    OPTION (struct ask_values, request.form, "form",           "NAME", "",   "geopose: show where things are on Earth too; the scene needs latitude and longitude. Of objects trs: show translation, rotations and scale too.");
static const struct option_row password_row =
    OPTION (struct ask_values, password_file, "password-file", "FILE", "",   "File whose first line is the password; - = standard input.");

// What the names in paths mean.
static const struct { const char *name, *about; } operand_abouts[] = {
    {"scene",        "Key of the scene."},
    {"object",       "Key of the object."},
    {"property",     "Key of the property."},
    {"asset",        "Key of the asset."},
    {"device",       "Key of the device."},
    {"project",      "Id of the project."},
    {"group",        "Name of the group."},
    {"collection",   "Id of the collection."},
    {"tag",          "Text of the tag."},
    {"user",         "Id of the account."},
    {"action",       "Name of the action."},
    {"frame",        "Number of the frame; may be negative."},
    {"type",         "Type of the relationship, such as scene or object."},
    {"related",      "Key of what the asset belongs to."},
};
// clang-format on

static struct option_row *
add_row(struct ask *self, const struct option_row *row)
{
    struct option_row *added = &self->rows[self->command.option_count++];
    *added = *row;
    return added;
}

static const char *
operand_about(const char *name)
{
    for (size_t i = 0; i < sizeof operand_abouts / sizeof operand_abouts[0]; i++)
        if (strcmp(operand_abouts[i].name, name) == 0)
            return operand_abouts[i].about;
    return "";
}

static void
add_operands(struct ask *self)
{
    const char *names[VERB_OPERANDS_MAX];
    size_t sizes[VERB_OPERANDS_MAX];
    size_t count = verb_operands(self->verb, names, sizes);
    for (size_t i = 0; i < count; i++) {
        struct option_row *row = add_row(self, &operand_row);
        char *word = self->operands[i];
        snprintf(word, WORD_BYTES, "%.*s", (int)sizes[i], names[i]);
        row->about = operand_about(word);
        for (char *letter = word; *letter; letter++)
            *letter = (char)toupper((unsigned char)*letter);
        row->name = word;
        row->offset += i * sizeof(const char *);
    }
}

static void
add_options(struct ask *self)
{
    const struct verb *verb = self->verb;
    if (verb->input != INPUT_NONE)
        add_row(self, &members_row)->about = verb->input == INPUT_RECORD
                                                 ? "Member of the record; a value that is not "
                                                   "valid JSON is text."
                                                 : "Parameter to search by.";
    if (verb->input == INPUT_RECORD) {
        add_row(self, &file_row);
        add_row(self, &lenient_row);
    }
    if (verb->takes_device)
        add_row(self, &device_row);
    if (verb->takes_convention)
        add_row(self, &convention_row);
    if (verb->takes_form)
        add_row(self, &form_row);
    if (verb->password != PASSWORD_NONE)
        add_row(self, &password_row);
    if (verb->paging) {
        struct option_row *start = add_row(self, &start_row);
        start->name = verb->paging->option;
        start->about = verb->paging->about;
        add_row(self, &limit_row);
    }
    for (size_t i = 0; i < sizeof common_rows / sizeof common_rows[0]; i++)
        add_row(self, &common_rows[i]);
}

static void
prepare(struct ask *self, const struct verb *verb)
{
    *self = (struct ask){.verb = verb};
    snprintf(self->name, sizeof self->name, "%s %s", verb->noun->name, verb->name);
    snprintf(self->more, sizeof self->more, "Sends %s %s%s%s\n", verb->method, verb->path,
             verb->body ? " with " : "", verb->body ? verb->body : "");
    self->command = (struct command){.name = self->name,
                                     .about = verb->about,
                                     .more = self->more,
                                     .options = self->rows,
                                     .values_size = sizeof(struct ask_values)};
    add_operands(self);
    add_options(self);
}

// Reads the password that goes into the record; asks for none if --file brings the record.
static fallible
take_password(const struct verb *verb, struct ask_values *values, struct buffer *password)
{
    if (members_have(&values->request.members, "password"))
        return fail(ERR_INVALID, "", "a password cannot be an argument; use --password-file");
    if (verb->password == PASSWORD_NONE ||
        (values->password_file[0] == '\0' &&
         (verb->password == PASSWORD_OPTIONAL || values->request.file[0])))
        return OK;
    TRY(password_read(values->password_file, true, password));
    values->request.password = password->data;
    return OK;
}

// Tells people that the answer was cut.
static void
note_more(const struct ask *self, const struct json *answer)
{
    uint64_t next = json_value_unsigned(answer, "next_start_record", 0);
    const char *cursor = self->verb->array ? json_value_chars(answer, "next", "") : "";
    if (cursor[0])
        fprintf(stderr, "diorama %s: there are more records: after=%s\n", self->name, cursor);
    if (next)
        fprintf(stderr, "diorama %s: there are more records: --start=%llu\n", self->name,
                (unsigned long long)next);
}

static void
print_raw(const http_client_t *http)
{
    const struct buffer *answer = http_client_answer(http);
    if (answer->size == 0)
        return;
    fwrite(answer->data, 1, answer->size, stdout);
    if (answer->data[answer->size - 1] != '\n')
        fputc('\n', stdout);
}

// Sends the request and shows the answer.
static enum outcome
converse(const struct ask *self, const struct ask_values *values, http_client_t *http,
         const struct buffer *path, const struct buffer *body)
{
    const struct json *answer = NULL;
    bool is_parsed = !values->json && self->verb->output != OUTPUT_NOTHING;
    const struct json **ret_answer = is_parsed ? &answer : NULL;
    enum error error = self->verb->is_once
                           ? http_client_post_once(http, path, body, ret_answer)
                           : http_client_call(http, self->verb->method, path, body, ret_answer);
    if (values->json)
        print_raw(http);
    else if (error == OK)
        error = show_answer(self->verb, answer, stdout);
    if (error != OK)
        return command_refused(self->name, error);
    note_more(self, answer);
    return fflush(stdout) == 0 ? OUTCOME_DONE : OUTCOME_FILE;
}

static enum outcome
ask(const struct ask *self, struct ask_values *values)
{
    owned(password_finish) struct buffer password = {0};
    owned(password_finish) struct buffer body = {0};
    owned(buffer_finish) struct buffer path = {0};
    owned(http_client_destroy) http_client_t *http = NULL;
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed(self->name, error);
    error = members_check(&values->request.members);
    if (error == OK)
        error = take_password(self->verb, values, &password);
    if (error == OK && self->verb->body)
        error = request_put_body(&body, self->verb, &values->request);
    if (error != OK)
        return connection_failed(self->name, error);
    request_put_path(&path, self->verb, &values->request);
    return converse(self, values, http, &path, self->verb->body ? &body : NULL);
}

void
ask_describe(const struct verb *verb, command_visitor *visit, void *context)
{
    struct ask self;
    if (verb->command) {
        visit(context, verb->command);
        return;
    }
    prepare(&self, verb);
    visit(context, &self.command);
}

static enum outcome
run_verb(const struct verb *verb, int argc, char *const *argv)
{
    struct ask self;
    struct ask_values values = {.request = {.file = "", .device = ""}, .password_file = ""};
    if (verb->command)
        return command_run(verb->command, argc, argv);
    prepare(&self, verb);
    if (options_ask_help(argc, argv)) {
        command_help(&self.command, stdout);
        return OUTCOME_DONE;
    }
    enum error error = options_parse(self.rows, self.command.option_count, argc, argv, &values);
    return error == OK ? ask(&self, &values) : command_failed(self.name, error, OUTCOME_USAGE);
}

void
ask_help(const struct noun *noun, FILE *out)
{
    fprintf(out, "diorama %s - %s\n\nUsage: diorama %s VERB [ARGUMENT]... [OPTION]...\n",
            noun->name, noun->about, noun->name);
    command_heading("\nVerbs:", out);
    for (size_t i = 0; i < verbs_count; i++) {
        const struct verb *verb = &verbs[i];
        if (verb->noun == noun)
            fprintf(out, "  %-15s  %s\n", verb->name,
                    verb->command ? verb->command->about : verb->about);
    }
    command_examples(noun->examples, out);
    fprintf(out, "\ndiorama %s VERB --help shows details of a verb.\n", noun->name);
}

static enum outcome
refuse_verb(const struct noun *noun, const char *name)
{
    struct nearest nearest = {.word = name};
    for (size_t i = 0; i < verbs_count; i++)
        if (verbs[i].noun == noun)
            nearest_try(&nearest, verbs[i].name);
    owned(buffer_finish) struct buffer scope = {0};
    buffer_put_format(&scope, "diorama %s", noun->name);
    buffer_put_char(&scope, '\0');
    command_unknown(scope.data, "verb", &nearest);
    return OUTCOME_USAGE;
}

enum outcome
ask_run(const struct noun *noun, int argc, char *const *argv)
{
    const char *name = argc > 0 ? argv[0] : "";
    const struct verb *verb = verb_find(noun, name);
    if (verb)
        return run_verb(verb, argc - 1, argv + 1);
    if (strcmp(name, "help") == 0 || options_ask_help(argc > 0, argv)) {
        ask_help(noun, stdout);
        return OUTCOME_DONE;
    }
    if (name[0])
        return refuse_verb(noun, name);
    ask_help(noun, stderr);
    return OUTCOME_USAGE;
}
