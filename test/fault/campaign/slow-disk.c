// Preloaded into a server: each fsync and fdatasync waits for the milliseconds in the first 4 bytes of the file that
// MNEME_TEST_DISK names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint32_t *delay_ms;

__attribute__((constructor)) static void open_control(void) {
  const char *path = getenv("MNEME_TEST_DISK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *bytes = mmap(NULL, sizeof *delay_ms, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (bytes != MAP_FAILED) delay_ms = bytes;
}

static int delayed(const char *name, int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (delay_ms && *delay_ms) usleep(*delay_ms * 1000);
  return real(file);
}

int fsync(int file) { return delayed("fsync", file); }
int fdatasync(int file) { return delayed("fdatasync", file); }
