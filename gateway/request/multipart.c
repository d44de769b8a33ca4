// multipart.c - reads multipart/form-data piece by piece. Pure. One buffer holds the bytes that may
// begin a delimiter or belong to an incomplete header. All others are passed on without a copy.
#define _GNU_SOURCE // memmem
#include "gateway/request/multipart.h"

#include <string.h>
#include <strings.h>

#include "gateway/http/percent.h"
#include "proto/base/limits.h"

static const char form_type[] = "multipart/form-data";

// Parameters of a header field: `; name=token` or `; name="quoted"`.
struct parameter {
    const char *name;
    size_t name_size;
    const char *value;
    size_t size;
    bool is_quoted;
};

// The end of a quoted string whose content begins at `at`; NULL if it has none.
static const char *
quoted_end(const char *at)
{
    for (; *at && *at != '"'; at++)
        if (at[0] == '\\' && at[1] == '"') // some clients write quotes so; other backslashes stay
            at++;
    return *at ? at : NULL;
}

// Takes the next parameter from `*at`; false at the end, or if there is none.
static bool
next_parameter(const char **at, struct parameter *ret)
{
    *at += strspn(*at, "; \t");
    ret->name = *at;
    ret->name_size = strcspn(*at, "=; \t\"");
    *at += ret->name_size;
    *at += strspn(*at, " \t");
    if (ret->name_size == 0 || **at != '=')
        return false;
    ++*at;
    *at += strspn(*at, " \t");
    ret->is_quoted = **at == '"';
    ret->value = *at + ret->is_quoted;
    const char *end =
        ret->is_quoted ? quoted_end(ret->value) : ret->value + strcspn(ret->value, "; \t");
    if (!end)
        return false;
    ret->size = (size_t)(end - ret->value);
    *at = end + ret->is_quoted;
    return true;
}

static bool
is_called(const struct parameter *parameter, const char *name)
{
    return strlen(name) == parameter->name_size &&
           strncasecmp(parameter->name, name, parameter->name_size) == 0;
}

static bool
is_boundary(const struct parameter *parameter)
{
    bool is_printable = true;
    for (size_t i = 0; i < parameter->size; i++)
        is_printable &= parameter->value[i] >= ' ' && parameter->value[i] <= '~';
    return is_printable && parameter->size > 0 && parameter->size <= MULTIPART_BOUNDARY_BYTES &&
           parameter->value[parameter->size - 1] != ' ';
}

static fallible
take_boundary(struct multipart *self, const char *parameters)
{
    struct parameter parameter;
    while (next_parameter(&parameters, &parameter)) {
        if (!is_called(&parameter, "boundary"))
            continue;
        if (!is_boundary(&parameter))
            break;
        memcpy(self->delimiter, "\r\n--", 4);
        memcpy(self->delimiter + 4, parameter.value, parameter.size);
        self->delimiter_size = 4 + parameter.size;
        return OK;
    }
    return fail(ERR_MALFORMED, "", "%s needs a boundary of 1 to %d characters", form_type,
                MULTIPART_BOUNDARY_BYTES);
}

fallible
multipart_init(struct multipart *self, const char *media_type, const struct multipart_sink *sink,
               void *context, struct arena *arena)
{
    size_t size = sizeof form_type - 1;
    if (!media_type || strncasecmp(media_type, form_type, size) != 0 ||
        (media_type[size] && !strchr("; \t", media_type[size])))
        return fail(ERR_MEDIA_TYPE, "", "a file is sent as %s", form_type);
    *self = (struct multipart){.sink = sink, .context = context, .arena = arena};
    TRY(take_boundary(self, media_type + size));
    self->capacity = MULTIPART_ROOM_BYTES + LIMIT_PART_HEADER_BYTES + sizeof self->delimiter;
    self->bytes = arena_alloc(arena, self->capacity);
    // Without a preamble, the first delimiter has no line before it.
    memcpy(self->bytes, "\r\n", 2);
    self->size = 2;
    return OK;
}

char *
multipart_room(struct multipart *self, size_t *ret_size)
{
    *ret_size = self->capacity - self->size;
    return self->bytes + self->size;
}

// Drops the used bytes before `until` and moves the rest to the front.
static void
forget(struct multipart *self, const char *until)
{
    self->size -= (size_t)(until - self->bytes);
    memmove(self->bytes, until, self->size);
}

// --- the header of a part ---

static const struct text *
unescape(struct arena *arena, const struct parameter *parameter)
{
    char *chars = arena_alloc(arena, parameter->size + 1);
    size_t size = 0;
    for (size_t i = 0; i < parameter->size; i++) {
        if (parameter->is_quoted && parameter->value[i] == '\\' && i + 1 < parameter->size &&
            parameter->value[i + 1] == '"')
            i++;
        chars[size++] = parameter->value[i];
    }
    chars[size] = '\0';
    utf8_clean(chars);
    return text_from(arena, chars);
}

// Decodes UTF-8''percent-encoded (RFC 8187); NULL for anything else.
static const struct text *
decode_extended(struct arena *arena, const struct parameter *parameter)
{
    static const char charset[] = "UTF-8'";
    const struct text *text;
    const char *end = parameter->value + parameter->size;
    if (parameter->size < sizeof charset ||
        strncasecmp(parameter->value, charset, sizeof charset - 1) != 0)
        return NULL;
    const char *start =
        memchr(parameter->value + sizeof charset - 1, '\'', parameter->size - (sizeof charset - 1));
    if (!start ||
        percent_decode(arena, start + 1, (size_t)(end - start - 1), PERCENT_PATH, &text) != OK)
        return NULL;
    return text;
}

static fallible
read_disposition(struct arena *arena, const char *value, struct multipart_part *part)
{
    static const char form_data[] = "form-data";
    struct parameter parameter;
    const struct text *extended = NULL;
    if (strncasecmp(value, form_data, sizeof form_data - 1) != 0)
        return fail(ERR_MALFORMED, "", "a part of the form has no Content-Disposition: form-data");
    value += sizeof form_data - 1;
    while (next_parameter(&value, &parameter)) {
        if (is_called(&parameter, "name"))
            part->name = unescape(arena, &parameter);
        else if (is_called(&parameter, "filename"))
            part->filename = unescape(arena, &parameter);
        else if (is_called(&parameter, "filename*"))
            extended = decode_extended(arena, &parameter);
    }
    if (extended)
        part->filename = extended;
    return OK;
}

static size_t
size_without_blanks(const char *value)
{
    size_t size = strlen(value);
    while (size > 0 && strchr(" \t", value[size - 1]))
        size--;
    return size;
}

// One line `Name: value`, NUL at its end.
static fallible
read_field(struct arena *arena, const char *line, struct multipart_part *part)
{
    const char *colon = strchr(line, ':');
    if (!colon)
        return fail(ERR_MALFORMED, "", "a line of a part's header has no colon");
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    const struct parameter name = {.name = line, .name_size = (size_t)(colon - line)};
    if (is_called(&name, "Content-Disposition"))
        return read_disposition(arena, value, part);
    if (is_called(&name, "Content-Type"))
        part->media_type = text_new(arena, value, size_without_blanks(value));
    return OK;
}

// `header` ends in CR LF, or is empty.
static fallible
read_header(struct multipart *self, const char *header, size_t size)
{
    struct multipart_part part = {0};
    char *lines = arena_copy(self->arena, header, size + 1);
    lines[size] = '\0';
    if (memchr(lines, '\0', size))
        return fail(ERR_MALFORMED, "", "a part's header has a NUL");
    for (char *line = lines, *end; *line; line = end + 2) {
        end = strstr(line, "\r\n");
        if (!end)
            return fail(ERR_MALFORMED, "", "a line of a part's header does not end in CR LF");
        *end = '\0';
        TRY(read_field(self->arena, line, &part));
    }
    if (!part.name)
        return fail(ERR_MALFORMED, "", "a part of the form has no name");
    return self->sink->begin(self->context, &part);
}

// --- the states: each uses the bytes that are there; *ret_again says that the next one can go on
// ---

// The first byte of a delimiter, or NULL.
static const char *
find_delimiter(const struct multipart *self)
{
    return memmem(self->bytes, self->size, self->delimiter, self->delimiter_size);
}

// The beginning of the bytes that may turn out to be a delimiter.
static const char *
doubtful(const struct multipart *self)
{
    size_t kept = self->size < self->delimiter_size ? self->size : self->delimiter_size - 1;
    return self->bytes + self->size - kept;
}

static fallible
take_preamble(struct multipart *self, bool *ret_again)
{
    const char *found = find_delimiter(self);
    forget(self, found ? found + self->delimiter_size : doubtful(self));
    if (found)
        self->state = MULTIPART_DELIMITED;
    *ret_again = found != NULL;
    return OK;
}

static fallible
take_delimited(struct multipart *self, bool *ret_again)
{
    const char *end = self->bytes + self->size, *at = self->bytes;
    if (self->size >= 2 && memcmp(at, "--", 2) == 0) {
        self->state = MULTIPART_EPILOGUE;
        *ret_again = true;
        return OK;
    }
    while (at < end && (*at == ' ' || *at == '\t')) // padding, as RFC 2046 allows
        at++;
    *ret_again = end - at >= 2;
    if (!*ret_again)
        return self->size > LIMIT_PART_HEADER_BYTES
                   ? (fail(ERR_MALFORMED, "", "a boundary has no end of line"))
                   : OK;
    if (memcmp(at, "\r\n", 2) != 0)
        return fail(ERR_MALFORMED, "", "a boundary is followed by something else than a part");
    if (++self->parts > LIMIT_FORM_PARTS)
        return fail(ERR_TOO_LARGE, "", "a form may have at most %d parts", LIMIT_FORM_PARTS);
    forget(self, at); // its CR LF stays, because an empty header may follow at once
    self->state = MULTIPART_HEADER;
    return OK;
}

static fallible
take_header(struct multipart *self, bool *ret_again)
{
    const char *end = memmem(self->bytes, self->size, "\r\n\r\n", 4);
    *ret_again = end != NULL;
    if (!end)
        return self->size > LIMIT_PART_HEADER_BYTES
                   ? (fail(ERR_TOO_LARGE, "", "a part's header may have at most %d bytes",
                           LIMIT_PART_HEADER_BYTES))
                   : OK;
    if (end - self->bytes > LIMIT_PART_HEADER_BYTES)
        return fail(ERR_TOO_LARGE, "", "a part's header may have at most %d bytes",
                    LIMIT_PART_HEADER_BYTES);
    TRY(read_header(self, self->bytes + 2, (size_t)(end - self->bytes)));
    forget(self, end + 2); // without a body, this CR LF begins a delimiter
    self->state = MULTIPART_EMPTY;
    return OK;
}

static fallible
end_part(struct multipart *self, const char *after)
{
    forget(self, after);
    self->state = MULTIPART_DELIMITED;
    return self->sink->end(self->context);
}

static fallible
take_empty(struct multipart *self, bool *ret_again)
{
    *ret_again = self->size >= self->delimiter_size;
    if (!*ret_again)
        return OK;
    if (memcmp(self->bytes, self->delimiter, self->delimiter_size) == 0)
        return end_part(self, self->bytes + self->delimiter_size);
    forget(self, self->bytes + 2);
    self->state = MULTIPART_BODY;
    return OK;
}

static fallible
take_body(struct multipart *self, bool *ret_again)
{
    const char *found = find_delimiter(self), *until = found ? found : doubtful(self);
    *ret_again = found != NULL;
    if (until > self->bytes)
        TRY(self->sink->data(self->context, self->bytes, (size_t)(until - self->bytes)));
    if (found)
        return end_part(self, found + self->delimiter_size);
    forget(self, until);
    return OK;
}

static fallible
step(struct multipart *self, bool *ret_again)
{
    switch (self->state) {
    case MULTIPART_PREAMBLE:
        return take_preamble(self, ret_again);
    case MULTIPART_DELIMITED:
        return take_delimited(self, ret_again);
    case MULTIPART_HEADER:
        return take_header(self, ret_again);
    case MULTIPART_EMPTY:
        return take_empty(self, ret_again);
    case MULTIPART_BODY:
        return take_body(self, ret_again);
    case MULTIPART_EPILOGUE:
        break;
    }
    self->size = 0;
    *ret_again = false;
    return OK;
}

fallible
multipart_take(struct multipart *self, size_t size)
{
    self->size += size;
    for (bool again = true; again;)
        TRY(step(self, &again));
    return OK;
}

fallible
multipart_end(const struct multipart *self)
{
    if (self->state != MULTIPART_EPILOGUE)
        return fail(ERR_MALFORMED, "", "the form ended before its last boundary");
    return OK;
}
