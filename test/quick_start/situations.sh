# shellcheck shell=bash disable=SC2034,SC2154  # variables of test/quick_start/run.sh
# The situations of test/quick_start/run.sh, each a function. To be sourced after terminal.sh.

# Nothing is installed.
test_root() {
  new_root root
  unpack root /root/uuidx
  demonstrate root /root/uuidx
}

# Root types what the messages say.
test_nosudo() {
  new_root nosudo
  unpack ada /home/ada/uuidx
  demonstrate_by_hints ada /home/ada/uuidx 2
}

# A user whom sudo does not let.
test_notallowed() {
  new_root notallowed
  given sudo
  unpack ada /home/ada/uuidx
  # Without the warning of the first use; and some forget what was typed before they asked, and would wait for ever.
  echo 'Defaults lecture=never, passwd_tries=1, passwd_timeout=0.2' >"$root/etc/sudoers.d/lecture"
  printf 'wrong\n' >&"$keyboard"
  state >"$scratch/before"
  check "the demonstration fails" fails type_in ada "cd uuidx && $(readme_command 1)"
  add_row "refusal"
  check "and says what root has to type" prints_something hint
  check "and leaves nothing" prints_nothing differences
}

# The usual case, and the tests on request.
test_sudo() {
  new_root sudo
  given_sudo git ca-certificates
  clone ada /home/ada/uuidx
  demonstrate ada /home/ada/uuidx
  demonstrate ada /home/ada/uuidx ', again'
  check "the clone is as it was" prints_nothing there_prints ada git -C /home/ada/uuidx status --short --ignored
  if [[ -n $with_tests ]]; then
    state >"$scratch/before"
    check "the tests pass" type_in ada "cd uuidx && $(readme_command 2)"
    add_row "tests"
    check "as their last line says" grep -E ' [0-9]+ passed, 0 failed$' "$seen"
    check "and leave nothing" prints_nothing differences
  fi
}

# Runs psql on the existing server as its superuser.
existing_psql() { there_prints postgres psql -XAtq -v ON_ERROR_STOP=1 "$@"; }

# Prints all of the existing server: data, roles, settings, extensions, its start, its files of settings. pg_dumpall
# writes a random word each time.
existing_server() {
  local database
  there_prints postgres pg_dumpall | grep -vE '^\\(un)?restrict '
  existing_psql -c 'SELECT pg_postmaster_start_time()' -c 'SELECT name, setting, source FROM pg_settings ORDER BY name'
  for database in postgres template1 shop; do existing_psql -d "$database" -c 'SELECT * FROM pg_extension'; done
  (cd "$root" && find etc/postgresql var/lib/postgresql -name '*.conf' -exec cksum {} + | sort)
}

# Makes a cluster on port 5432 with data in it, and starts it. TCP would be a port of this machine.
start_existing() {
  local version data
  version=$(ls "$root/usr/lib/postgresql")
  data=/var/lib/postgresql/$version/main
  there pg_createcluster -p 5432 -o listen_addresses= -o log_connections=on "$version" main
  there runuser -u postgres -- "/usr/lib/postgresql/$version/bin/pg_ctl" -D "$data" -w start \
    -o "-c config_file=/etc/postgresql/$version/main/postgresql.conf" -l /var/log/postgresql/existing.log
  existing_server=$(head -n 1 "$root$data/postmaster.pid")
  existing_psql -c 'CREATE ROLE ada LOGIN SUPERUSER' -c 'CREATE DATABASE shop OWNER ada'
  existing_psql -d shop -c 'CREATE TABLE event AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, 1000) AS n'
}

# A demonstration beside the existing server, and whether that has noticed. Arguments as for demonstrate.
demonstrate_beside() {
  local connections
  existing_server >"$scratch/existing"
  connections=$(grep -c 'connection received' "$root/var/log/postgresql/existing.log")
  demonstrate "$@"
  check "nobody has connected to the existing server${3-}" test "$connections" -eq \
    "$(grep -c 'connection received' "$root/var/log/postgresql/existing.log")"
  check "which is as it was${3-}" diff "$scratch/existing" <(existing_server)
}

# Beside the existing server.
test_existing() {
  new_root existing
  given_sudo git ca-certificates
  given_server
  clone ada /home/ada/uuidx
  start_existing
  environment=(PGHOST=/var/run/postgresql PGPORT=5432 PGUSER=ada PGDATABASE=shop PGOPTIONS='-c search_path=nowhere')
  demonstrate_beside ada /home/ada/uuidx
  environment=()
  uninstall
  demonstrate_beside root /home/ada/uuidx ', by root'
  existing_server=
}

# Prints what was said of the network.
network_told() { lines | grep -i network; }

# Without network, with everything, with something missing, and with nothing.
test_offline() {
  new_ready_root offline
  wrap=(unshare --net)
  demonstrate ada /home/ada/uuidx
  uninstall
  there apt-get remove -y libssl-dev
  # apt keeps what it has fetched, and would install that.
  there apt-get clean
  state >"$scratch/before"
  check "with something missing, it fails" fails type_in ada "cd uuidx && $(readme_command 1)"
  add_row "refusal"
  check "and says that the network is needed" prints_something network_told
  check "and leaves nothing there" prints_nothing differences
  new_root nothing
  unpack root /root/uuidx
  state >"$scratch/before"
  check "with nothing installed, it fails" fails type_in root "cd uuidx && $(readme_command 1)"
  add_row "refusal with nothing installed"
  check "and says that the network is needed, too" prints_something network_told
  check "and leaves nothing behind" prints_nothing differences
  wrap=()
}

# From the archive of the release.
test_archive() {
  new_ready_root archive
  given unzip
  quietly there_prints ada make -C /home/ada/uuidx dist
  quietly there_prints ada sh -c 'cd && unzip -q uuidx/uuidx-*.zip'
  demonstrate ada "$(cd "$root" && printf '/%s' home/ada/uuidx-*)"
}

# In a path that programs are not used to.
test_path() {
  local folder='/home/ada/Meine Übungen'
  new_ready_root path
  there chroot --userspec=ada / mkdir "$folder"
  clone ada "$folder/uuidx"
  demonstrate ada "$folder/uuidx"
  uninstall
  # The package refuses to go where root has no password.
  there rm /usr/bin/sudo
  demonstrate_by_hints ada "$folder/uuidx" 1
}

# In a clone that cannot be written to.
test_readonly() {
  new_ready_root readonly
  mount --bind "$root/home/ada/uuidx" "$root/home/ada/uuidx"
  mount -o remount,ro,bind "$root/home/ada/uuidx"
  demonstrate ada /home/ada/uuidx
  uninstall
  demonstrate root /home/ada/uuidx ', by root'
}

# Types the demonstration and interrupts it some time after a line. Arguments: how, beginning of the line, seconds,
# words of a process to wait for, too, if any.
interrupt_at() {
  local typing interrupted status=0
  state >"$scratch/before"
  : >"$seen"
  # Without what bash says of a job that was killed.
  type_in ada "cd uuidx && $(readme_command 1)" 2>/dev/null &
  typing=$!
  until { grep -E "^ *[0-9]+ $2" "$seen" && { [[ -z ${4-} ]] || processes | grep -e "$4"; }; } >/dev/null ||
    ! kill -0 "$typing" 2>/dev/null; do sleep 0.05; done
  sleep "$3"
  interrupted=$SECONDS
  if [[ $1 == Ctrl-C ]]; then
    printf '\003' >&"$keyboard"
  else
    pkill -KILL -x script
  fi
  wait "$typing" || status=$?
  check "$1 after '$2'${4:+ in $4} ends it" test "$status" -ne 0
  check "within seconds" test $((SECONDS - interrupted)) -le 15
  # Closed, the terminal does not wait for the end.
  until [[ -z $(processes) ]] || ((SECONDS - interrupted > 30)); do sleep 0.1; done
  check "and nothing is left" prints_nothing differences
}

# Broken off, and once more.
test_interrupt() {
  new_ready_root interrupt
  interrupt_at Ctrl-C '== 2' 3
  interrupt_at Ctrl-C '== 3' 0.3
  interrupt_at closing '== 3' 0.3
  interrupt_at Ctrl-C '== 4' 0
  # Packages that install a server must not make a cluster either when nobody waits for them any more.
  new_root fresh
  given_sudo git ca-certificates
  clone ada /home/ada/uuidx
  interrupt_at Ctrl-C installing 1
  interrupt_at Ctrl-C installing 0 'dpkg.*--unpack'
  demonstrate ada /home/ada/uuidx ' then'
}
