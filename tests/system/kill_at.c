// kill_at.c - ends the process with SIGKILL before its N-th change of files below certain folders:
// a library that is loaded before the program (LD_PRELOAD). Any thread.
//   KILL_BELOW   the folders, as `A:B`; a path counts that begins with one of them
//   KILL_AT      N, counted from 1; 0 = only count
//   KILL_STEPS   a file that gets a line for each change: what and path
// A change is a call that makes, links, names, removes, writes or syncs.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, FD_SIZE = 64 };

static _Atomic long done;

static bool
is_below(const char *path)
{
    const char *folders = getenv("KILL_BELOW");
    for (const char *folder = folders; folder && *folder;) {
        size_t size = strcspn(folder, ":");
        if (size && strncmp(path, folder, size) == 0)
            return true;
        folder += size + (folder[size] == ':');
    }
    return false;
}

// Not by the functions below: what is written here is no change of the program.
static void
note(const char *what, const char *path)
{
    static int (*next_open)(const char *path, int flags, ...);
    static ssize_t (*next_write)(int file, const void *data, size_t size);
    char line[PATH_SIZE + FD_SIZE];
    const char *steps = getenv("KILL_STEPS");
    if (!next_open)
        next_open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if (!next_write)
        next_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    int file =
        steps ? next_open(steps, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR) : -1;
    if (file < 0)
        return;
    int size = snprintf(line, sizeof line, "%s %s\n", what, path);
    if (next_write(file, line, (size_t)size) != size)
        abort();
    close(file);
}

static void
step(const char *what, const char *path)
{
    const char *at = getenv("KILL_AT");
    if (!path || !is_below(path))
        return;
    note(what, path);
    if (at && atomic_fetch_add(&done, 1) + 1 == strtol(at, NULL, 10)) {
        kill(getpid(), SIGKILL);
        for (;;)
            pause(); // no other thread of it goes on either
    }
}

static void
step_file(const char *what, int file)
{
    char link[FD_SIZE], path[PATH_SIZE];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size <= 0)
        return;
    path[size] = '\0';
    step(what, path);
}

// The function of this name that is next, which glibc has.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int
open_next(const char *name, const char *path, int flags, mode_t mode)
{
    int (*next)(const char *path, int flags, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    if (flags & O_CREAT)
        step("make", path);
    return next(path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_next("open", path, flags, mode);
}

int
open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_next("open64", path, flags, mode);
}

FILE *
fopen(const char *path, const char *mode)
{
    if (strchr(mode, 'w') || strchr(mode, 'a'))
        step("make", path);
    return NEXT(fopen)(path, mode);
}

FILE *
fopen64(const char *path, const char *mode)
{
    if (strchr(mode, 'w') || strchr(mode, 'a'))
        step("make", path);
    return NEXT(fopen64)(path, mode);
}

int
mkdir(const char *path, mode_t mode)
{
    step("mkdir", path);
    return NEXT(mkdir)(path, mode);
}

int
link(const char *from, const char *to)
{
    step("link", to);
    return NEXT(link)(from, to);
}

int
rename(const char *from, const char *to)
{
    step("rename", from);
    return NEXT(rename)(from, to);
}

int
renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    step("rename", from);
    return NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}

int
unlink(const char *path)
{
    step("unlink", path);
    return NEXT(unlink)(path);
}

int
rmdir(const char *path)
{
    step("rmdir", path);
    return NEXT(rmdir)(path);
}

int
remove(const char *path)
{
    step("remove", path);
    return NEXT(remove)(path);
}

ssize_t
write(int file, const void *data, size_t size)
{
    step_file("write", file);
    return NEXT(write)(file, data, size);
}

int
fflush(FILE *file)
{
    if (file)
        step_file("write", fileno(file));
    return NEXT(fflush)(file);
}

int
fsync(int file)
{
    step_file("sync", file);
    return NEXT(fsync)(file);
}

int
fdatasync(int file)
{
    step_file("sync", file);
    return NEXT(fdatasync)(file);
}

int
ftruncate(int file, off_t size)
{
    step_file("truncate", file);
    return NEXT(ftruncate)(file, size);
}
