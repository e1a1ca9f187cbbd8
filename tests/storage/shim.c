/* Stands between SQLite and the C library, for the files whose path begins with $SHIM_FILES:
   logs every write and sync to $SHIM_LOG, fails writes for want of room while $SHIM_FULL exists,
   and kills the process in the middle of operation number $SHIM_KILL. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off64_t);
typedef int (*sync_function)(int);
typedef int (*truncate_function)(int, off64_t);

static int operations = 0;

static int ours(int fd, char *path, size_t size) {
    const char *files = getenv("SHIM_FILES");
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (files == NULL || length < 0) return 0;
    path[length] = 0;
    return strncmp(path, files, strlen(files)) == 0;
}

static void note(char kind, const char *path) {
    const char *name = getenv("SHIM_LOG");
    if (name == NULL) return;
    int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dprintf(fd, "%c %s\n", kind, path);
    close(fd);
}

static int dies_now(void) {
    const char *number = getenv("SHIM_KILL");
    return number != NULL && ++operations == atoi(number);
}

static int is_full(void) {
    const char *flag = getenv("SHIM_FULL");
    return flag != NULL && access(flag, F_OK) == 0;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    pwrite_function real = (pwrite_function)dlsym(RTLD_NEXT, "pwrite64");
    char path[4096];
    if (!ours(fd, path, sizeof path)) return real(fd, data, size, at);
    if (is_full()) {
        errno = ENOSPC;
        return -1;
    }
    if (dies_now()) {
        real(fd, data, size / 2, at);
        kill(getpid(), SIGKILL);
    }
    ssize_t written = real(fd, data, size, at);
    note('W', path);
    return written;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    return pwrite64(fd, data, size, at);
}

static int synced(const char *name, int fd) {
    sync_function real = (sync_function)dlsym(RTLD_NEXT, name);
    char path[4096];
    if (!ours(fd, path, sizeof path)) return real(fd);
    if (dies_now()) kill(getpid(), SIGKILL);
    int result = real(fd);
    note('S', path);
    return result;
}

int fsync(int fd) { return synced("fsync", fd); }

int fdatasync(int fd) { return synced("fdatasync", fd); }

int ftruncate64(int fd, off64_t size) {
    truncate_function real = (truncate_function)dlsym(RTLD_NEXT, "ftruncate64");
    char path[4096];
    if (ours(fd, path, sizeof path) && dies_now()) kill(getpid(), SIGKILL);
    return real(fd, size);
}
