/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/fork.h"
#include "support/oom.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

static THStorage *const untouched = (THStorage *)0x1234;

/* ---- files ---- */

static char path[64];

static int make_file(void **state) {
    (void)state;
    strcpy(path, "/tmp/th_test_storage_XXXXXX");
    int fd = mkstemp(path);
    for (int i = 0; i < 10000; i++)
        if (dprintf(fd, "%c", 'a' + i % 26) != 1) return -1;
    return close(fd);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static int byte_of_file(long at) {
    FILE *f = fopen(path, "rb");
    fseek(f, at, SEEK_SET);
    int c = fgetc(f);
    fclose(f);
    return c;
}

static void test_file(void **state) {
    (void)state;
    static const int64_t ranges[][3] = {{0, -1, 10000}, {64, 100, 100}, {4096, -1, 5904},
                                        {4160, 1, 1},   {9984, -1, 16}, {0, 0, 0}};
    for (int i = 0; i < 6; i++)
        for (int32_t flags = TH_MAP_READONLY; flags <= TH_MAP_SHARED; flags++) {
            THStorage *s = NULL;
            assert_ok(THStorage_new_file(&s, path, ranges[i][0], ranges[i][1], flags));
            assert_int_equal(THStorage_nbytes(s), ranges[i][2]);
            assert_int_equal((uintptr_t)THStorage_data(s) % 64, 0);
            const char *data = THStorage_data(s);
            for (int64_t k = 0; k < ranges[i][2]; k++) assert_int_equal(data[k], 'a' + (ranges[i][0] + k) % 26);
            assert_int_equal(THStorage_is_readonly(s), flags == TH_MAP_READONLY);
            THStorage_free(s);
        }
}

static void test_file_writes(void **state) {
    (void)state;
    THStorage *s = NULL;
    assert_ok(THStorage_new_file(&s, path, 128, 10, TH_MAP_PRIVATE));
    *(char *)THStorage_data(s) = '#';
    THStorage_free(s);
    assert_int_equal(byte_of_file(128), 'a' + 128 % 26);
    assert_ok(THStorage_new_file(&s, path, 128, 10, TH_MAP_SHARED));
    *(char *)THStorage_data(s) = '#';
    THStorage_free(s);
    assert_int_equal(byte_of_file(128), '#');
}

/* What the name means by then does not matter, nor whether the descriptor is still open. */
static void test_descriptor(void **state) {
    (void)state;
    char moved[80];
    THStorage *s = NULL;
    int fd = open(path, O_RDONLY);
    snprintf(moved, sizeof moved, "%s.moved", path);
    assert_int_equal(rename(path, moved), 0);
    int other = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(other, "short", 5), 5);
    close(other);
    assert_ok(THStorage_new_fd(&s, fd, 64, -1, TH_MAP_PRIVATE));
    close(fd);
    assert_int_equal(THStorage_nbytes(s), 10000 - 64);
    assert_int_equal(*(char *)THStorage_data(s), 'a' + 64 % 26);
    *(char *)THStorage_data(s) = '#';
    THStorage_free(s);
    assert_int_equal(rename(moved, path), 0);
    assert_int_equal(byte_of_file(64), 'a' + 64 % 26);

    s = untouched;
    assert_fails(TH_E_ARG, "THStorage_new_fd: got descriptor -1", THStorage_new_fd(&s, -1, 0, 1, TH_MAP_PRIVATE));
    assert_fails(TH_E_IO, "\"descriptor 1000\"", THStorage_new_fd(&s, 1000, 0, 1, TH_MAP_PRIVATE));
    fd = open(path, O_RDONLY);
    assert_fails(TH_E_ARG, "got flags 6", THStorage_new_fd(&s, fd, 0, 1, TH_MAP_SHARED | TH_MAP_CREATE));
    assert_fails(TH_E_ARG, "a range of 1 bytes", THStorage_new_fd(&s, fd, 64 * 1000, 1, TH_MAP_PRIVATE));
    assert_fails(TH_E_IO, "cannot map", THStorage_new_fd(&s, fd, 0, 1, TH_MAP_SHARED)); /* open for reading */
    close(fd);
    assert_ptr_equal(s, untouched);
}

static void test_file_create(void **state) {
    (void)state;
    char made[80];
    THStorage *s = NULL;
    snprintf(made, sizeof made, "%s.new", path);
    assert_ok(THStorage_new_file(&s, made, 64, 1000, TH_MAP_SHARED | TH_MAP_CREATE));
    memset(THStorage_data(s), 'x', 1000);
    THStorage_free(s);
    struct stat info;
    assert_int_equal(stat(made, &info), 0);
    assert_int_equal(info.st_size, 1064);
    s = untouched;
    assert_fails(TH_E_IO, "cannot create", THStorage_new_file(&s, made, 0, 10, TH_MAP_SHARED | TH_MAP_CREATE));
    assert_int_equal(stat(made, &info), 0); /* a file of others is not removed */
    assert_int_equal(unlink(made), 0);
    assert_fails(TH_E_IO, "cannot allocate",
                 THStorage_new_file(&s, made, 0, INT64_C(1) << 62, TH_MAP_SHARED | TH_MAP_CREATE));
    assert_int_equal(stat(made, &info), -1);
    assert_ptr_equal(s, untouched);
}

static void test_file_fails(void **state) {
    (void)state;
    THStorage *s = untouched;
    assert_fails(TH_E_NOTFOUND, "THStorage_new_file: cannot open \"/nowhere/x\"",
                 THStorage_new_file(&s, "/nowhere/x", 0, -1, 0));
    assert_fails(TH_E_IO, "cannot", THStorage_new_file(&s, "/tmp", 0, -1, TH_MAP_SHARED));
    assert_fails(TH_E_IO, "Is a directory", THStorage_new_file(&s, "/tmp", 0, 1, TH_MAP_READONLY));
    assert_fails(TH_E_ARG, "got a range of 10001 bytes from offset 0, want one inside the 10000 bytes",
                 THStorage_new_file(&s, path, 0, 10001, 0));
    assert_fails(TH_E_ARG, "want one inside", THStorage_new_file(&s, path, 10048, -1, 0));
    assert_fails(TH_E_ARG, "got offset 32, want a multiple of 64", THStorage_new_file(&s, path, 32, -1, 0));
    assert_fails(TH_E_ARG, "got offset -64", THStorage_new_file(&s, path, -64, -1, 0));
    assert_fails(TH_E_ARG, "got -2 bytes", THStorage_new_file(&s, path, 0, -2, 0));
    assert_fails(TH_E_ARG, "got -1 bytes", THStorage_new_file(&s, path, 0, -1, TH_MAP_SHARED | TH_MAP_CREATE));
    assert_fails(TH_E_ARG, "bytes, want", THStorage_new_file(&s, path, 64, INT64_MAX, 0));
    assert_fails(TH_E_ARG, "got flags 3", THStorage_new_file(&s, path, 0, -1, 3));
    assert_fails(TH_E_ARG, "got flags 4", THStorage_new_file(&s, path, 0, 1, TH_MAP_CREATE));
    assert_fails(TH_E_ARG, "got flags -1", THStorage_new_file(&s, path, 0, 1, -1));
    assert_fails(TH_E_ARG, "is NULL", THStorage_new_file(&s, NULL, 0, 1, 0));
    assert_fails(TH_E_ARG, "out is NULL", THStorage_new_file(NULL, path, 0, 1, 0));
    assert_ptr_equal(s, untouched);
}

/* ---- shared memory ---- */

static void test_shared(void **state) {
    (void)state;
    char name[32];
    snprintf(name, sizeof name, "/th_test_%d", (int)getpid());
    THStorage *mine = NULL, *other = NULL;
    assert_ok(THStorage_new_shared(&mine, name, 5000, TH_MAP_SHARED | TH_MAP_CREATE));
    memset(THStorage_data(mine), 'm', 5000);
    assert_fails(TH_E_IO, "cannot create", THStorage_new_shared(&other, name, 5000, TH_MAP_SHARED | TH_MAP_CREATE));
    pid_t pid = fork();
    if (pid == 0) {
        int bad = THStorage_new_shared(&other, name, 5000, TH_MAP_SHARED) != TH_OK;
        if (!bad) ((char *)THStorage_data(other))[4999] = 'o';
        THStorage_free(other);
        THStorage_free(mine); /* the child's copy: the name must stay */
        _exit(bad);
    }
    int code = -1;
    waitpid(pid, &code, 0);
    assert_int_equal(code, 0);
    assert_int_equal(((char *)THStorage_data(mine))[4999], 'o');
    assert_ok(THStorage_new_shared(&other, name, 100, TH_MAP_READONLY));
    assert_int_equal(*(char *)THStorage_data(other), 'm');
    assert_fails(TH_E_ARG, "want one inside the 5000 bytes", THStorage_new_shared(&other, name, 5001, TH_MAP_SHARED));
    THStorage_free(mine);
    assert_int_equal(*(char *)THStorage_data(other), 'm'); /* lives on without its name */
    THStorage_free(other);
    assert_fails(TH_E_NOTFOUND, "THStorage_new_shared: cannot open",
                 THStorage_new_shared(&other, name, 100, TH_MAP_SHARED));
}

/* ---- out of memory ---- */

static void make_each(void *arg) {
    (void)arg;
    char name[32];
    snprintf(name, sizeof name, "/th_oom_%d", (int)getpid());
    for (int i = 0; i < 2; i++) {
        THStorage *s = untouched;
        THStatus status = i ? THStorage_new_file(&s, path, 0, -1, TH_MAP_READONLY)
                            : THStorage_new_shared(&s, name, 100, TH_MAP_SHARED | TH_MAP_CREATE);
        if (status == TH_OK) {
            THStorage_free(s);
        } else {
            assert_int_equal(status, TH_E_MEMORY);
            assert_ptr_equal(s, untouched);
        }
        assert_int_equal(shm_open(name, O_RDONLY, 0), -1); /* no name stays behind */
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    oom_each(make_each, NULL);
}

int main(void) {
    oom_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),          cmocka_unit_test(test_file_writes), cmocka_unit_test(test_file_create),
        cmocka_unit_test(test_descriptor),    cmocka_unit_test(test_file_fails),  cmocka_unit_test(test_shared),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
