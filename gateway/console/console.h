// console.h - the console's files as answers: which file a path names, in which coding, and what a
// browser may do with it.
#ifndef DIORAMA_GATEWAY_CONSOLE_CONSOLE_H
#define DIORAMA_GATEWAY_CONSOLE_CONSOLE_H

#include "gateway/console/console_file.h"
#include "gateway/reply/answer.h"

// What the console is served from.
struct console {
    bool is_enabled; // console.enabled
    const char *dir; // console.dir: a folder to read instead of the embedded files; "" = none
    const struct console_file *files;
    size_t count; // 0: the server was built without them
};

// Fills it from the settings and the embedded files.
void console_init(struct console *self, bool is_enabled, const char *dir);

// Whether there is something to serve.
bool console_is_there(const struct console *self);

// Answers a path below /console/: the file that it names, else index.html, whose script knows the
// screens. Fails with ERR_NOT_FOUND and a sentence where the console is off or was not built.
fallible console_serve(const struct answer_source *source, struct http_answer *answer);

// Answers / with 302 to the console for a browser; others get ERR_NOT_FOUND.
fallible console_redirect(const struct answer_source *source, struct http_answer *answer);

#endif
