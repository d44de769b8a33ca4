// list_rows.c - from orders and filters to ranges of keys (list_rows.h).
#include "actors/runtime/list_rows.h"

static const char public_mark[] = "*"; // no user has this id

enum { ROW_BYTES = 2 }; // of a prefix, before the value

static const struct index_row *
row_of(const struct listed_kind *self, enum list_order order)
{
    return index_row_with_id(self->kind->rows, self->rows->orders[order]);
}

// --- the table ---

static enum index_form
form_of(const struct field *field, enum list_order order)
{
    if (order == LIST_WORD)
        return INDEX_MADE;
    if (order == LIST_TAG)
        return INDEX_TEXTS;
    return field->type == FIELD_INTEGER ? INDEX_NUMBER : INDEX_ORDER;
}

bool
list_rows_are_whole(const struct list_rows *self, const struct index_kind *kind,
                    enum list_order *ret_order)
{
    const struct list_kind *listed = list_kind_of(kind->schema);
    for (enum list_order order = LIST_KEY + 1; order < LIST_ORDER_COUNT; order++) {
        const struct field *field = list_kind_field(listed, order);
        const struct index_row *row = index_row_with_id(kind->rows, self->orders[order]);
        bool is_whole = row && row->form == form_of(field, order) &&
                        (order == LIST_WORD || row->member == field->id);
        *ret_order = order;
        if ((field || order == LIST_WORD) && !is_whole)
            return false;
    }
    return true;
}

const struct texts *
list_rows_seen(struct arena *arena, const struct text *owner, bool is_public)
{
    if (is_public)
        return texts_of_one(arena, text_from(arena, public_mark));
    return text_size(owner) ? texts_of_one(arena, owner) : NULL;
}

const struct texts *
list_rows_words(struct arena *arena, const struct record *record)
{
    struct words words;
    const char *word;
    size_t size;
    list_words(list_kind_of(record->schema), record, &words);
    struct texts *found = arena_alloc(arena, sizeof *found + words.size * sizeof found->items[0]);
    found->count = 0;
    for (size_t at = 0; words_next(words.bytes, words.size, &at, &word, &size);)
        found->items[found->count++] = text_new(arena, word, size);
    return found;
}

// --- ways ---

static void
add_range(struct list_way *self, const struct key *low, const struct key *last)
{
    self->ranges[self->range_count++] = (struct key_range){*low, key_after(last)};
}

static struct list_way
whole_row(const struct listed_kind *kind, const struct index_row *row)
{
    struct list_way way = {.row = row, .is_exact = true};
    const struct key prefix = row ? index_prefix(row) : key_of_tag(kind->kind->tag);
    add_range(&way, &prefix, &prefix);
    return way;
}

struct list_way
list_way_of_sort(const struct listed_kind *kind, const struct list_query *query)
{
    struct list_way way = whole_row(kind, row_of(kind, query->sort));
    way.is_in_order = true;
    return way;
}

struct list_way
list_way_of_all(const struct listed_kind *kind)
{
    return whole_row(kind, row_of(kind, LIST_NAME));
}

// What stands in a list as 8 bytes (list_value_of_time).
static int64_t
time_of(const char *value, size_t size)
{
    return size < sizeof(uint64_t)
               ? 0
               : (int64_t)(key_get_u64((const unsigned char *)value) ^ UINT64_C(1) << 63);
}

// Where the way has one value, and so stands by key, or the values of the order that is asked for.
static bool
is_in_order(const struct list_query *query, const struct list_filter *filter)
{
    return filter->order == query->sort ||
           (query->sort == LIST_KEY && filter->order != LIST_WORD &&
            filter->order != LIST_CREATED && filter->order != LIST_CHANGED);
}

struct list_way
list_way_of_filter(const struct listed_kind *kind, const struct list_query *query,
                   const struct list_filter *filter)
{
    struct arena arena = {0};
    const struct index_row *row = row_of(kind, filter->order);
    struct list_way way = {.row = row, .filter = filter};
    struct key low, last;
    if (row->form == INDEX_NUMBER) {
        low = index_prefix_of_number(row, time_of(filter->low, filter->low_size));
        last = index_prefix_of_number(row, time_of(filter->high, filter->high_size));
    } else {
        const struct text *value = text_new(&arena, filter->low, filter->low_size);
        low = filter->order == LIST_WORD ? index_prefix_of_beginning(row, value)
                                         : index_prefix_of_text(row, value);
        last = low;
    }
    add_range(&way, &low, &last);
    way.is_in_order = is_in_order(query, filter);
    way.is_exact = !filter->is_cut && low.size < ROW_BYTES + INDEX_VALUE_BYTES;
    arena_finish(&arena);
    return way;
}

struct list_way
list_way_of_user(const struct listed_kind *kind, const char *user)
{
    struct arena arena = {0};
    struct list_way way = {.row = index_row_with_id(kind->kind->rows, kind->rows->seen),
                           .is_exact = true};
    const struct key open = index_prefix_of_text(way.row, text_from(&arena, public_mark));
    add_range(&way, &open, &open);
    if (*user) {
        const struct key own = index_prefix_of_text(way.row, text_from(&arena, user));
        add_range(&way, &own, &own);
    }
    arena_finish(&arena);
    return way;
}

// --- places ---

static struct key
under(struct key prefix, const struct text *name)
{
    return index_key_under(&prefix, (struct bytes){text_bytes(name), text_size(name)});
}

struct key
list_key_of_place(const struct listed_kind *kind, const struct list_query *query,
                  const struct list_place *place)
{
    struct arena arena = {0};
    const struct index_row *row = row_of(kind, query->sort);
    if (!row)
        return key_of_text(kind->kind->tag, place->key);
    struct key prefix =
        row->form == INDEX_NUMBER
            ? index_prefix_of_number(row, time_of(place->value, place->size))
            : index_prefix_of_text(row, text_new(&arena, place->value, place->size));
    arena_finish(&arena);
    return under(prefix, place->key);
}

void
list_way_go_to_page(struct list_way *self, const struct listed_kind *kind,
                    const struct list_query *query)
{
    struct key_range *range = &self->ranges[0];
    if (!query->has_place)
        return;
    const struct key place = self->filter && self->filter->order != query->sort
                                 ? under(range->low, query->place.key)
                                 : list_key_of_place(kind, query, &query->place);
    const struct key behind = key_next(&place);
    if (query->descending)
        range->high = key_compare(&place, &range->high) < 0 ? place : range->high;
    else
        range->low = key_compare(&behind, &range->low) > 0 ? behind : range->low;
}
