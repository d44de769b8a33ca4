// schema.h - what a record is: a plain struct and a table of its fields.
// The table alone knows wire names; JSON, msgpack, checks, merge, filters, storage and OpenAPI walk
// it. Type and size come from the member, so row and struct cannot disagree. New field = one
// member, one row.
#ifndef DIORAMA_PROTO_RECORD_SCHEMA_H
#define DIORAMA_PROTO_RECORD_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "proto/base/text.h"

// Every record begins with it. `present` has the bit (1 << id) of each field that was given or set.
struct record {
    const struct schema *schema;
    uint64_t present;
};

// A list of nested records, all of the field's `of` schema.
struct records {
    uint32_t count;
    struct record *items[];
};

enum field_type {
    FIELD_TEXT,    // const struct text *
    FIELD_BOOL,    // bool
    FIELD_INTEGER, // int64_t
    FIELD_NUMBER,  // double, finite
    FIELD_NUMBERS, // double[n]: exactly n numbers
    FIELD_TEXTS,   // const struct texts *
    FIELD_RECORD,  // const struct record *, schema in `of`
    FIELD_RECORDS, // const struct records *, schema in `of`
};

enum field_flags {
    FIELD_KEY = 1,            // obeys the rule of client-given keys (key_check.h)
    FIELD_FILTER = 2,         // a query filter may name it: equal, for lists "contains all"
    FIELD_OPTIONAL = 4,       // written only when present; others always, "" 0 false [] if absent
    FIELD_INPUT = 8,          // part of a request only: never merged, stored or written
    FIELD_PRIVATE = 16,       // stored and published to servers, never in an HTTP answer
    FIELD_HIDDEN = 32,        // stored only
    FIELD_SECRET = 64,        // read from requests; no codec ever writes it
    FIELD_DERIVED = 128,      // set by the server: ignored in a request, not stored
    FIELD_FIXED = 256,        // set by the server and stored: a request is read, never merged
    FIELD_SCALAR_ITEMS = 512, // an item may be a plain number: the first field of a record
    FIELD_TRANSIENT = 1024,   // read from requests and written in answers; never merged or stored
    FIELD_ACCESS = 2048,      // decides who may see the record: a change is a line of the audit log
    FIELD_WORDS = 4096,       // a list in which "" is no item: forms of the web send it for nothing
    FIELD_JSON = 8192,   // a text that is compact JSON: any value is read, and written as it is
    FIELD_OWNER = 16384, // the id of the user whom the record belongs to
    FIELD_MAP = 32768,   // JSON writes the list as one object: of each record, first field: second
    FIELD_EMPTY = 65536, // "" is a value of it in a query string too
};

// What the numbers of a field are in space. This decides how they change if the axes of a client
// differ from those of scenes (convention.h).
enum field_axes {
    AXES_NONE,
    AXES_MATRIX,       // double[16]: 4x4, row-major
    AXES_POINT,        // double[3], metres; or a list with a record for each coordinate
    AXES_SCALE,        // double[3]: factors along the axes; or such a list
    AXES_QUATERNION,   // double[4]: w, x, y, z; or such a list
    AXES_OBJECT_EULER, // double[3]: in the order that a text beside it says
    AXES_DEVICE_EULER, // double[3]: R = Rx * Ry * Rz
    AXES_COORDINATE,   // a number in such a list
    AXES_COVARIANCE,   // double[36]: of twists, row-major, m2 and rad2 in all axes
    AXES_EULER_ORDER,  // a text: the order of the angles beside it
};

// A bit of `present`: this record was read as a plain number and is written as one.
#define RECORD_SCALAR (UINT64_C(1) << 63)

struct field {
    const char *name;
    const char *label; // the name as JSON writes it: "\"name\":"
    const char *alias; // a second name: read, and written where a view asks for aliases; or NULL
    const char *about;
    const char *unit;      // or NULL
    const char *otherwise; // what it means that the member is absent, as JSON; or NULL
    const struct schema *of;
    double minimum, maximum; // both 0: no bound
    double likely;           // a number further from 0 is taken, with a warning; 0: none is
    uint32_t offset;         // in the struct, or in its rare part
    uint32_t limit; // bytes of a text, items of a list; 0 = LIMIT_TEXT_BYTES, LIMIT_RECORDS
    uint32_t flags;
    uint16_t label_size;
    uint16_t rare;    // 0, or the offset of the pointer to the rare part that it is in
    uint8_t capacity; // of FIELD_NUMBERS
    uint8_t id;       // 0 to 62, append-only: stored maps use it
    uint8_t type;     // enum field_type
    uint8_t axes;     // enum field_axes
    uint8_t levels;   // of FIELD_JSON: how many arrays and objects may be inside each other
};

enum { NO_FIELD = 63 }; // no field has this id

// Members that few records have may stand in a struct of their own, the rare part, to which the
// record has a pointer. Each loose record has one; a frozen record has one only if such a member is
// present, and otherwise NULL.
struct schema {
    const char *name;  // the noun: "object"
    const char *array; // its name in a wrapped body: "objects"
    uint32_t size;     // of the struct
    uint32_t count;    // of fields
    const struct field *fields;
    uint16_t rare; // offset of the pointer to the rare part, as in its rows; 0: there is none
    uint16_t rare_size;
};

// What a loose record takes.
static inline size_t
schema_room(const struct schema *self)
{
    return self->size + (size_t)self->rare_size;
}

// The same of the largest among it and the records inside it.
size_t schema_room_most(const struct schema *self);

// A field row: id, struct type, member, wire name, sentence, then designated extras.
// FIELD(OBJECT_NAME, struct object, name, "name", "Name for people.", .flags = FIELD_FILTER) If
// the interface takes two types for one member, two rows have the same name: a value goes to the
// first row that its type fits.
#define FIELD(id_, struct_, member_, name_, about_, ...)                                             \
    {                                                                                                \
        .id = (id_), .name = (name_), .label = "\"" name_ "\":",                                   \
        .label_size = (uint8_t)(sizeof(name_) + 2), .about = (about_),                             \
        .offset = (uint32_t)offsetof(struct_, member_),                                            \
        .type = _Generic(((struct_ *)0)->member_, const struct text *                              \
                         : FIELD_TEXT, bool                                                        \
                         : FIELD_BOOL, int64_t                                                     \
                         : FIELD_INTEGER, double                                                   \
                         : FIELD_NUMBER, double *                                                  \
                         : FIELD_NUMBERS, const struct texts *                                     \
                         : FIELD_TEXTS, const struct record *                                      \
                         : FIELD_RECORD, const struct records *                                    \
                         : FIELD_RECORDS),                                                         \
        .capacity = (uint8_t)(sizeof(((struct_ *)0)->member_) / sizeof(double)), __VA_ARGS__ \
    }

#define SCHEMA(struct_, name_, array_, table_)                                                     \
    {                                                                                              \
        .name = (name_), .array = (array_), .size = sizeof(struct_),                               \
        .count = sizeof(table_) / sizeof((table_)[0]), .fields = (table_)                          \
    }

#define FIELD_BIT(id) (UINT64_C(1) << (id))

static inline bool
record_has(const struct record *self, unsigned id)
{
    return (self->present & FIELD_BIT(id)) != 0;
}

static inline void
record_mark(struct record *self, unsigned id)
{
    self->present |= FIELD_BIT(id);
}

// The most bytes of a text, or items of a list.
uint32_t field_limit(const struct field *self);

// Bytes of the member in its struct.
size_t field_size(const struct field *self);

// The first field called `name` (or aliased so), or NULL.
const struct field *schema_find(const struct schema *self, const char *name, size_t size);

// The field with this id, or NULL.
const struct field *schema_field(const struct schema *self, unsigned id);

// As many numbers as a FIELD_NUMBERS can have; each other absent member is zero too.
extern const double field_zeros[UINT8_MAX];

// Where the members of rows with this `rare` are; NULL in a frozen record that has none of them.
static inline char *
record_part(const struct record *self, unsigned rare)
{
    char *part = (char *)(uintptr_t)self;
    if (rare)
        memcpy(&part, (const char *)self + rare, sizeof part);
    return part;
}

// The address of the member of `field` in `self`, which is loose, or has the member.
static inline void *
record_member(struct record *self, const struct field *field)
{
    return record_part(self, field->rare) + field->offset;
}

// The same of any record, for readers.
static inline const void *
record_member_const(const struct record *self, const struct field *field)
{
    const char *part = record_part(self, field->rare);
    return part ? (const void *)(part + field->offset) : field_zeros;
}

// The member of `field` as an lvalue of its type.
#define MEMBER(type, record, field) (*(type *)record_member((record), (field)))
#define MEMBER_CONST(type, record, field) (*(type const *)record_member_const((record), (field)))

// The fields of a record that an answer shows; `fields` = all if 0. The view of an operation's
// answer names the schema of its records and, if a schema has several views, what distinguishes it
// ("" = nothing): the OpenAPI description makes a name of both.
struct view {
    uint64_t fields;
    uint64_t revealed; // FIELD_HIDDEN members that it shows nevertheless, whatever `fields` is
    uint64_t always;   // FIELD_OPTIONAL members that every record has that is shown so
    bool aliases;      // write a field under its alias too (`assets` and `asset_ids`)
    bool with_private; // write FIELD_PRIVATE members too (PUB only)
    bool sparse;       // leave out lists without an item
    const struct schema *of; // NULL: any
    const char *name;        // "key": SceneKey
};

#endif
