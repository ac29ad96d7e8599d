/* A model of uuid_v7_server() for SPIN. run.sh checks it, and that it has a counterexample if a fix or a condition is
 * taken out, each by a macro. Names are those of src/server.
 *
 * Two sessions, a postmaster (start, recovery, shutdown) and the world (crashes, checkpoints, a base backup) run in any
 * interleaving. A restored base backup, point-in-time recovery and a promoted standby are the same thing here: a server
 * that starts from a copy of the mark file and a prefix of the WAL.
 *
 * The claims are those of doc/order.md, each an assert(), most of them about the witness: any value that was returned
 * is chosen for it in some run, so all are checked. To have fewer states, steps are merged if what happens in between
 * could as well happen before or after them. A call begins when it takes its tick and returns when it has seen a mark
 * that is high enough, so that as few calls as possible overlap, among which there is no order.
 *
 * Left out: memory that is not sequentially consistent (argued in the sources), calls that take a tick at once and how
 * far marks are ahead (test/unit/server_ticks_test.cpp), torn writes of the file, a lost file, a clean shutdown's mark,
 * clocks and marks out of range, several standbys at a time (PostgreSQL says what they have confirmed),
 * synchronous_commit = remote_write, a primary that continues after failover, sessions with a library of another layout
 * (they are refused), progress.
 */

/* Bounds: how often it happens in one run. */
#ifndef CALLS
#define CALLS 3 /* of uuid_v7_server() and uuid_v7_advance(), 15 at most */
#endif
#ifndef ADVANCES
#define ADVANCES 1 /* of these, of uuid_v7_advance() */
#endif
#ifndef STOPS
#define STOPS 2 /* crashes and shutdowns, each followed by a start, of the copy or not */
#endif
#ifndef FAULTS
#define FAULTS 1 /* reads and writes of the mark file that fail */
#endif
#ifndef DAMAGES
#define DAMAGES 1 /* damaged mark files */
#endif
#ifndef CHANGES
#define CHANGES 0 /* of synchronous_standby_names: commits wait for the copy, or for none */
#endif
#ifndef SWITCHES
#define SWITCHES 0 /* from another standby, which is lost then, to the copy; once or not */
#endif
#ifndef CLOCK
#define CLOCK 5 /* what the clock shows at any time is this, which is beyond the first mark, or 1 */
#endif

/* Conditions of the promises. The first session has synchronous_commit = on, the other one local. */
#ifdef NOT_PRELOADED
#define PRELOADED false
#else
#define PRELOADED true
#endif
#define is_synchronous (PRELOADED && id == 0)
#ifdef FAILOVER_PROMISED
#define is_promised_after_failover true
#else
#define is_promised_after_failover (witness_is_safe || PRELOADED && witness_lsn <= received)
#endif

/* In ticks. */
#define kMarkStep 3
#define kMarkMargin 1
#define max_clock_lead 1

#define NONE 0
#define DAMAGED 255
#define NEVER 255

#define max(a, b) ((a) > (b) -> (a) : (b))

/* ServerMemory. */
bool loaded, mark_lock;
byte last, mark, file_mark, confirmed, awaited_lsn;

/* The data directory. An LSN is the number of records before it; each record is a mark. */
byte file, durable; /* uuidx.mark: as it is read, and after a power failure */
bool rejected_file; /* uuidx.mark.rejected exists */
byte wal[CALLS + 2 * CHANGES + 2 * SWITCHES]; /* a change makes each session write one more */
byte wal_end, flushed, redo;

/* The copy. It receives records when somebody waits for them, or at the last moment. */
mtype = {absent, running, promoted};
mtype standby = absent;
bool copy_rejected_file;
byte copy_file, copy_redo, received;

/* Synchronous replication. */
bool commits_wait = (CHANGES != 1); /* for the copy */
byte acknowledged;                  /* the greatest LSN that the copy has confirmed to PostgreSQL */
bool promised;                      /* commits have waited since the first session's call began */
bool is_other = (SWITCHES > 0);     /* they wait for another standby, which confirms at once */
bool is_settled = (SWITCHES == 0);  /* two seconds have passed since they wait for the copy */
byte stale;                         /* the end of the WAL then: a confirmation of this counts no more */
byte changes = CHANGES;

mtype = {down, starting, up, stopping};
mtype server = down;
byte under_way; /* calls */
byte calls = CALLS, advances = ADVANCES, stops = STOPS, faults = FAULTS, damages = DAMAGES;

/* The witness: a value that was returned, or what uuid_v7_advance() was called with. */
byte witness;          /* NONE: not chosen yet, or order is no longer promised */
bool witness_is_safe;  /* returned before the base backup, or it or a later one once the copy had its mark */
byte witness_lsn;      /* its row is in the copy only if the WAL up to here is */

inline read_clock(now) {
  if
  :: now = 1
  :: now = CLOCK
  fi
}

inline forget_witness() {
  witness = NONE; witness_is_safe = false; witness_lsn = 0
}

/* mark_file.cpp. */

mtype = {file_read, file_missing, file_rejected, file_unreadable};

inline read_mark_file() {
  if
#ifdef DEFECT_2
  :: faults > 0 -> faults--; file = NONE; durable = NONE; rejected_file = true; outcome = file_rejected
#else
  :: faults > 0 -> faults--; outcome = file_unreadable
#endif
  :: file == DAMAGED -> file = NONE; durable = NONE; rejected_file = true; outcome = file_rejected
  :: file == NONE -> outcome = (rejected_file -> file_rejected : file_missing)
  :: file != NONE && file != DAMAGED -> outcome = file_read
  fi
}

/* Sets `ok` to false if it fails: the file then has the old content, or the new one, which need not be durable. */
inline write_mark_file(content) {
  if
  :: file = content;
    if
    :: atomic { durable = file; ok = true }
    :: atomic { faults > 0 -> faults--; ok = false }
    fi
  :: atomic { faults > 0 -> faults--; ok = false }
  fi
}

/* high_water_mark.cpp. */

/* After a damaged file, order is promised for values below the mark that is chosen now: not if the clock was set back,
 * or if advancing and crashes had brought them further ahead. */
inline limit_promise() {
#ifndef DAMAGED_FAR_AHEAD
  if
  :: damages < DAMAGES && witness > new_mark -> forget_witness()
  :: else
  fi
#else
  skip
#endif
}

/* Sets `ok` to false if the file cannot be read. */
inline load() {
  atomic {
    read_mark_file();
    ok = outcome != file_unreadable;
    if
    :: outcome == file_read -> new_mark = file
    :: outcome == file_rejected -> read_clock(new_mark); new_mark = new_mark + kMarkStep + max_clock_lead;
      limit_promise()
    :: else
    fi
  };
  if
  :: outcome == file_rejected -> write_mark_file(new_mark);
    file_mark = (ok -> new_mark : 0)
  :: else
  fi;
  atomic {
#ifdef PUBLISHED_BY_LOAD
    mark = (ok -> max(mark, new_mark) : mark);
#endif
    ok = ok || outcome == file_rejected;
    last = (ok -> max(last, new_mark) : last);
    loaded = ok; new_mark = NONE; outcome = 0
  }
}

#ifdef DEFECT_4
#define must_be_confirmed false
#else
#define must_be_confirmed (is_synchronous && commits_wait)
#endif
#define may_return (ticks <= (must_be_confirmed -> confirmed : mark))
/* `clock` is a reading that is not above the tick. */
#define mark_above(ticks, clock) max(max(max((clock) + kMarkStep, (ticks) + kMarkMargin), mark), last)

inline log_mark(content) {
  if
  :: PRELOADED -> wal[wal_end] = content; wal_end++; lsn = wal_end
  :: else
  fi
}

/* Flushes the record, publishes the mark and releases the lock. */
inline publish_mark() {
  if
  :: ok && new_mark != NONE ->
    flushed = max(flushed, lsn); mark = new_mark;
    awaited_lsn = (is_awaited -> lsn : 0)
#ifdef UNAWAITED_CONFIRMED
    ; confirmed = (is_awaited -> confirmed : new_mark)
#endif
  :: else
  fi;
  new_mark = mark; lsn = (is_awaited -> awaited_lsn : 0); mark_lock = false
}

inline write_mark() {
#ifdef WAL_BEFORE_FILE
  atomic { log_mark(new_mark) };
#endif
  file_mark = max(file_mark, new_mark);
  if
  :: new_mark > mark -> write_mark_file(new_mark)
  :: else /* only confirmed again */
  fi;
#ifdef PUBLISH_BEFORE_WAL
  mark = (ok -> new_mark : mark);
#endif
#ifndef WAL_BEFORE_FILE
  if
  :: atomic { ok -> log_mark(new_mark) }
  :: else
  fi
#endif
}

/* Waits until the copy has confirmed the record at `lsn`, or commits wait no longer. Sets `ok` to false if it is
 * canceled. */
inline confirm_mark() {
  if
  :: acknowledged >= lsn
  :: acknowledged < lsn && is_other -> acknowledged = lsn
  :: acknowledged < lsn && !is_other && commits_wait && standby == running ->
    received = max(received, lsn); acknowledged = lsn
  :: acknowledged < lsn && !commits_wait
#ifdef RELEASED_CONFIRMED
    -> acknowledged = lsn
#endif
  :: acknowledged < lsn /* canceled */
#ifdef CANCELED
    -> acknowledged = lsn
#else
    -> ok = false
#endif
  fi;
  confirmed = (acknowledged >= lsn && lsn > stale -> max(confirmed, new_mark) : confirmed)
}

/* Replays a record; recovery stops if it sets `ok` to false. */
inline redo_mark(record) {
  ok = true;
  if
  :: !loaded -> load()
  :: else
  fi;
  if
  :: atomic { ok && record > file_mark -> new_mark = max(record, last);
      if
      :: new_mark = max(new_mark, CLOCK) /* ahead, up to the clock */
      :: true
      fi };
    write_mark_file(new_mark)
  :: else
  fi;
  atomic {
    if
    :: ok -> file_mark = max(file_mark, new_mark); mark = max(mark, record); last = max(last, record)
    :: else
    fi;
    new_mark = NONE
  }
}

/* server_clock.cpp. */

/* Near to the mark, a call raises it early, unless another one is about to. */
#define is_due (mark - ticks < kMarkStep - 1)

inline take_ticks() {
  if
  :: read_clock(ticks); ticks = max(ticks, last + 1)
  :: advances > 0 -> advances--; is_advance = true; read_clock(ticks); ticks = ticks + max_clock_lead
  fi;
  last = max(last, ticks);
  promised = (id == 0 -> is_synchronous && commits_wait && is_settled : promised)
}

#define is_safe (id == 0 && promised)

/* Returns from a call: checks its value, and may choose it for the witness. */
inline give() {
  assert(ticks <= durable); /* there is a durable mark at or above it */
  assert(is_advance || before != witness || ticks > witness); /* it is greater than all that were returned before */
  witness_is_safe = witness_is_safe || before != NONE && standby == running && is_safe;
  if
  :: witness == NONE ->
    witness = ticks;
    witness_is_safe = standby == running && is_safe;
    witness_lsn = (standby == running -> wal_end : 0)
  :: true
  fi
}

inline end_call() {
  ticks = NONE; clock = NONE; lsn = 0; new_mark = NONE; before = NONE; is_advance = false; ok = false; outcome = 0;
  is_awaited = false;
  under_way--
}

inline finish_call() {
  do
  :: atomic { may_return && (mark_lock || is_advance || !is_due) -> give(); end_call(); goto ready }
  :: atomic { !mark_lock && (!may_return || is_due && !is_advance) -> mark_lock = true; ok = true;
      is_awaited = must_be_confirmed;
      if
      :: clock = 1
      :: ticks >= CLOCK -> clock = CLOCK
      fi;
      new_mark = (ticks > mark || is_due -> mark_above(ticks, clock) : mark);
      new_mark = (new_mark > mark || is_awaited && awaited_lsn == 0 -> new_mark : NONE);
      clock = NONE };
    if
    :: new_mark != NONE -> write_mark()
    :: else
    fi;
    atomic {
      publish_mark();
      if
      :: ok && lsn != 0 && !may_return
      :: ok && (lsn == 0 || may_return) -> give(); end_call(); goto ready
      :: !ok -> end_call(); goto ready
      fi
    };
    atomic {
      confirm_mark();
      if
      :: ok -> give(); end_call(); goto ready
      :: !ok -> end_call(); goto ready
      fi
    }
  od
}

proctype session(bit id) {
  byte ticks, clock, lsn, new_mark, before;
  bool is_advance, ok, is_awaited;
  mtype outcome;
end:
ready:
  do
  :: atomic { server == up && loaded && calls > 0 -> calls--; under_way++; before = witness; take_ticks() };
    { finish_call() } unless { atomic { server != up -> end_call() } }
  :: atomic { server == up && !loaded && calls > 0 && !mark_lock -> under_way++; mark_lock = true };
    { load(); atomic { mark_lock = false; end_call() } } unless { atomic { server != up -> end_call() } }
  od
}

/* Empties the shared memory. */
inline initialize() {
  loaded = false; mark_lock = false; last = 0; mark = 0; file_mark = 0; confirmed = 0; awaited_lsn = 0;
  acknowledged = 0; stale = 0
}

/* Cuts the WAL off at an LSN, and with it the row of the witness. */
inline cut_wal(to) {
  do
  :: wal_end > to -> wal_end--; wal[wal_end] = NONE
  :: else -> break
  od;
  flushed = to;
  witness_lsn = (witness_lsn > to -> NEVER : witness_lsn)
}

inline crash() {
  server = down;
  initialize();
  if
  :: durable = file
  :: file = durable /* power failure */
  fi;
  if
  :: cut_wal(flushed)
  :: flushed = wal_end
  fi
}

/* Puts the copy in the place of the server, with some more of what the server has flushed. */
inline fail_over() {
  do
  :: received < flushed -> received++
  :: break
  od;
  cut_wal(received);
  if
  :: is_promised_after_failover
  :: else -> forget_witness()
  fi;
  file = copy_file; durable = copy_file; rejected_file = copy_rejected_file; redo = copy_redo;
  standby = promoted; copy_file = NONE; copy_rejected_file = false; copy_redo = 0; received = 0;
  witness_is_safe = false; witness_lsn = 0
}

proctype postmaster() {
  byte new_mark;
  bool ok;
  mtype outcome;
  do
  :: atomic { server == down && under_way == 0 && damages > 0 && file != NONE ->
      damages--; file = DAMAGED; durable = DAMAGED }
  :: atomic { server == down && under_way == 0 && standby == running -> fail_over() }
  :: atomic { server == down && under_way == 0 -> server = starting };
    {
      if
      :: PRELOADED -> load()
      :: else
      fi;
      ok = true;
      do
      :: ok && redo < wal_end -> redo_mark(wal[redo]);
        if
        :: ok -> redo++ /* a restartpoint, or the checkpoint at the end */
        :: else
        fi
      :: else -> break
      od;
      if
      :: atomic { ok -> server = up; ok = false };
end:    atomic { stops > 0 && !mark_lock -> stops--; server = stopping };
        atomic { under_way == 0 -> redo = wal_end; flushed = wal_end; ok = true };
        if
        :: PRELOADED && loaded && last < file_mark -> write_mark_file(last) /* save_mark_at_shutdown() */
        :: else
        fi;
        atomic { initialize(); server = down }
      :: atomic { !ok -> initialize(); server = down }
      fi
    } unless { server == down };
    atomic { new_mark = NONE; ok = false; outcome = 0 }
  od
}

proctype world() {
end:
  do
  :: atomic { server != down && stops > 0 -> stops--; crash() }
  :: atomic { server == up && redo < wal_end -> redo = wal_end; flushed = wal_end } /* a checkpoint */
  :: atomic { server == up && standby == absent -> standby = running; /* a base backup */
      redo = wal_end; flushed = wal_end; received = wal_end; copy_redo = wal_end;
      copy_file = file; copy_rejected_file = rejected_file; witness_is_safe = witness != NONE }
  :: atomic { server == up && changes > 0 -> changes--; commits_wait = !commits_wait;
      promised = promised && commits_wait }
  :: atomic { server == up && is_other -> is_other = false }
  :: atomic { server == up && !is_other && !is_settled -> is_settled = true
#ifndef CONFIRMED_FOR_EVER
      ; confirmed = 0; awaited_lsn = 0; stale = wal_end
#endif
    }
  od
}

init {
  atomic { run postmaster(); run world(); run session(0); run session(1) }
}
