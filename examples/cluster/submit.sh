#!/bin/sh
# Hands a crawl to a Ray cluster that is up, and returns at once. The crawl goes on when this machine goes to sleep.
#   ray dashboard examples/cluster/servers.yaml     (leave it open: it forwards port 8265)
#   sh examples/cluster/submit.sh /runs/geology --topic geology --keyword rock --seed-url https://example.org/ --budget 100000
set -eu
RAY_API_SERVER_ADDRESS=${RAY_API_SERVER_ADDRESS:-http://127.0.0.1:8265}
export RAY_API_SERVER_ADDRESS
run=$1
shift
command=crawl
if [ "$#" -eq 0 ]; then
  command=resume # without anything but the run, go on with it
fi
exec ray job submit --no-wait --submission-id "honeyguide-$(basename "$run")-$(date +%s)" -- \
  honeyguide "$command" "$run" --cluster auto "$@"
