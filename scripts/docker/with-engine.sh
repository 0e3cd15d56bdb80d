#!/usr/bin/env bash
# Runs a command with a Docker Engine of its own, that of Debian 13, from a folder that is removed at the end. For a machine that has
# Debian's packages but no Docker, or an older one. As root: scripts/docker/with-engine.sh npm run docker
set -euo pipefail

folder=$(mktemp --directory /var/tmp/viewer-engine-XXXXXX)
root=$folder/root
engine=

finish() {
  if [ -n "$engine" ]; then
    kill "$engine"
    wait "$engine" || true
    # The engine leaves behind its bridge and its firewall rules.
    chroot "$root" iptables-restore < "$folder/iptables" || true
    ip link delete docker0 || true
  fi
  rm --recursive --force --one-file-system "$folder"
}
trap finish EXIT

if ! command -v debootstrap > /dev/null; then
  apt-get update --quiet
  apt-get install --yes --quiet --no-install-recommends debootstrap
fi
debootstrap --variant=minbase trixie "$root" > "$folder/log"
# Nothing may start a service in there.
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
chroot "$root" apt-get install --yes --quiet --no-install-recommends \
  docker.io docker-cli docker-compose docker-buildx iptables ca-certificates >> "$folder/log"
chroot "$root" iptables-save > "$folder/iptables"

# In a mount namespace whose root is the folder: after a mere chroot, `docker exec` would end up on this machine.
unshare --mount --propagation private bash -euc '
  mount --bind "$1" "$1"
  for name in proc sys dev; do mount --rbind "/$name" "$1/$name"; done
  mount --bind /tmp "$1/tmp"
  mkdir "$1/outside"
  cd "$1"
  pivot_root . outside
  umount --lazy /outside
  exec dockerd' - "$root" >> "$folder/log" 2>&1 &
engine=$!

# The commands, without the rest of that Debian.
mkdir --parents "$folder/bin" "$folder/config"
ln --symbolic "$root/usr/bin/docker" "$folder/bin/docker"
ln --symbolic "$root/usr/libexec/docker/cli-plugins" "$folder/config/cli-plugins"
export PATH="$folder/bin:$PATH" DOCKER_CONFIG="$folder/config" DOCKER_HOST="unix://$root/run/docker.sock"
for _ in $(seq 60); do
  docker version > /dev/null 2>&1 && break
  sleep 1
done
docker version > /dev/null || { tail --lines 20 "$folder/log"; exit 1; }
"$@"
