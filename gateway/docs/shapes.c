// shapes.c - the records that requests bring and answers show. Pure.
#include "gateway/docs/shapes.h"

#include <assert.h>

#include "gateway/docs/route_catalogue.h"
#include "gateway/request/body.h"
#include "proto/base/memory.h"
#include "proto/codec/record_openapi.h"
#include "proto/records/params.h"

static bool
is_same(const struct shape *a, const struct shape *b)
{
    return a->schema == b->schema && a->is_request == b->is_request &&
           (a->is_request ||
            (strcmp(a->view.name, b->view.name) == 0 && a->view.fields == b->view.fields));
}

// Adds a shape unless it is known; NULL view = request. shapes_collect adds what is nested in it.
static void
shapes_add(struct shapes *self, const struct schema *schema, const struct view *view)
{
    struct shape shape = {schema, view == NULL, view ? *view : (struct view){0}};
    for (unsigned i = 0; i < self->count; i++)
        if (is_same(&self->items[i], &shape))
            return;
    assert(self->count < SHAPES_MAX);
    self->items[self->count++] = shape;
}

static void
shapes_add_nested(struct shapes *self, struct shape shape)
{
    const struct view *view = shape.is_request ? NULL : &shape.view;
    for (uint32_t i = 0; i < shape.schema->count; i++) {
        const struct field *field = &shape.schema->fields[i];
        struct view inside;
        if (openapi_has(view, field) && !(field->flags & FIELD_MAP) &&
            openapi_inside(view, field, &inside))
            shapes_add(self, field->of, view ? &inside : NULL);
    }
}

struct shapes *
shapes_collect(const struct route_table *routes)
{
    struct shapes *self = memory_take_zeroed(sizeof *self);
    static const struct view whole = {.of = &udp_state_schema, .name = ""};
    shapes_add(self, &params_body_schema, NULL);
    shapes_add(self, &udp_state_schema, &whole); // the one record in an envelope
    for (size_t i = 0; i < routes->count; i++) {
        const struct route *route = &routes->rows[i];
        const struct operation_row *operation = route_operation(route);
        if (operation && operation->request && body_is_json(route->body))
            shapes_add(self, operation->request, NULL);
        const struct view *view = route_catalogue_view(route);
        if (view)
            shapes_add(self, view->of, view);
    }
    for (unsigned i = 0; i < self->count; i++)
        shapes_add_nested(self, self->items[i]);
    return self;
}
