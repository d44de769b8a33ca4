// audit_entry.c - from a request and its answer to events of the audit log. The worker's thread.
#include "gateway/request/audit_entry.h"

#include "proto/base/chars.h"
#include "proto/records/params.h"

enum { STATUS_OK = 200, STATUS_REFUSED = 400, STATUS_UNKNOWN = 401, STATUS_FORBIDDEN = 403 };

static bool
says_access(const struct record *record)
{
    for (uint32_t k = 0; k < record->schema->count; k++)
        if ((record->schema->fields[k].flags & FIELD_ACCESS) &&
            record_has(record, record->schema->fields[k].id))
            return true;
    return false;
}

// Whether a record of the request, or a parameter, says who may see what it changes.
static bool
changes_access(const struct message *message)
{
    const struct records *records = message ? message->records : NULL;
    for (uint32_t i = 0; records && i < records->count; i++)
        if (says_access(records->items[i]))
            return true;
    return message && says_access(&message->params->base);
}

static enum audit_kind
kind_of_refusal(const struct audit_entry *self, const struct audit_rule *rule)
{
    bool is_by_actor = self->message && self->message->reply.fault.error != OK;
    bool is_access = self->status == STATUS_UNKNOWN || self->status == STATUS_FORBIDDEN;
    bool is_ordinary = rule->kind == AUDIT_MINUTE && !rule->may_create;
    if (rule->kind == AUDIT_SECURITY && is_access && is_by_actor)
        return AUDIT_SECURITY;
    return is_ordinary && !is_access ? AUDIT_NONE : AUDIT_MINUTE;
}

bool
audit_entry_is_told(const struct route *route)
{
    const struct operation_row *operation = route ? route_operation(route) : NULL;
    return operation && operation->audit.kind != AUDIT_NONE;
}

// Whether a scene came into being, though a later slice of the request may have been refused.
static bool
makes_scene(const struct audit_entry *self)
{
    const struct message *message = self->message;
    return message && message->makes_scene &&
           (self->status < STATUS_REFUSED || message->progress > 0);
}

// Whether it did because something was put into it: the operation's own line does not say so.
static bool
makes_scene_besides(const struct audit_entry *self)
{
    return audit_entry_is_told(self->route) && makes_scene(self) &&
           !route_operation(self->route)->audit.may_create;
}

enum audit_kind
audit_entry_kind(const struct audit_entry *self)
{
    if (!audit_entry_is_told(self->route))
        return AUDIT_NONE;
    const struct audit_rule *rule = &route_operation(self->route)->audit;
    if (self->status >= STATUS_REFUSED)
        return kind_of_refusal(self, rule);
    if (rule->may_create && makes_scene(self))
        return AUDIT_EACH;
    bool is_access = rule->kind == AUDIT_MINUTE && changes_access(self->message);
    return is_access ? AUDIT_SECURITY : rule->kind;
}

// A parameter: as the message has it, which an actor may have completed; else as the path has it.
static const struct text *
param(const struct audit_entry *self, unsigned id)
{
    const struct text *value = self->message ? record_text(&self->message->params->base, id) : NULL;
    const struct field *field = schema_field(&params_schema, id);
    for (unsigned i = 0; !value && i < self->match->param_count; i++)
        if (text_is(self->match->params[i].name, field->name))
            value = self->match->params[i].value;
    return value;
}

// Whether the record begins with its key.
static bool
has_key(const struct record *record)
{
    for (uint32_t i = 0; i < record->schema->count; i++)
        if (record->schema->fields[i].offset == offsetof(struct keyed, key))
            return record->schema->fields[i].type == FIELD_TEXT;
    return false;
}

// A line for each thing that was made, as the answer names them. If this repeats an earlier
// request, what that one made has its line already.
static void
note_made(const struct message *message, struct audit_event event)
{
    for (uint32_t i = 0; i < message->reply.count; i++) {
        const struct record *record = reply_record(&message->reply, i);
        if (message->reply.earlier && message->reply.earlier[i])
            continue;
        audit_name(has_key(record) ? record_key(record) : NULL, event.key);
        audit_note(&event);
    }
}

// Notes what the request made, also where it was refused after that. Whether this tells all.
static bool
note_all_made(const struct audit_entry *self, struct audit_event event)
{
    uint32_t named = event.key[0] != '\0';
    uint32_t made = self->message ? self->message->reply.count : 0;
    bool is_refused = self->status >= STATUS_REFUSED;
    if (is_refused) {
        named = 0;
        event.kind = route_operation(self->route)->audit.kind;
        event.outcome = STATUS_OK;
    }
    // A request that made several things names one of them at most.
    if (made <= named || event.kind == AUDIT_MINUTE)
        return false;
    note_made(self->message, event);
    return !is_refused;
}

static struct audit_event
event_of(const struct audit_entry *self, enum audit_kind kind)
{
    const struct operation_row *operation = route_operation(self->route);
    struct audit_event event = {
        .kind = kind,
        .operation = operation->name,
        .noun = operation->audit.noun,
        .outcome = self->status,
        .is_by_admin = self->caller->role == CALLER_ADMIN,
    };
    chars_copy(event.user, sizeof event.user, self->caller->user);
    chars_copy(event.address, sizeof event.address, self->caller->peer);
    chars_copy(event.request, sizeof event.request, self->request_id);
    audit_name(param(self, operation->audit.subject), event.key);
    if (operation->audit.subject != PARAMS_SCENE)
        audit_name(param(self, PARAMS_SCENE), event.scene);
    return event;
}

// A scene that was made because something was put into it has a line of its own.
static void
note_made_scene(const struct audit_entry *self)
{
    struct audit_event event = event_of(self, AUDIT_EACH);
    event.operation = operation_rows[SCENE_CREATE].name;
    event.noun = operation_rows[SCENE_CREATE].audit.noun;
    event.outcome = STATUS_OK;
    audit_name(param(self, PARAMS_SCENE), event.key);
    event.scene[0] = '\0';
    audit_note(&event);
}

void
audit_entry_note(const struct audit_entry *self)
{
    enum audit_kind kind = audit_entry_kind(self);
    if (makes_scene_besides(self))
        note_made_scene(self);
    if (kind == AUDIT_NONE)
        return;
    struct audit_event event = event_of(self, kind);
    if (!note_all_made(self, event))
        audit_note(&event);
}
