/* SPDX-License-Identifier: BSD-3-Clause */
/* Code in a forked child. */
#ifndef SUPPORT_FORK_H
#define SUPPORT_FORK_H

#include "support/check.h"

#include <sys/wait.h>
#include <unistd.h>

/* Runs `body` in a forked child, which must end by itself; its result. */
static inline int in_child(int (*body)(void)) {
    int code = -1;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20); /* a child that hangs is a failure */
        _exit(body());
    }
    assert_int_equal(waitpid(pid, &code, 0), pid);
    return WIFEXITED(code) ? WEXITSTATUS(code) : 128;
}

#endif
