/* Three names of later versions of glibc that Swift's archives use, for a library that runs with glibc 2.28. They are
 * hidden, so other code in the process keeps using those of the system. */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HIDDEN __attribute__((visibility("hidden")))

extern ssize_t getrandom(void *buffer, size_t count, unsigned flags);

/* libgcc then searches with dl_iterate_phdr, as with an older glibc. */
HIDDEN int _dl_find_object(void *address, void *result) {
  (void)address, (void)result;
  return -1;
}

HIDDEN uint32_t arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}

/* The C++ library then always uses atomic operations. */
HIDDEN char __libc_single_threaded = 0;
