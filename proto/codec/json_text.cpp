// json_text.cpp - texts and trees of JSON (json_text.h); simdjson parses. Any thread.
#include <algorithm>
#include <cassert>
#include <cstring>
#include <simdjson.h>

extern "C" {
#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
}
#include "proto/codec/json_parsers.h"

namespace dom = simdjson::dom;

// --- text to tree --------------------------------------------------------------------------------

namespace {

// What is kept between documents has the size of common ones: a datagram, a record. A larger
// document gets a parser of its own, so that nobody keeps its memory.
constexpr size_t KEPT_CAPACITY = LIMIT_DATAGRAM_BYTES;

fallible
malformed(const char *reason)
{
    return fail(ERR_MALFORMED, "", "%s", reason);
}

fallible
parse_failed(simdjson::error_code code)
{
    switch (code) {
    case simdjson::DEPTH_ERROR:
        return fail(ERR_MALFORMED, "", "The JSON is nested deeper than %d levels.",
                    LIMIT_JSON_DEPTH);
    case simdjson::UTF8_ERROR:
        return malformed("The JSON is not UTF-8.");
    case simdjson::NUMBER_ERROR:
        return malformed("The JSON has a number that is none, or is too large.");
    case simdjson::STRING_ERROR:
    case simdjson::UNCLOSED_STRING:
    case simdjson::UNESCAPED_CHARS:
        return malformed("The JSON has a string that is none.");
    case simdjson::EMPTY:
        return malformed("There is no JSON.");
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY:
        return fail(ERR_UNAVAILABLE, "", "There is no memory to read the JSON.");
    default:
        return malformed("This is not JSON.");
    }
}

// At least as many as there are values: a comma, colon or bracket in a string counts too.
size_t
count_at_most(const char *data, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += data[i] == ',' || data[i] == ':' || data[i] == '[' || data[i] == '{';
    return count;
}

bool
text_before(const struct text *a, const struct text *b)
{
    return text_compare(a, b) < 0;
}

const struct text *
build_text(struct arena *arena, std::string_view chars)
{
    return text_new(arena, chars.data(), chars.size());
}

// A container whose items are being read, with the places that they are read into. A stack of these
// replaces recursion: 32 levels are too much for the stack of an HTTP worker in a sanitized build.
// It stands beside the tree, so that brackets take no more memory than other values.
struct open_container {
    struct json *value;
    uint32_t done; // of its items
    dom::array::iterator item;
    dom::object::iterator member;
};

struct open_containers {
    unsigned count = 0;
    struct open_container stack[LIMIT_JSON_DEPTH + 1];
};

template <class Container>
uint32_t
count_of(const Container &container)
{
    uint32_t count = 0;
    for ([[maybe_unused]] auto item : container)
        count++;
    return count;
}

void
open_array(struct arena *arena, const dom::array &array, struct json *value,
           struct open_containers *open)
{
    value->type = JSON_ARRAY;
    value->count = count_of(array);
    if (value->count == 0)
        return;
    value->items =
        static_cast<struct json *>(arena_alloc(arena, value->count * sizeof(struct json)));
    open->stack[open->count++] = {value, 0, array.begin(), {}};
}

void
open_object(struct arena *arena, const dom::object &object, struct json *value,
            struct open_containers *open)
{
    value->type = JSON_OBJECT;
    value->count = count_of(object);
    if (value->count == 0)
        return;
    value->members = static_cast<struct json_member *>(
        arena_alloc(arena, value->count * sizeof(struct json_member)));
    open->stack[open->count++] = {value, 0, {}, object.begin()};
}

void
build_value(struct arena *arena, const dom::element &element, struct json *value,
            struct open_containers *open)
{
    switch (element.type()) {
    case dom::element_type::NULL_VALUE:
        value->type = JSON_NULL;
        break;
    case dom::element_type::BOOL:
        value->type = JSON_BOOL;
        value->boolean = bool(element);
        break;
    case dom::element_type::INT64:
        value->type = JSON_INTEGER;
        value->integer = int64_t(element);
        break;
    case dom::element_type::UINT64:
        value->type = JSON_NUMBER;
        value->number = double(uint64_t(element));
        value->count = 1;
        break;
    case dom::element_type::DOUBLE:
        value->type = JSON_NUMBER;
        value->number = double(element);
        break;
    case dom::element_type::STRING:
        value->type = JSON_TEXT;
        value->text = build_text(arena, std::string_view(element));
        break;
    case dom::element_type::ARRAY:
        open_array(arena, dom::array(element), value, open);
        break;
    case dom::element_type::OBJECT:
        open_object(arena, dom::object(element), value, open);
        break;
    }
}

// Reads the next item of the container that was opened last.
void
build_next(struct arena *arena, struct open_containers *open)
{
    struct open_container *top = &open->stack[open->count - 1];
    uint32_t index = top->done++;
    if (top->value->type == JSON_ARRAY) {
        dom::element element = *top->item;
        ++top->item;
        build_value(arena, element, const_cast<struct json *>(&top->value->items[index]), open);
        return;
    }
    auto member = const_cast<struct json_member *>(&top->value->members[index]);
    dom::element element = top->member.value();
    member->name = build_text(arena, top->member.key());
    ++top->member;
    build_value(arena, element, &member->value, open);
}

fallible
build_tree(struct arena *arena, const dom::element &root, struct json *value)
{
    struct open_containers open;
    build_value(arena, root, value, &open);
    while (open.count) {
        const struct open_container *top = &open.stack[open.count - 1];
        if (top->done < top->value->count) {
            build_next(arena, &open);
            continue;
        }
        if (top->value->type == JSON_OBJECT &&
            json_has_duplicates(arena, top->value->members, top->value->count))
            return malformed("The JSON has the same name twice in one object.");
        open.count--;
    }
    return OK;
}

// Allocates all that documents of `capacity` bytes need, at the first document; later ones allocate
// nothing.
simdjson::error_code
prepare(struct json_parser *self, size_t capacity)
{
    if (self->parser.capacity() >= capacity)
        return simdjson::SUCCESS;
    simdjson::error_code code = self->document.allocate(capacity);
    return code ? code : self->parser.allocate(capacity, LIMIT_JSON_DEPTH);
}

fallible
parse_with(struct json_parser *parser, size_t capacity, struct arena *arena, const char *data,
           size_t size, const struct json **ret_value)
{
    dom::element root;
    simdjson::error_code code = prepare(parser, capacity);
    if (!code)
        code = parser->parser.parse_into_document(parser->document, data, size).get(root);
    if (code)
        return parse_failed(code);
    auto value = static_cast<struct json *>(arena_alloc(arena, sizeof(struct json)));
    TRY(build_tree(arena, root, value));
    *ret_value = value;
    return OK;
}

// Up to KEPT_CAPACITY bytes.
fallible
parse_small(struct arena *arena, const char *data, size_t size, const struct json **ret_value)
{
    struct json_parser *parser = json_parsers_borrow();
    if (!parser)
        return parse_failed(simdjson::MEMALLOC);
    enum error error = parse_with(parser, KEPT_CAPACITY, arena, data, size, ret_value);
    json_parsers_give_back(parser);
    return error;
}

} // namespace

extern "C" fallible
json_parse(struct arena *arena, const char *data, size_t size, const struct json **ret_value)
{
    if (size <= KEPT_CAPACITY)
        return parse_small(arena, data, size, ret_value);
    if (count_at_most(data, size) > LIMIT_JSON_VALUES)
        return fail(ERR_TOO_LARGE, "", "The JSON has more than %d values.", LIMIT_JSON_VALUES);
    struct json_parser large;
    return parse_with(&large, size, arena, data, size, ret_value);
}

extern "C" size_t
json_cost(const char *data, size_t size, size_t object_size)
{
    // Of a member: itself, its name, the place of its name in an order, an empty text; of simdjson
    // two numbers of its tape and four places of the text.
    constexpr size_t value_size = 64;
    size_t objects = 0;
    for (size_t i = 0; i < size; i++)
        objects += data[i] == '{';
    return (count_at_most(data, size) + 1) * value_size + objects * object_size + size * 3;
}

// Few names are compared with one another; many are sorted, so that an object of a million names
// does not take a million million steps.
extern "C" bool
json_has_duplicates(struct arena *arena, const struct json_member *members, size_t count)
{
    constexpr size_t few = 16;
    if (count <= few) {
        for (size_t i = 1; i < count; i++)
            for (size_t j = 0; j < i; j++)
                if (text_equal(members[i].name, members[j].name))
                    return true;
        return false;
    }
    auto sorted = static_cast<const struct text **>(arena_alloc(arena, count * sizeof(void *)));
    for (size_t i = 0; i < count; i++)
        sorted[i] = members[i].name;
    std::sort(sorted, sorted + count, text_before);
    return std::adjacent_find(sorted, sorted + count, text_equal) != sorted + count;
}

extern "C" const struct json *
json_find(const struct json *object, const char *name)
{
    for (uint32_t i = 0; object->type == JSON_OBJECT && i < object->count; i++)
        if (text_is(object->members[i].name, name))
            return &object->members[i].value;
    return nullptr;
}

// --- values to text ------------------------------------------------------------------------------

namespace {

// The first byte from `data` on that must be escaped, or `end`. Looks at eight bytes at a time:
// subtracting 1 borrows into the high bit exactly where a byte was 0 (see Hacker's Delight 6-1).
const char *
find_escaped(const char *data, const char *end)
{
    constexpr uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
    for (; end - data >= 8; data += 8) {
        uint64_t bytes;
        std::memcpy(&bytes, data, sizeof bytes);
        uint64_t quote = bytes ^ (ones * '"'), backslash = bytes ^ (ones * '\\');
        uint64_t found = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
                         ((bytes - ones * 0x20) & ~bytes);
        if (found & highs)
            break;
    }
    for (; data < end; data++)
        if (*data == '"' || *data == '\\' || static_cast<unsigned char>(*data) < 0x20)
            break;
    return data;
}

void
put_escaped(struct buffer *out, char byte)
{
    static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; i + 1 < sizeof shorts; i += 2)
        if (byte == shorts[i]) {
            buffer_put_char(out, '\\');
            buffer_put_char(out, shorts[i + 1]);
            return;
        }
    buffer_put_format(out, "\\u%04x", static_cast<unsigned>(byte));
}

} // namespace

extern "C" void
json_put_text(struct buffer *out, const char *data, size_t size)
{
    const char *end = data + size;
    buffer_reserve(out, size + 2);
    buffer_put_char(out, '"');
    while (size > 0) { // many are empty
        const char *escaped = find_escaped(data, end);
        buffer_put(out, data, static_cast<size_t>(escaped - data));
        if (escaped == end)
            break;
        put_escaped(out, *escaped);
        data = escaped + 1;
    }
    buffer_put_char(out, '"');
}
