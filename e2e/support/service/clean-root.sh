# Runs $1, a shell script, as root of a file system of its own: what it writes to /etc, /srv, /var, /run and /usr/local
# is gone with it. Exit status 77: this machine allows no such file system.
set -eu
top=$(mktemp -d)
mount -t tmpfs tmpfs "$top" || exit 77
for folder in etc srv var run usr/local; do
  mkdir -p "$top/$folder/upper" "$top/$folder/work"
  mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$top/$folder/upper,workdir=$top/$folder/work" "/$folder" || exit 77
done
exec bash "$1"
