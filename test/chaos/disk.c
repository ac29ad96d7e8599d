// A disk that loses power when it is killed: disk FILE MOUNT_POINT PERCENT
// Serves FILE by FUSE as the file MOUNT_POINT, for a loop device. What is written stays in memory,
// in blocks of 4 kB, until it is flushed: SIGKILL loses the rest. As a disk may empty its cache at
// any time and in any order, PERCENT of the written blocks go to FILE at once. Prints the process
// ID of the server, and leaves it running. Needs root.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BLOCK = 4096, MAX_WRITE = 128 * 1024 };

static uint64_t size;              // in bytes, a multiple of BLOCK
static unsigned char *flushed;     // FILE, mapped
static unsigned char **unflushed;  // by block: its content if that differs from FILE, or NULL
static uint64_t *pending;          // numbers of blocks, among them all that are unflushed
static uint64_t pending_count;
static long percent;
static int device;  // /dev/fuse

// Ends the program with what could not be done, by errno.
static void fail(const char *what) {
  perror(what);
  exit(1);
}

// Answers a request, with an errno or data.
static void answer(const struct fuse_in_header *request, int error, const void *data,
                   size_t length) {
  struct fuse_out_header header = {sizeof header + length, -error, request->unique};
  const struct iovec parts[] = {{&header, sizeof header}, {(void *)data, length}};
  // ENOENT: the request was interrupted.
  if (writev(device, parts, 2) < 0 && errno != ENOENT) fail("answer");
}

// Copies what was written to a block to FILE.
static void flush_block(uint64_t block) {
  if (unflushed[block] == NULL) return;
  memcpy(flushed + block * BLOCK, unflushed[block], BLOCK);
  free(unflushed[block]);
  unflushed[block] = NULL;
}

// Copies all that was written to FILE.
static void flush_all(void) {
  while (pending_count > 0) flush_block(pending[--pending_count]);
}

// Returns the content of a block as last written.
static unsigned char *content(uint64_t block) {
  return unflushed[block] != NULL ? unflushed[block] : flushed + block * BLOCK;
}

// Makes a block's content unflushed.
static void hold(uint64_t block) {
  if (unflushed[block] != NULL) return;
  // Full, as a block that has gone to FILE at once can be there again.
  if (pending_count == size / BLOCK) flush_all();
  unsigned char *written = malloc(BLOCK);
  if (written == NULL) fail("malloc");
  memcpy(written, flushed + block * BLOCK, BLOCK);
  unflushed[block] = written;
  pending[pending_count++] = block;
}

// Copies bytes from or to the disk, block by block.
static void copy(uint64_t offset, unsigned char *data, uint64_t length, int is_write) {
  while (length > 0) {
    const uint64_t block = offset / BLOCK, start = offset % BLOCK;
    const uint64_t part = length < BLOCK - start ? length : BLOCK - start;
    if (is_write) {
      hold(block);
      memcpy(content(block) + start, data, part);
      if (random() % 100 < percent) flush_block(block);
    } else {
      memcpy(data, content(block) + start, part);
    }
    offset += part;
    data += part;
    length -= part;
  }
}

// Returns how many bytes of a request lie within the disk.
static uint64_t within(uint64_t offset, uint64_t length) {
  if (offset >= size) return 0;
  return length < size - offset ? length : size - offset;
}

static void answer_init(const struct fuse_in_header *request) {
  const struct fuse_init_in *in = (const void *)(request + 1);
  const struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
                                    .minor = FUSE_KERNEL_MINOR_VERSION,
                                    .max_readahead = in->max_readahead,
                                    .max_write = MAX_WRITE};
  answer(request, 0, &out, sizeof out);
}

static void answer_getattr(const struct fuse_in_header *request) {
  const struct fuse_attr_out out = {
      .attr_valid = UINT32_MAX,
      .attr = {.ino = FUSE_ROOT_ID, .size = size, .mode = S_IFREG | 0600, .nlink = 1}};
  answer(request, 0, &out, sizeof out);
}

static void answer_read(const struct fuse_in_header *request) {
  static unsigned char data[MAX_WRITE];
  const struct fuse_read_in *in = (const void *)(request + 1);
  const uint64_t length = within(in->offset, in->size < sizeof data ? in->size : sizeof data);
  copy(in->offset, data, length, 0);
  answer(request, 0, data, length);
}

static void answer_write(const struct fuse_in_header *request) {
  struct fuse_write_in *in = (void *)(request + 1);
  const struct fuse_write_out out = {.size = within(in->offset, in->size)};
  copy(in->offset, (unsigned char *)(in + 1), out.size, 1);
  answer(request, out.size == 0 ? ENOSPC : 0, &out, out.size == 0 ? 0 : sizeof out);
}

// Serves one request.
static void serve(const struct fuse_in_header *request) {
  const struct fuse_open_out opened = {0};
  switch (request->opcode) {
    case FUSE_INIT:
      return answer_init(request);
    case FUSE_GETATTR:
      return answer_getattr(request);
    case FUSE_OPEN:
      return answer(request, 0, &opened, sizeof opened);
    case FUSE_READ:
      return answer_read(request);
    case FUSE_WRITE:
      return answer_write(request);
    case FUSE_FSYNC:
      flush_all();
      return answer(request, 0, NULL, 0);
    case FUSE_FLUSH:  // a descriptor is closed, which flushes nothing
    case FUSE_RELEASE:
      return answer(request, 0, NULL, 0);
    case FUSE_FORGET:  // these have no answer
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
      return;
    default:
      return answer(request, ENOSYS, NULL, 0);
  }
}

// Maps FILE.
static void open_file(const char *path) {
  struct stat status;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) fail(path);
  size = (uint64_t)status.st_size / BLOCK * BLOCK;
  flushed = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  unflushed = calloc(size / BLOCK, sizeof *unflushed);
  pending = calloc(size / BLOCK, sizeof *pending);
  if (flushed == MAP_FAILED || unflushed == NULL || pending == NULL) fail("memory");
}

int main(int argc, char **argv) {
  static _Alignas(uint64_t) unsigned char buffer[MAX_WRITE + BLOCK];
  char options[80];
  if (argc != 4) return 2;
  open_file(argv[1]);
  percent = strtol(argv[3], NULL, 10);
  device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (device < 0) fail("/dev/fuse");
  snprintf(options, sizeof options, "fd=%d,rootmode=%o,user_id=0,group_id=0", device, S_IFREG);
  if (mount("disk", argv[2], "fuse", MS_NOSUID | MS_NODEV, options) != 0) fail(argv[2]);
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child > 0) return printf("%d\n", child) < 0;
  fclose(stdout);
  srandom((unsigned)getpid());
  while (1) {
    const ssize_t length = read(device, buffer, sizeof buffer);
    // ENODEV: unmounted. ENOENT: the request was interrupted before it was read.
    if (length < 0 && errno == ENODEV) return 0;
    if (length < 0 && errno != ENOENT && errno != EINTR && errno != EAGAIN) fail("/dev/fuse");
    if (length > 0) serve((const struct fuse_in_header *)buffer);
  }
}
