#!/usr/bin/env bash
# Builds the image from a clone, and runs the Docker commands of docs/deployment.md exactly as they are written there.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() { echo "$1" >&2; exit 1; }
expect() { [[ $2 =~ $3 ]] || fail "$1: $2"; }

docker version > /dev/null 2>&1 && docker compose version > /dev/null 2>&1 || fail 'npm run docker needs a Docker Engine that runs, with Compose'

folder=$(mktemp --directory)
clone=$folder/viewer
# Uses its own project name and port, and no settings of this shell, so that neither these nor a running project affect the result.
unset JWT_SECRET PUBLIC_URL LOG_LEVEL IMPORT_KEY
PORT=$(node -e 'const server = net.createServer().listen(0, () => { console.log(server.address().port); server.close() })')
export PORT COMPOSE_PROJECT_NAME=viewer-check-$PORT
address=http://localhost:$PORT

finish() {
  status=$?
  cd "$clone" 2> /dev/null || exit "$status"
  [ "$status" = 0 ] || docker compose logs --tail 20 >&2 || true
  JWT_SECRET=removed docker compose down --volumes --rmi local > /dev/null 2>&1 || true
  cd / && rm --recursive --force --one-file-system "$folder"
  exit "$status"
}
trap finish EXIT
# Ctrl-C in a terminal also interrupts the running command. Its failure ends this script.
trap : INT

# The line of docs/deployment.md that contains these words.
documented() { sed -n '/^```sh$/,/^```$/p' docs/deployment.md | grep -F -- "$1"; }
get() { curl --silent --show-error --fail --max-time 5 "$address$1" "${@:2}"; }
sign_in() { get /login --data "{\"email\":\"$1\",\"password\":\"$2\"}" | sed 's/.*"access_token":"\([^"]*\)".*/\1/'; }
eventually() {
  for _ in $(seq 600); do
    "${@:2}" > /dev/null 2>&1 && return
    sleep 0.2
  done
  fail "Timed out after two minutes: $1"
}
all_ended_well() {
  statuses=$(docker inspect --format '{{.State.ExitCode}}' $(docker compose ps --all --quiet) | sort | tr '\n' ' ')
  expect 'the containers ended with' "$statuses" '^0 0 0 0 $'
}

# Strict on purpose, because the image must not depend on the modes of its source files.
(umask 077 && git clone --quiet . "$clone")
cd "$clone"

expect 'without a secret' "$(docker compose config 2>&1 || true)" 'JWT_SECRET.*openssl rand'
eval "$(documented 'JWT_SECRET=')"
eval "$(documented 'docker compose up')"
eventually 'the service' get /ready
echo 'the image is built, and everything is ready'

demo=$(documented demo.js)
expect 'the demo' "$(eval "$demo" 2>&1)" 'Sign in as ada@example\.com with (\S+)'
password=${BASH_REMATCH[1]}
shows() { get '/contents?type=show&perPage=1' | grep '"thumbnail":"[^"]*"'; }
eventually 'the demo catalogue' shows
thumbnail=$(shows | sed 's/.*"thumbnail":"\([^"]*\)".*/\1/')
expect 'a thumbnail' "$(curl --silent --fail --head "$thumbnail")" 'image/svg\+xml'
token=$(sign_in ada@example.com "$password")
for path in /continue-watching /history /recommendations; do
  expect "$path" "$(get $path --header "Authorization: Bearer $token")" '"name":'
done
expect 'the demo, a second time' "$(eval "$demo" 2>&1)" 'updating the schedule'
echo 'the demo is available, with its thumbnails, next to the running service'

mkdir files
echo '{"id":900001,"type":"film","name":"Imported in Docker"}' > files/contents.ndjson
chmod 755 files && chmod 644 files/contents.ndjson
expect 'the import' "$(eval "$(documented import.js)" 2>&1)" 'contents: 1 added'
eventually 'the imported title' get /contents/900001
echo 'a folder of files was imported'

user=$(documented 'viewer dist/scripts/user.js')
eval "${user/EMAIL/grace@example.com}" <<< 'a password of her own' > /dev/null
sign_in grace@example.com 'a password of her own' > /dev/null
expect 'user without arguments' "$(eval "${user/ add EMAIL/}" 2>&1 || true)" 'Usage: node dist/scripts/user\.js '
echo 'a user was added, and signs in'

train=$(documented train.js)
trained() { eval "$train" | grep '"users":'; }
eventually 'a training' trained
echo 'the model was trained'

are_healthy() {
  ! docker inspect --format '{{if .State.Health}}{{len .State.Health.Log}} {{.State.Health.Status}}{{end}}' $(docker compose ps --quiet) |
    grep --invert-match --extended-regexp '^([3-9] healthy)?$'
}
eventually 'the health of all containers' are_healthy
log=$(eval "$(documented 'docker compose logs')")
expect 'the log' "$log" '"path":"/history"'
! grep --extended-regexp '"path":"/(health|ready)".*"status":200' <<< "$log" || fail 'the log has health checks'
echo 'the service logs its requests, and none of its health checks'

began=$SECONDS
docker compose stop > /dev/null 2>&1
[ $((SECONDS - began)) -lt 15 ] || fail "stopped in $((SECONDS - began)) s"
all_ended_well

# With job control, because a background process would otherwise ignore SIGINT.
set -m
docker compose up > "$folder/printed" 2>&1 &
up=$!
set +m
eventually 'the service in the foreground' get /ready
kill -INT $up
wait $up || true
grep --quiet --extended-regexp 'viewer-1 +\|' "$folder/printed" || fail 'docker compose up shows nothing of the service'
! grep --extended-regexp 'mongo-[0-9] +\|' "$folder/printed" || fail 'docker compose up shows the log of the database'
all_ended_well
echo 'docker compose up shows the log of the service but not that of the database, and ends on Ctrl-C'

eval "$(documented 'docker compose down')"
[ -z "$(docker compose ps --all --quiet)" ] || fail 'docker compose down leaves containers'
echo 'every command of docs/deployment.md works as it is written'
