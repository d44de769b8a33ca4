// json_parsers.h - parsers for small JSON documents: as many as are in use at the same time, for
// all threads. One takes 110 KiB: were there one a thread, each of 512 workers would take that with
// its first document, and keep it.
#ifndef DIORAMA_PROTO_CODEC_JSON_PARSERS_H
#define DIORAMA_PROTO_CODEC_JSON_PARSERS_H

#ifdef __cplusplus
#include <simdjson.h>

// A parser and what it parses into. It allocates with the first document.
struct json_parser {
    simdjson::dom::parser parser;
    simdjson::dom::document document;
    struct json_parser *next = nullptr; // of those that nobody uses
};

extern "C" {
#endif

struct json_parser;

// Yours until it is given back, and that soon; NULL if there is no memory. The one that came back
// last is the first to go. Any thread.
struct json_parser *json_parsers_borrow(void);
void json_parsers_give_back(struct json_parser *parser);

#ifdef __cplusplus
}
#endif

#endif
