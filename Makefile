# uuidx, built with PostgreSQL's extension makefile.
#
#   make PG_CONFIG=/path/to/pg_config [WERROR=-Werror]
#   sudo make install
#   make installcheck      SQL tests against a running server
#   make prove             tests that start servers of their own; need IPC::Run
#   make unit              tests of the core; need GoogleTest
#   make matrix            all of these on other servers, by other compilers, for other machines; as root
#   make dist              archive of a commit for PGXN, HEAD unless COMMIT says another
#   make bench             benchmark beside peers: tables, CSV files, plots; BENCH=--quick for less

EXTENSION = uuidx
MODULE_big = uuidx
OBJS = $(patsubst %.cpp,%.o,$(sort $(wildcard src/*/*.cpp)))
DATA = $(wildcard sql/uuidx--*.sql)

# Listed one by one, as sql/ holds the install scripts, too.
REGRESS = extension vectors generate at name_based extract inspect bounds time_operators time_ranges \
	time_plans time_partitions node convert aggregates usage

# Not VERSION, which PostgreSQL's own makefile sets.
UUIDX_VERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" uuidx.control)
PG_CPPFLAGS = -Isrc -DUUIDX_VERSION='"$(UUIDX_VERSION)"'
PG_CXXFLAGS = -std=c++20 -fno-exceptions -fno-rtti -fvisibility=hidden -fno-plt -MMD -MP \
	'-ffile-prefix-map=$(CURDIR)=.' \
	-Wall -Wextra -Wshadow -Wconversion $(WERROR)
# The startup files would run destructors at exit. There are none, and without these files the
# library refers to nothing of the C++ runtime.
SHLIB_LINK = -nostartfiles -lcrypto

# No bitcode: inlined by the JIT compiler, it would look for the library's hidden symbols and not
# find them.
override with_llvm = no

EXTRA_CLEAN = $(OBJS:.o=.d) .server test/unit/unit_tests test/unit/*.o

PG_CONFIG ?= pg_config
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))

# PGXS links with the C compiler unless told otherwise.
override COMPILER = $(CXX) $(CXXFLAGS)
ifneq (,$(PGXS))
include $(PGXS)
else ifneq (,$(filter-out unit dist matrix,$(or $(MAKECMDGOALS),all)))
$(error no server headers found by PG_CONFIG=$(PG_CONFIG); install them, or set it to the pg_config of your server)
endif

# The core sees no headers but its own.
src/core/%.o: override CPPFLAGS := $(filter-out -I%,$(CPPFLAGS))

# PGXS tracks no headers on its own.
-include $(OBJS:.o=.d)

# Objects are built for one server, which this file names; it is out of date if PG_CONFIG leads to another one.
server := $(shell $(PG_CONFIG) --version --includedir-server 2>/dev/null)
ifneq ($(server),$(shell cat .server 2>/dev/null))
.PHONY: .server
endif
.server:
	@echo '$(server)' >$@
$(OBJS): .server

unit:
	$(MAKE) -C test/unit check

prove: PROVE_TESTS = test/t/*.pl
prove:
	$(prove_installcheck)

matrix:
	bash test/matrix.sh

bench:
	PG_CONFIG=$(PG_CONFIG) bash test/bench/run.sh $(BENCH)

# The same bytes whenever and wherever it is made: a zip holds local times, and git would write line ends
# as the user has them.
dist: COMMIT = HEAD
dist:
	version=$$(git show $(COMMIT):META.json | sed -n 's/^   "version": "\(.*\)",$$/\1/p' | grep .) && \
	TZ=UTC git -c core.autocrlf=false archive --format=zip --prefix=uuidx-$$version/ \
		-o uuidx-$$version.zip $(COMMIT)

.PHONY: unit prove matrix bench dist
