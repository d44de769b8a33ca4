// folder_lock_test.c - one process at a time has a store's folder, and who waits gets it.
#include "store/folder_lock.h"

#include <criterion/criterion.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "tests/support/temporary.h"

// A process that holds the lock until `end` is closed, and a byte later that tells.
static pid_t
holder_start(const char *path, int *ret_end)
{
    int ready[2], end[2];
    cr_assert(pipe(ready) == 0 && pipe(end) == 0);
    pid_t holder = fork();
    if (holder == 0) {
        int lock = -1;
        char byte = folder_lock_take(path, 0, &lock) == OK;
        close(end[1]);
        if (write(ready[1], &byte, 1) != 1)
            _exit(1);
        _exit(read(end[0], &byte, 1) == 0 ? 0 : 1);
    }
    char byte = 0;
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    cr_assert_eq(byte, 1);
    *ret_end = end[1];
    return holder;
}

Test(folder_lock, makes_the_folder_for_this_user_alone)
{
    struct temporary directory;
    temporary_init(&directory);
    char path[TEMPORARY_PATH_BYTES];
    temporary_path(&directory, "store", path);
    int lock = -1;
    cr_assert_eq(folder_lock_take(path, 0, &lock), OK);
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0700);
    folder_lock_release(&lock);
    cr_assert_eq(lock, -1);
    temporary_finish(&directory);
}

Test(folder_lock, another_process_is_refused_at_the_deadline)
{
    struct temporary directory;
    temporary_init(&directory);
    int end, lock = -1;
    pid_t holder = holder_start(directory.path, &end);
    cr_assert_eq(folder_lock_take(directory.path, clock_deadline_ms(50), &lock), ERR_UNAVAILABLE);
    cr_assert_eq(lock, -1);
    close(end);
    waitpid(holder, NULL, 0);
    temporary_finish(&directory);
}

Test(folder_lock, a_process_that_waits_gets_it_when_the_other_one_ends)
{
    struct temporary directory;
    temporary_init(&directory);
    int end, lock = -1;
    pid_t holder = holder_start(directory.path, &end);
    pid_t closer = fork();
    if (closer == 0) {
        usleep(100000);
        kill(holder, SIGKILL);
        _exit(0);
    }
    cr_assert_eq(folder_lock_take(directory.path, clock_deadline_ms(20000), &lock), OK);
    waitpid(holder, NULL, 0);
    waitpid(closer, NULL, 0);
    close(end);
    folder_lock_release(&lock);
    temporary_finish(&directory);
}

Test(folder_lock, the_same_process_is_refused_at_once)
{
    struct temporary directory;
    temporary_init(&directory);
    int first = -1, second = -1;
    cr_assert_eq(folder_lock_take(directory.path, 0, &first), OK);
    cr_assert_eq(folder_lock_take(directory.path, clock_deadline_ms(3600000), &second),
                 ERR_UNAVAILABLE);
    folder_lock_release(&first);
    cr_assert_eq(folder_lock_take(directory.path, 0, &second), OK);
    folder_lock_release(&second);
    temporary_finish(&directory);
}
