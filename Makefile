# Builds uuidx with PGXS, PostgreSQL's infrastructure for extensions.
#
#   make PG_CONFIG=/path/to/pg_config [WERROR=-Werror]
#   sudo make install
#   make installcheck      SQL tests against a running server
#   make prove             TAP tests, which start temporary servers; need IPC::Run
#   make unit              unit tests of the core; need GoogleTest
#   make matrix            all of these on other server versions, compilers and architectures; as root
#   make dist              archive of a commit for PGXN; HEAD unless COMMIT is set
#   make bench             benchmarks against other extensions: tables, CSV files, plots; BENCH=--quick is shorter

EXTENSION = uuidx uuidx_compat
MODULE_big = uuidx
OBJS = $(patsubst %.cpp,%.o,$(sort $(wildcard src/*/*.cpp)))
DATA = $(wildcard sql/uuidx*--*.sql)

# Listed one by one: sql/ also holds the install scripts.
REGRESS = extension vectors generate at name_based extract inspect bounds time_operators time_ranges time_contexts \
	time_plans time_partitions node convert typeid prefix aggregates usage

# Not VERSION, which PostgreSQL's own makefile sets.
UUIDX_VERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" uuidx.control)
PG_CPPFLAGS = -Isrc -DUUIDX_VERSION='"$(UUIDX_VERSION)"'
PG_CXXFLAGS = -std=c++20 -fno-exceptions -fno-rtti -fvisibility=hidden -fno-plt -MMD -MP \
	'-ffile-prefix-map=$(CURDIR)=.' \
	-Wall -Wextra -Wshadow -Wconversion $(WERROR)
# Without the startup files, which would run destructors at exit, the library does not refer to the
# C++ runtime. It has no destructors to run.
SHLIB_LINK = -nostartfiles -lcrypto

# No bitcode: functions that the JIT compiler inlines from it would not find the library's hidden
# symbols.
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

# The core includes only its own headers.
src/core/%.o: override CPPFLAGS := $(filter-out -I%,$(CPPFLAGS))

# PGXS does not track headers by itself.
-include $(OBJS:.o=.d)

# Objects are built for one server, named in this file, which is out of date if PG_CONFIG leads to another one.
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
	bash test/servers/matrix.sh

bench:
	PG_CONFIG=$(PG_CONFIG) bash test/bench/run.sh $(BENCH)

# Reproducible: a zip file holds local times, and git would write line endings as the user has configured
# them.
dist: COMMIT = HEAD
dist:
	version=$$(git show $(COMMIT):META.json | sed -n 's/^   "version": "\(.*\)",$$/\1/p' | grep .) && \
	TZ=UTC git -c core.autocrlf=false archive --format=zip --prefix=uuidx-$$version/ \
		-o uuidx-$$version.zip $(COMMIT)

.PHONY: unit prove matrix bench dist
