// password.c - reads from a terminal without echo, and restores the echo if a signal comes
// meanwhile.
#include "tools/cli/password.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "proto/base/owned.h"
#include "tools/cli/file_text.h"

enum { LINE_BYTES = 4096 };

void
password_finish(struct buffer *self)
{
    if (self->data)
        explicit_bzero(self->data, self->capacity);
    buffer_finish(self);
}

// Reads one line from the terminal. False if a signal came or the input ended.
static bool
read_line(int signals, struct buffer *out)
{
    struct pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = signals, .events = POLLIN}};
    buffer_clear(out);
    buffer_reserve(out, LINE_BYTES);
    if (poll(ready, 2, -1) < 0 || ready[1].revents)
        return false;
    ssize_t size = read(STDIN_FILENO, out->data, LINE_BYTES);
    out->size = size > 0 ? (size_t)size : 0;
    return size > 0;
}

// Asks without echo. Signals that would leave the terminal without echo are blocked until it is
// back, and take effect then.
static bool
ask(const char *prompt, struct buffer *out)
{
    struct termios before, silent;
    sigset_t signals, mask;
    const int waiting[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof waiting / sizeof waiting[0]; i++)
        sigaddset(&signals, waiting[i]);
    sigprocmask(SIG_BLOCK, &signals, &mask);
    int arrived = signalfd(-1, &signals, SFD_CLOEXEC);
    tcgetattr(STDIN_FILENO, &before);
    silent = before;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    fputs(prompt, stderr);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    bool is_read = read_line(arrived, out);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    fputc('\n', stderr);
    close(arrived);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return is_read;
}

// Ends the text at its first line end.
static fallible
take_first_line(struct buffer *out)
{
    const char *end = out->size ? memchr(out->data, '\n', out->size) : NULL;
    if (end)
        out->size = (size_t)(end - out->data);
    if (out->size && out->data[out->size - 1] == '\r')
        out->size--;
    if (out->size == 0)
        return fail(ERR_INVALID, "", "the password is empty");
    buffer_put_char(out, '\0');
    return OK;
}

static fallible
ask_for_line(const char *prompt, struct buffer *out)
{
    if (!ask(prompt, out))
        return fail(ERR_UNAVAILABLE, "", "no password was given");
    return take_first_line(out);
}

fallible
password_read(const char *file, bool is_new, struct buffer *out)
{
    owned(password_finish) struct buffer again = {0};
    buffer_clear(out);
    if (file[0] || !isatty(STDIN_FILENO)) {
        TRY(file_text_read(file[0] ? file : "-", out));
        return take_first_line(out);
    }
    TRY(ask_for_line("Password: ", out));
    if (!is_new)
        return OK;
    TRY(ask_for_line("Again: ", &again));
    return strcmp(out->data, again.data) == 0
               ? OK
               : fail(ERR_INVALID, "", "the two passwords are not the same");
}
