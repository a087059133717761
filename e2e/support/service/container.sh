# Runs a program in the file system $1 as a container engine would: in a process namespace, with /tmp as the only place
# that can be written. $2: user id; $3: its folder; then the program and its arguments. Exit status 77: not possible here.
set -eu
root=$1 user=$2 folder=$3
shift 3
mount --bind "$root" "$root" || exit 77
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/tmp" || exit 77
mount -t proc proc "$root/proc" || exit 77
mount -t tmpfs -o mode=755,size=64k tmpfs "$root/dev" || exit 77
for device in null random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device" || exit 77
done
mount -o remount,bind,ro "$root" || exit 77
exec setpriv --no-new-privs --inh-caps=-all \
  unshare --root="$root" --wd="$folder" --setgid="$user" --setuid="$user" -- "$@"
