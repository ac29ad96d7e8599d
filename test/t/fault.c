// Preloaded into an unmodified server, this library injects faults into its clock, its random source,
// OpenSSL's digests, the mark file and, built with FAULT_MEMORY, its memory. A control page selects
// them: a file that the environment variable UUIDX_FAULT names and the test writes
// (test/t/FaultShim.pm). Without it, everything passes through. Uses no malloc and no lock, as
// PostgreSQL reads the clock in signal handlers.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK_REAL = 0, CLOCK_SET = 1, CLOCK_MOVED = 2 };

// Faults of the random sources, as bits.
enum {
  KERNEL_FAILS = 1,
  KERNEL_CONSTANT = 2,
  OPENSSL_FAILS = 4,
  OPENSSL_CONSTANT = 8,
  CIPHER_FAILS = 16,
  NO_WIPE_ON_FORK = 32
};

// Faults of the mark file, as bits.
enum { OPEN_FAILS = 1, WRITE_FAILS = 2, FLUSH_FAILS = 4, FLUSH_DIRECTORY_FAILS = 8 };

// The control page. FaultShim.pm reads its fields, and the names above, from here.
struct page {
  int64_t clock;        // CLOCK_REAL, CLOCK_SET to the time below, CLOCK_MOVED by the time below
  int64_t seconds;      // of a set clock since 1970; may be negative
  int64_t nanoseconds;  // any number; carried into the seconds
  int64_t step;         // added to the nanoseconds at each reading; 0 freezes a set clock
  int64_t random;       // the bits above
  char digest[32];      // unavailable digest, in any case; empty if all are available
  int64_t leftovers;    // counted here: digests requested with a nonempty error queue
  int64_t starved;      // process that is refused memory once, or 0; the next three apply to it
  int64_t least;        // minimum bytes of a refused request
  int64_t granted;      // requests before the first refused one; counted down
  int64_t refused;      // counted here
  int64_t failing;      // failing calls on the mark file, the bits above
  int64_t error;        // with this errno
  int64_t delay;        // milliseconds added to a flush of the mark file, unless taken back during it
  int64_t flushes;      // counted here: flushes of all files
};

static struct page *page;
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static ssize_t (*real_getrandom)(void *, size_t, unsigned);

// Finds the real functions at load; callers in libraries initialized earlier look them up themselves.
__attribute__((constructor)) static void resolve(void) {
  *(void **)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  *(void **)&real_getrandom = dlsym(RTLD_NEXT, "getrandom");
}

// A function of libcrypto, as its last caller finds it without this library.
struct real {
  const char *name;
  void *caller;
  void *function;
};

// Returns the real function for the code at an address. The server may be linked with another
// libcrypto than uuidx, which must not get contexts of that one.
static void *find_for(struct real *real, void *address) {
  Dl_info caller;
  if (dladdr(address, &caller) == 0 || real->caller == caller.dli_fbase) return real->function;
  // No handle of the main program, which would find this library first.
  void *handle = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *function = handle == NULL ? NULL : dlsym(handle, real->name);
  real->function = function != NULL ? function : dlsym(RTLD_NEXT, real->name);
  real->caller = caller.dli_fbase;
  return real->function;
}

// Defines the real function that is called like this one.
#define REAL(type, name, ...)                      \
  static struct real found_##name = {#name, 0, 0}; \
  type (*real_##name)(__VA_ARGS__);                \
  *(void **)&real_##name = find_for(&found_##name, __builtin_return_address(0))

// Maps the control page. Forked backends share it, so a test takes effect in a running server at once.
__attribute__((constructor)) static void map_page(void) {
  const char *path = getenv("UUIDX_FAULT");
  const int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  void *mapped = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) page = mapped;
  close(file);
}

// Waits the delay of the control page despite signals, or until the test takes it back.
static void wait_for_delay(void) {
  for (int64_t waited = 0; waited < __atomic_load_n(&page->delay, __ATOMIC_RELAXED); waited += 10) {
    struct timespec left = {0, 10000000};
    while (nanosleep(&left, &left) != 0) {
    }
  }
}

// Changes only the wall clock: PostgreSQL waits by the monotonic one.
int clock_gettime(clockid_t clock, struct timespec *now) {
  if (real_clock_gettime == NULL) resolve();
  const int result = real_clock_gettime(clock, now);
  if (result != 0 || clock != CLOCK_REALTIME || page == NULL || page->clock == CLOCK_REAL) return result;
  if (page->clock == CLOCK_SET) *now = (struct timespec){0, 0};
  // Written only by a stepping clock, so that a frozen one does not overwrite the test's setting.
  int64_t nanos = page->nanoseconds;
  if (page->step != 0) nanos = __atomic_add_fetch(&page->nanoseconds, page->step, __ATOMIC_RELAXED);
  nanos += now->tv_nsec;
  const int64_t carry = nanos / 1000000000 - (nanos % 1000000000 < 0);
  now->tv_sec += page->seconds + carry;
  now->tv_nsec = nanos - carry * 1000000000;
  return 0;
}

// The same clock, as PostgreSQL reads it: without a zone.
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

// The same clock once more.
time_t time(time_t *to) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  return to == NULL ? precise.tv_sec : (*to = precise.tv_sec);
}

// True if one of two bits injects a fault into a random source. Even a failing source writes its
// bytes, which must never be used.
static int forge_random(int64_t bits, void *to, size_t size) {
  if (page == NULL || (page->random & bits) == 0) return 0;
  memset(to, 0x5A, size);
  errno = EIO;
  return 1;
}

int RAND_bytes(unsigned char *to, int size) {
  if (forge_random(OPENSSL_FAILS | OPENSSL_CONSTANT, to, (size_t)size))
    return (page->random & OPENSSL_CONSTANT) != 0;
  REAL(int, RAND_bytes, unsigned char *, int);
  return real_RAND_bytes(to, size);
}

ssize_t getrandom(void *to, size_t size, unsigned flags) {
  if (forge_random(KERNEL_FAILS | KERNEL_CONSTANT, to, size))
    return (page->random & KERNEL_CONSTANT) != 0 ? (ssize_t)size : -1;
  if (real_getrandom == NULL) resolve();
  return real_getrandom(to, size, flags);
}

// Hides MADV_WIPEONFORK of Linux 4.14, which gives forked processes empty pages.
int madvise(void *address, size_t length, int advice) {
  if (page != NULL && (page->random & NO_WIPE_ON_FORK) != 0 && advice == MADV_WIPEONFORK) {
    errno = EINVAL;
    return -1;
  }
  return (int)syscall(SYS_madvise, address, length, advice);
}

// The ciphers of libcrypto's EVP interface.
int EVP_EncryptUpdate(void *context, unsigned char *to, int *written, const unsigned char *from,
                      int size) {
  if (forge_random(CIPHER_FAILS, to, (size_t)size)) return 0;
  REAL(int, EVP_EncryptUpdate, void *, unsigned char *, int *, const unsigned char *, int);
  return real_EVP_EncryptUpdate(context, to, written, from, size);
}

// Requests an unavailable digest by an unknown name, so that the real function leaves its reasons in
// the error queue.
void *EVP_MD_fetch(void *library, const char *name, const char *properties) {
  REAL(void *, EVP_MD_fetch, void *, const char *, const char *);
  REAL(unsigned long, ERR_peek_error, void);
  if (page != NULL) page->leftovers += real_ERR_peek_error() != 0;
  if (page != NULL && strcasecmp(name, page->digest) == 0) name = "not offered";
  return real_EVP_MD_fetch(library, name, properties);
}

// True if a path is that of the mark file or its temporary file.
static int is_mark(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  return strcmp(name, "uuidx.mark") == 0 || strcmp(name, "uuidx.mark.new") == 0;
}

// True if a file is the mark file.
static int is_mark_file(int file) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return is_mark(path);
}

// True if a file is a directory, such as that of the mark file.
static int is_directory(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

// True if a call on the mark file is to fail.
static int forge_failure(int64_t bit) {
  if ((page->failing & bit) == 0) return 0;
  errno = (int)page->error;
  return 1;
}

// Programs built for large files call the second one.
static int open_file(const char *name, const char *path, int flags, int mode) {
  int (*real)(const char *, int, ...);
  *(void **)&real = dlsym(RTLD_NEXT, name);
  if (page != NULL && is_mark(path) && forge_failure(OPEN_FAILS)) return -1;
  return real(path, flags, mode);
}

#define DEFINE_OPEN(name)                      \
  int name(const char *path, int flags, ...) { \
    va_list rest;                              \
    va_start(rest, flags);                     \
    const int mode = va_arg(rest, int);        \
    va_end(rest);                              \
    return open_file(#name, path, flags, mode); \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) {
  ssize_t (*real)(int, const void *, size_t, off64_t);
  *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
  if (page != NULL && page->failing != 0 && is_mark_file(file) && forge_failure(WRITE_FAILS)) return -1;
  return real(file, from, size, at);
}

ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
  return pwrite64(file, from, size, at);
}

// Flushes a file by a real function, late or not at all, despite signals.
static int flush(const char *name, int file) {
  int (*real)(int);
  *(void **)&real = dlsym(RTLD_NEXT, name);
  if (page == NULL) return real(file);
  __atomic_add_fetch(&page->flushes, 1, __ATOMIC_RELAXED);
  if ((page->delay != 0 || page->failing != 0) && is_mark_file(file)) {
    wait_for_delay();
    if (forge_failure(FLUSH_FAILS)) return -1;
  }
  if (page->failing != 0 && is_directory(file) && forge_failure(FLUSH_DIRECTORY_FAILS)) return -1;
  return real(file);
}

int fsync(int file) {
  return flush("fsync", file);
}

int fdatasync(int file) {
  return flush("fdatasync", file);
}

#ifdef FAULT_MEMORY

// Of the GNU C library, whose free takes their results.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static void *(*real_mmap)(void *, size_t, int, int, int, off_t);

// True if a request for memory is to be refused.
static int refuse(size_t size) {
  if (page == NULL || page->starved == 0 || size < (size_t)page->least) return 0;
  if (page->starved != getpid()) return 0;
  if (page->granted > 0) {
    --page->granted;
    return 0;
  }
  if (page->refused > 0) return 0;
  ++page->refused;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  return refuse(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return refuse(count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return refuse(size) ? NULL : __libc_realloc(old, size);
}

// Anonymous pages are memory, too.
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  if ((flags & MAP_ANONYMOUS) != 0 && refuse(size)) return MAP_FAILED;
  if (real_mmap == NULL) *(void **)&real_mmap = dlsym(RTLD_NEXT, "mmap");
  return real_mmap(at, size, protection, flags, file, offset);
}

#endif
