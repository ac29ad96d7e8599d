# Builds uuidx with PGXS, PostgreSQL's infrastructure for extensions.
#
#   make PG_CONFIG=/path/to/pg_config [V=1] [WERROR=-Werror]
#   sudo make install
#   make installcheck      SQL tests against a running server with default settings
#   make prove             TAP tests, which start temporary servers; need IPC::Run
#   make check             unit tests, SQL tests and fast TAP tests, without installing; T=041 or T=prefix runs one
#   make unit              unit tests of the core; need GoogleTest
#   make dist              archive of a commit for PGXN; HEAD unless COMMIT is set
#   make bench             benchmarks against other extensions: tables, CSV files, plots; BENCH=--quick is shorter
#
# PG_CPPFLAGS, PG_CXXFLAGS and SHLIB_LINK add options, for example for an OpenSSL elsewhere. To build in another
# directory: make -f /path/to/uuidx/Makefile

EXTENSION = uuidx uuidx_compat
MODULE_big = uuidx

# Where the sources are, seen from the directory of the build.
tree := $(patsubst %/,%,$(or $(VPATH),$(dir $(firstword $(MAKEFILE_LIST)))))
SOURCES := $(or $(sort $(wildcard $(addsuffix .cpp,$(addprefix $(tree)/src/,* */* */*/*)))),$(error no sources in $(tree)/src (in paths, make allows no spaces)))
OBJS = $(SOURCES:$(tree)/%.cpp=%.o)
DATA = $(patsubst $(tree)/%,%,$(wildcard $(tree)/sql/uuidx*--*.sql))

# All of sql/ except the install scripts.
REGRESS = $(sort $(foreach file,$(wildcard $(tree)/sql/*.sql),$(if $(findstring --,$(file)),,$(basename $(notdir $(file))))))
# In UTF-8 whatever the cluster has, for example one of pg_createcluster without a locale. Each test needs the extension,
# also if it runs alone.
REGRESS_OPTS = --encoding=UTF8 --no-locale --load-extension=uuidx

# The release, for uuidx_version(). Not VERSION, which PostgreSQL's own makefile sets.
release = sed -n 's/^   "version": "\(.*\)",$$/\1/p'
UUIDX_VERSION := $(or $(shell $(release) $(tree)/META.json),$(error no version in META.json))
# "override", to add to what a user sets on make's command line.
override PG_CPPFLAGS := -I$(tree)/src -DUUIDX_VERSION='"$(UUIDX_VERSION)"' $(PG_CPPFLAGS)
override PG_CXXFLAGS := -std=c++20 -fno-exceptions -fno-rtti -fvisibility=hidden -fno-plt -MMD -MP \
	'-ffile-prefix-map=$(CURDIR)=.' -ffile-prefix-map=$(tree)/= \
	-Wall -Wextra -Wshadow -Wconversion $(WERROR) $(PG_CXXFLAGS)

# No bitcode: functions that the JIT compiler inlines from it would not find the library's hidden
# symbols.
override with_llvm = no

EXTRA_CLEAN = $(OBJS:.o=.d) .server $(wildcard $(addprefix test/unit/,unit_tests *.o *.d *.gch *.alone))

PG_CONFIG ?= pg_config
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))
server := $(shell $(PG_CONFIG) --version --includedir-server 2>/dev/null)
# Its target of this name only reports that it cannot do this.
ifeq (check,$(MAKECMDGOALS))
PGXS =
endif

# One line for a file, unless V is set; none with -s.
ifeq (,$(filter-out 0,$(V)))
quiet = @$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,echo '$(CXX) $@' &&)
endif
# Assertions of the C++ library would need its runtime. By -Wp and at the end, as Fedora defines them by -Wp; and g++ 15
# enables them itself without optimization.
COMPILE.cc = $(quiet) $(CXX) $(CXXFLAGS) $(CPPFLAGS) -Wp,-U_GLIBCXX_ASSERTIONS -D_GLIBCXX_NO_ASSERTIONS -c
# PGXS links with the C compiler unless told otherwise.
override COMPILER = $(quiet) $(CXX) $(CXXFLAGS)

# Debian's client package has pgxs.mk, but no headers.
ifneq (,$(and $(PGXS),$(wildcard $(lastword $(server))/postgres.h)))
include $(PGXS)
else ifneq (,$(filter-out check unit dist,$(or $(MAKECMDGOALS),all)))
$(error no server headers found by PG_CONFIG=$(PG_CONFIG); install them, or set it to the pg_config of your server)
endif

# After those of PGXS, which may add to it, but not if make's command line sets it: then add BE_DLLLIBS, which macOS
# needs. Without the startup files, which would run destructors at exit, the library does not refer to the C++ runtime.
# It has no destructors to run.
override SHLIB_LINK := $(filter-out $(BE_DLLLIBS),$(SHLIB_LINK)) $(BE_DLLLIBS) -nostartfiles -lcrypto

# PGXS sets VPATH to the tree, where make would also find the objects of a build in place.
override srcdir := $(tree)
override VPATH :=
vpath %.cpp $(tree)
vpath %.control $(tree)

# The core includes only its own headers and, from the folder of -isysroot on macOS, the system's.
src/core/%.o: override CPPFLAGS := $(filter -D% -U% -Wp% -isysroot%,$(subst -isysroot ,-isysroot,$(CPPFLAGS)))

# For the version.
src/module.o: $(tree)/META.json

# PGXS does not track headers by itself.
-include $(OBJS:.o=.d)

# The owner of a database can set local_preload_libraries, which loads only what is in this folder. An absolute link
# would be wrong in a package; PostgreSQL sees that both are one file.
install: install-plugin
install-plugin:
	$(MKDIR_P) '$(DESTDIR)$(pkglibdir)/plugins'
	ln -sf ../uuidx$(DLSUFFIX) '$(DESTDIR)$(pkglibdir)/plugins/uuidx$(DLSUFFIX)'
uninstall: uninstall-plugin
uninstall-plugin:
	rm -f '$(DESTDIR)$(pkglibdir)/plugins/uuidx$(DLSUFFIX)'

# Objects are built for one server, named in this file, which is out of date if PG_CONFIG leads to another one.
ifneq ($(server),$(shell cat .server 2>/dev/null))
.PHONY: .server
endif
.server:
	@echo '$(server)' >$@ || { echo >&2 'to build in another directory: make -f $(CURDIR)/Makefile'; exit 1; }
$(OBJS): .server | $(sort $(dir $(OBJS)))
$(sort $(dir $(OBJS))):
	@mkdir -p $@

ifeq (,$(PGXS))
check:
	bash $(tree)/test/check.sh $(T)
endif

unit:
	$(MAKE) -C $(tree)/test/unit check

prove: PROVE_TESTS = test/t/*.pl
# Modules of the tests.
prove: PG_PROVE_FLAGS += -I $(tree)/test/t
prove:
	$(prove_installcheck)

bench:
	PG_CONFIG=$(PG_CONFIG) bash $(tree)/test/bench/run.sh $(BENCH)

# Reproducible: a zip file holds local times, and git would write line endings as the user has configured
# them.
dist: COMMIT = HEAD
dist:
	version=$$(git -C $(tree) show $(COMMIT):META.json | $(release) | grep .) && \
	TZ=UTC git -C $(tree) -c core.autocrlf=false archive --format=zip --prefix=uuidx-$$version/ \
		-o "$$PWD/uuidx-$$version.zip" $(COMMIT)

.PHONY: check unit prove bench dist install-plugin uninstall-plugin
