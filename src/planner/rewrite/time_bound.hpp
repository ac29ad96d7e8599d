// How a value is computed from a time of a key, and the bounds of the time that follow from bounds
// of the value. The computation is inverted step by step, from its last operation to its first one.
#pragma once

#include "pg/pg.hpp"

namespace uuidx {

// How far an operation moves what it is applied to, in microseconds.
struct Reach {
  int64 least = 0;
  int64 most = 0;
};

// The steps that invert a computation.
class Steps {
 public:
  // Adds the inversion of an operation that moves its argument. Steps that are added to full ones
  // are lost, but is_full() then says so.
  void move(Reach reach) { add({Kind::move, reach, nullptr}); }

  // Adds the inversion of a local time to its instant, or of an instant to its local time, of the
  // session's zone if `zone` is null.
  void to_instant(const char *zone) { add({Kind::to_instant, {}, zone}); }
  void to_local(const char *zone) { add({Kind::to_local, {}, zone}); }

  // Adds the inversion of a year to the local times in it.
  void from_year() { add({Kind::from_year, {}, nullptr}); }

  // Makes the steps depend on the session's settings.
  void depend_on_session() { in_session_ = true; }

  // Returns the steps after one that leads from an instant of the session to its local time.
  [[nodiscard]] Steps after_local() const;

  // Returns how far the moves lead from a time at most, either way.
  [[nodiscard]] int64 farthest() const;

  [[nodiscard]] bool is_full() const { return count_ > kMost; }
  [[nodiscard]] bool depends_on_session() const { return in_session_; }

  // Returns the steps for lower or upper bounds, of a comparison by a B-tree strategy (of equality
  // if the value may have been rounded), as the text that uuid_time_bound() takes, after "cast" if
  // the value must first become an instant: steps separated by ';', each of them
  //   cast         takes a date or timestamp for an instant of the session's zone, as a cast does
  //   N            adds N microseconds
  //   zone[=NAME]  leads from local times to instants, of the session's zone or this one
  //   local[=NAME] leads from instants to local times
  //   year, nextyear  lead from numbers, as seconds, to the beginning of a year or of the one after
  [[nodiscard]] const char *text(bool cast, bool upper, int strategy) const;

 private:
  enum class Kind : uint8 { move, to_instant, to_local, from_year };
  struct Step {
    Kind kind = Kind::move;
    Reach reach;
    const char *zone = nullptr;
  };
  static constexpr bool is_of_zone(const Step &step) {
    return step.kind == Kind::to_instant || step.kind == Kind::to_local;
  }
  static constexpr int kMost = 12;

  void add(const Step &step);

  Step steps_[kMost];
  int count_ = 0;
  bool in_session_ = false;
};

}  // namespace uuidx
