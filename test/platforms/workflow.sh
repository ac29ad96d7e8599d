#!/usr/bin/env bash
# Runs the steps of the workflows' jobs, each in a fresh minimal Debian, because their machines have nothing prepared:
# test/platforms/workflow.sh [WORKFLOW/JOB ...], as root
# By default, release/archive, release/debian, ci/test, ci/lint and ci/sanitizers. PostgreSQL is Debian's 15, as its
# project's repository is not added; a job without a container gets what test machines of GitHub have, as far as the
# steps use it. Artifacts stay here. The last line has the counts.
[ "${BASH##*/}" = bash ] || exec bash "$0" "$@"  # if started by sh
# shellcheck source=test/shell/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../shell/lib.sh"
# shellcheck source=test/shell/chroot.sh
source "$tree/test/shell/chroot.sh"

# Prints the steps of a job with its variables replaced, each as two words that end with a zero: name, commands. Before
# them, the same of the job: whether it has a container, its environment. Arguments: workflow, job.
steps() {
  python3 - "$tree/.github/workflows/$1.yml" "$2" <<'END'
import re, sys, yaml
job = yaml.safe_load(open(sys.argv[1]))['jobs'][sys.argv[2]]
values = {'matrix.postgresql': '15', 'matrix.machine.name': 'amd64'}
def replaced(text):
    return re.sub(r'\$\{\{ *([\w.]+) *\}\}', lambda match: values[match[1]], str(text))
pairs = [(job.get('container', ''), ' '.join(f'{k}={replaced(v)}' for k, v in job.get('env', {}).items()))]
for step in (step for step in job['steps'] if 'if' not in step):
    action = step.get('uses', '').partition('@')[0]
    arguments = [replaced(step.get('with', {}).get(key, '')) for key in ('name', 'path')]
    commands = replaced(step.get('run') or ' '.join([action, *arguments]))
    pairs.append((step.get('name', action) or commands, commands))
for pair in pairs:
    sys.stdout.write(''.join(f'{word}\0' for word in pair))
END
}

# Creates the minimal Debian. Packages start no services, and the script that adds PostgreSQL's repository, once it is
# installed, adds none.
make_bare() {
  local script=/usr/share/postgresql-common/pgdg/apt.postgresql.org.sh
  bootstrap bookworm "$bare" "$(mirror_of bookworm)" || return
  if [[ -n ${http_proxy-} ]]; then
    echo "Acquire::http::Proxy \"$http_proxy\";" >>"$bare/etc/apt/apt.conf.d/uuidx"
  fi
  install -m 755 /dev/stdin "$bare/usr/sbin/policy-rc.d" <<<$'#!/bin/sh\nexit 101'
  chroot "$bare" dpkg-divert --no-rename --divert "$script.real" "$script" &&
    install -D -m 755 /dev/stdin "$bare$script" <<<'#!/bin/sh'
}

# Creates the tree of the tag that is to be released, with real addresses.
make_tag() {
  local git=(git -C "$source" -c user.name=uuidx -c user.email=uuidx@uuidx.test)
  mkdir "$source" && copy_tree "$source" &&
    bash "$source/packaging/release.sh" address https://uuidx.test/uuidx uuidx@uuidx.test &&
    "${git[@]}" init -q && "${git[@]}" add -A && "${git[@]}" commit -q -m Tag
}

# Runs a step in the job's Debian. An action is done as far as it matters here: without git, checkout brings files only.
# Argument: commands.
run_step() {
  local name path
  read -r _ name path <<<"$1"
  case $1 in
    actions/checkout*)
      cp -a "$source/." "$root$work"
      [[ -x $root/usr/bin/git ]] || rm -rf "$root$work/.git"
      chroot "$root" chown -R "$user:" "$work"
      ;;
    actions/upload-artifact*) mkdir -p "$artifacts/$name" && cp "$root$work/$path"* "$artifacts/$name" ;;
    actions/download-artifact*) mkdir -p "$root$work/$path" && cp "$artifacts/$name"/* "$root$work/$path" ;;
    actions/*) return 1 ;;
    *)
      # shellcheck disable=SC2086  # the environment, in words
      chroot --userspec="$user" "$root" env -i --chdir="$work" HOME="$work" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin GITHUB_REF_NAME="v$version" CI=true \
        GITHUB_OUTPUT="$work/output" DEBIAN_FRONTEND=noninteractive $environment bash -ec "$1"
      ;;
  esac
}

# Runs a job until a step fails. Arguments: workflow, job.
run_job() {
  local root=$scratch/$1-$2 work=/__w/uuidx user=root failed_before=$failed environment container name commands
  cp -a "$bare" "$root"
  mount_into "$root"
  mkdir -p "$root$work"
  exec 7< <(steps "$1" "$2")
  IFS= read -rd '' container <&7
  IFS= read -rd '' environment <&7
  if [[ -z $container ]]; then
    quietly chroot "$root" apt-get update
    quietly chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y git jq make procps sudo
    chroot "$root" useradd --create-home runner
    user=runner
    echo 'runner ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/runner"
  fi
  while IFS= read -rd '' name <&7 && IFS= read -rd '' commands <&7; do
    check "$1/$2: $name" run_step "$commands"
    ((failed == failed_before)) || return 0
  done
}

((EUID == 0)) || die "needs root: sudo test/platforms/workflow.sh $*"
isolate "$@"
install_packages debootstrap debian-archive-keyring git gpgv python3-yaml wget
(($# > 0)) || set -- release/archive release/debian ci/test ci/lint ci/sanitizers
bare=$scratch/bare source=$scratch/tag artifacts=$scratch/artifacts
version=$(sed -n 's/^   "version": "\(.*\)",$/\1/p' "$tree/META.json")
quietly make_bare
quietly make_tag
for job in "$@"; do run_job "${job%/*}" "${job#*/}"; done
finish
