// Finds duplicates among more values than fit in memory:
// unique split FOLDER SESSION   writes the UUIDs of a binary COPY on stdin to files of the folder
// unique check FOLDER           compares them, in 256 parts
// Equal values belong to the same part. `split` expects versions 7, 4, 1 and 6 in turn, with 7 and
// 6 increasing; it prints the number of values, and of those that do not. `check` prints the number
// of values and of duplicates, and the first duplicates on stderr.
#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../randomness/copied_ids.hpp"
#include "fields.hpp"
#include "uuid.hpp"

namespace {

using uuidx::Uuid;

constexpr std::size_t kParts = 256;

struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const std::string &what) {
  std::perror(what.c_str());
  std::exit(2);
}

File open(const std::string &path, const char *mode) {
  File file{std::fopen(path.c_str(), mode)};
  if (!file) {
    fail(path);
  }
  return file;
}

// Returns the part of a value. Uses all bits, as most of version 1 are the same in a session.
std::size_t part_of(Uuid id) {
  const std::uint64_t mixed = (id.hi ^ id.lo * 0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93;
  return mixed >> 56;
}

// Checks version and order of a session's values.
class Judge {
 public:
  bool fits(Uuid id) {
    constexpr unsigned kVersions[] = {7, 4, 1, 6};
    const std::size_t turn = count_++ % 4;
    const Uuid last = last_[turn];
    last_[turn] = id;
    const bool ordered = kVersions[turn] >= 6;
    return uuidx::version_of(id) == kVersions[turn] && (!ordered || id > last);
  }

 private:
  std::uint64_t count_ = 0;
  Uuid last_[4]{};
};

int split(const std::string &folder, const std::string &session) {
  std::vector<File> parts;
  for (std::size_t part = 0; part < kParts; ++part) {
    parts.push_back(open(folder + "/" + std::to_string(part) + "." + session, "wb"));
  }
  static CopiedIds ids{stdin};
  Judge judge;
  Uuid id;
  std::uint64_t values = 0;
  std::uint64_t wrong = 0;
  while (ids.next(&id)) {
    ++values;
    wrong += judge.fits(id) ? 0 : 1;
    std::fwrite(&id, sizeof id, 1, parts[part_of(id)].get());
  }
  for (const File &part : parts) {
    if (std::fflush(part.get()) != 0 || std::ferror(part.get()) != 0) {
      fail(folder);
    }
  }
  std::printf("%" PRIu64 " %" PRIu64 "\n", values, wrong);
  return 0;
}

// Adds the values of a file.
void read_values(const std::string &path, std::vector<Uuid> *values) {
  const std::size_t before = values->size();
  const std::size_t count = std::filesystem::file_size(path) / sizeof(Uuid);
  values->resize(before + count);
  if (std::fread(values->data() + before, sizeof(Uuid), count, open(path, "rb").get()) != count) {
    fail(path);
  }
}

int check(const std::string &folder) {
  std::vector<std::vector<std::string>> parts(kParts);
  for (const auto &entry : std::filesystem::directory_iterator{folder}) {
    parts.at(std::stoul(entry.path().filename())).push_back(entry.path());
  }
  std::uint64_t values = 0;
  std::uint64_t equal = 0;
  std::vector<Uuid> part;
  for (const auto &files : parts) {
    part.clear();
    for (const std::string &file : files) {
      read_values(file, &part);
    }
    std::sort(part.begin(), part.end());
    values += part.size();
    for (auto at = part.begin(); (at = std::adjacent_find(at, part.end())) != part.end(); ++at) {
      if (++equal <= 10) {
        std::fprintf(stderr, "twice: %016" PRIx64 "%016" PRIx64 "\n", at->hi, at->lo);
      }
    }
  }
  std::printf("%" PRIu64 " %" PRIu64 "\n", values, equal);
  return 0;
}

}  // namespace

int main(int count, char **arguments) {
  if (count == 4 && std::strcmp(arguments[1], "split") == 0) {
    return split(arguments[2], arguments[3]);
  }
  if (count == 3 && std::strcmp(arguments[1], "check") == 0) {
    return check(arguments[2]);
  }
  std::fputs("usage: unique split FOLDER SESSION | unique check FOLDER\n", stderr);
  return 2;
}
