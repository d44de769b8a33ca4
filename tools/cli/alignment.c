// alignment.c - `diorama alignment`: shows how a scene's coordinates relate to those of others and
// which corrections disagree, or prints all scenes that links lead to as a graph.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "tools/cli/connection.h"
#include "tools/cli/json_value.h"
#include "tools/cli/sheet.h"

#define DEGREES_PER_RADIAN 57.295779513082321
#define MANY_REJECTED 0.2 // what devices claim of their accuracy is wrong then, or many lie

struct alignment_values {
    struct connection_values connection;
    const char *scene;
    bool all;
    bool dot;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct alignment_values, scene, "SCENE", NULL, NULL, "Key of the scene.", .is_operand = true),
    OPTION (struct alignment_values, all,   "all",   NULL, "no", "Show every correction, not only those that are rejected."),
    OPTION (struct alignment_values, dot,   "dot",   NULL, "no", "Print all scenes that links lead to as a graph for Graphviz (dot)."),
    CONNECTION_URL (struct alignment_values, connection),
    CONNECTION_PROFILE (struct alignment_values, connection),
};
// clang-format on

static const char more[] =
    "Links: position (m) and rotation (deg) of the scene's origin in the other scene, their\n"
    "uncertainty (sigma), and how far the observations are from the solution (residual).\n"
    "Corrections: positions in this scene that devices reported; by how much their noise is\n"
    "larger than they say (noise), and why they are rejected (reason).\n";

static fallible
ask(http_client_t *http, const char *scene, const struct json **ret_report)
{
    owned(buffer_finish) struct buffer path = {0};
    buffer_put_chars(&path, "/v1/scene/");
    http_client_escape(&path, scene);
    buffer_put_chars(&path, "/alignment");
    TRY(http_client_call(http, "GET", &path, NULL, ret_report));
    if (!*ret_report)
        return fail(ERR_MALFORMED, "", "the answer is empty");
    return OK;
}

// --- cells ---

static void
add_chars(struct sheet *sheet, const char *chars)
{
    sheet_add(sheet, chars, strlen(chars));
}

static void
add_member(struct sheet *sheet, const struct json *record, const char *name)
{
    add_chars(sheet, json_value_chars(record, name, ""));
}

static double
number_of(const struct json *record, const char *name)
{
    const struct json *value = json_find(record, name);
    if (value && value->type == JSON_INTEGER)
        return (double)value->integer;
    return value && value->type == JSON_NUMBER ? value->number : NAN;
}

static void
add_number(struct sheet *sheet, int decimals, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    add_chars(sheet, isnan(value) ? "" : text);
}

static bool
is_true(const struct json *record, const char *name)
{
    const struct json *value = json_find(record, name);
    return value && value->type == JSON_BOOL && value->boolean;
}

static void
add_place(struct sheet *sheet, const struct json *transform)
{
    double at[3];
    char text[96] = "";
    if (json_value_numbers(transform, "translation", 3, at))
        snprintf(text, sizeof text, "%.2f %.2f %.2f", at[0], at[1], at[2]);
    add_chars(sheet, text);
}

// The angle of Rx * Ry * Rz.
static double
angle_deg(const struct json *transform)
{
    double euler[3];
    if (!json_value_numbers(transform, "rotation", 3, euler))
        return NAN;
    double x = euler[0] / 2, y = euler[1] / 2, z = euler[2] / 2;
    double w = cos(x) * cos(y) * cos(z) - sin(x) * sin(y) * sin(z);
    return 2 * acos(fmin(1, fabs(w))) * DEGREES_PER_RADIAN;
}

// --- tables ---

static const struct json *
item(const struct json *report, const char *array, size_t index)
{
    return json_value_item(report, array, index);
}

static void
add_link(struct sheet *sheet, const struct json *link)
{
    const struct json *transform = json_find(link, "transform");
    add_member(sheet, link, "scene");
    add_member(sheet, link, "status");
    add_place(sheet, transform);
    add_number(sheet, 1, angle_deg(transform));
    add_number(sheet, 3, number_of(link, "sigma_t_m"));
    add_number(sheet, 2, number_of(link, "sigma_r_rad") * DEGREES_PER_RADIAN);
    add_number(sheet, 3, number_of(link, "residual_t_m"));
    add_number(sheet, 2, number_of(link, "residual_r_rad") * DEGREES_PER_RADIAN);
    add_number(sheet, 0, number_of(link, "observations"));
    add_number(sheet, 0, number_of(link, "rejected"));
    add_number(sheet, 0, number_of(link, "devices"));
}

static void
print_links(const struct json *report)
{
    static const char *const titles[] = {
        "link to",  "status", "origin there", "turned",   "sigma m", "deg",
        "residual", "deg",    "observations", "rejected", "devices",
    };
    enum { COLUMNS = sizeof titles / sizeof titles[0] };
    owned(sheet_finish) struct sheet sheet = {.columns = COLUMNS};
    for (size_t i = 0; i < COLUMNS; i++)
        add_chars(&sheet, titles[i]);
    const struct json *link;
    size_t count = 0;
    for (; (link = item(report, "links", count)) != NULL; count++)
        add_link(&sheet, link);
    if (count > 0)
        sheet_print(&sheet, stdout);
    else
        puts("no links");
}

static const char *
state_of(const struct json *correction)
{
    return is_true(correction, "rejected")     ? "rejected"
           : is_true(correction, "superseded") ? "superseded"
           : is_true(correction, "pinned")     ? "pinned"
                                               : "counts";
}

static void
add_correction(struct sheet *sheet, const struct json *correction)
{
    add_member(sheet, correction, "id");
    add_member(sheet, correction, "device");
    add_chars(sheet, state_of(correction));
    add_number(sheet, 2, number_of(correction, "weight"));
    add_number(sheet, 3, number_of(correction, "residual_t_m"));
    add_number(sheet, 2, number_of(correction, "residual_r_rad") * DEGREES_PER_RADIAN);
    add_member(sheet, correction, "method");
    add_number(sheet, 1, number_of(correction, "noise_factor"));
    add_member(sheet, correction, "reason");
}

static void
print_corrections(const struct json *report, bool all)
{
    static const char *const titles[] = {"correction", "device", "state", "weight", "residual",
                                         "deg",        "method", "noise", "reason"};
    enum { COLUMNS = sizeof titles / sizeof titles[0] };
    owned(sheet_finish) struct sheet sheet = {.columns = COLUMNS};
    for (size_t i = 0; i < COLUMNS; i++)
        add_chars(&sheet, titles[i]);
    const struct json *correction;
    size_t shown = 0, count = 0;
    for (; (correction = item(report, "corrections", count)) != NULL; count++) {
        if (!all && !is_true(correction, "rejected"))
            continue;
        add_correction(&sheet, correction);
        shown++;
    }
    if (shown > 0)
        sheet_print(&sheet, stdout);
    else
        printf("%zu corrections%s\n", count, all ? "" : ", none is rejected");
    double share = number_of(report, "rejected_share");
    if (share > MANY_REJECTED)
        printf(
            "%.0f %% of the evidence that is connected with this scene disagrees with the rest\n",
            100 * share);
}

// --- the graph ---

// Scenes in the order in which links lead to them.
struct component {
    struct arena arena;
    size_t count;
    const struct text *keys[LIMIT_RECORDS];
};

static void
component_add(struct component *self, const char *key)
{
    for (size_t i = 0; i < self->count; i++)
        if (text_is(self->keys[i], key))
            return;
    if (self->count < LIMIT_RECORDS)
        self->keys[self->count++] = text_from(&self->arena, key);
}

// Prints a name for Graphviz: in quotes, with quotes and backslashes escaped.
static void
put_name(const char *name)
{
    putchar('"');
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            putchar('\\');
        putchar(*name);
    }
    putchar('"');
}

static void
print_edge(const char *scene, const struct json *link)
{
    const char *other = json_value_chars(link, "scene", ""),
               *status = json_value_chars(link, "status", "");
    const char *style = strcmp(status, "predicted") == 0     ? "solid"
                        : strcmp(status, "conflicting") == 0 ? "bold\" color=\"red"
                                                             : "dashed";
    if (strcmp(scene, other) >= 0)
        return; // the other end prints it
    fputs("  ", stdout);
    put_name(scene);
    fputs(" -- ", stdout);
    put_name(other);
    printf(" [label=\"%s\\n%.2f m, %.1f deg\" style=\"%s\"];\n", status,
           number_of(link, "sigma_t_m"), number_of(link, "sigma_r_rad") * DEGREES_PER_RADIAN,
           style);
}

static fallible
print_graph(http_client_t *http, const char *scene, struct component *component)
{
    component_add(component, scene);
    puts("graph alignment {");
    for (size_t i = 0; i < component->count; i++) {
        const struct json *report, *link;
        TRY(ask(http, text_chars(component->keys[i]), &report));
        fputs("  ", stdout);
        put_name(text_chars(component->keys[i]));
        puts(";");
        for (size_t k = 0; (link = item(report, "links", k)) != NULL; k++) {
            component_add(component, json_value_chars(link, "scene", ""));
            print_edge(text_chars(component->keys[i]), link);
        }
    }
    puts("}");
    return OK;
}

static fallible
print_report(http_client_t *http, const struct alignment_values *values)
{
    const struct json *report;
    TRY(ask(http, values->scene, &report));
    print_links(report);
    puts("");
    print_corrections(report, values->all);
    return OK;
}

static enum outcome
alignment_run(const void *untyped)
{
    const struct alignment_values *values = untyped;
    owned(http_client_destroy) http_client_t *http = NULL;
    static struct component component; // of the one run; 80 KB
    enum error error = connection_open(&values->connection, &http);
    if (error != OK)
        return connection_failed("alignment", error);
    error = values->dot ? print_graph(http, values->scene, &component) : print_report(http, values);
    arena_finish(&component.arena);
    return error == OK ? OUTCOME_DONE : command_refused("alignment", error);
}

const struct command alignment_command = {
    .name = "alignment",
    .about = "Show how a scene's coordinates relate to those of other scenes, and why.",
    .more = more,
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
    .values_size = sizeof(struct alignment_values),
    .run = alignment_run,
};
