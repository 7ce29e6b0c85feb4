#!/usr/bin/env bash
# Saves a page once its author has stopped typing, however many changes there were.
#   edit.sh changed PAGE TEXT   the page has this text now; saved when it is quiet for 2 seconds
#   edit.sh save                waits for the next page to save
# DELAYQ_URL  the server
# QUIET       how long nothing may change
# Needs curl and jq.
set -euo pipefail
topic=${DELAYQ_URL:-http://127.0.0.1:9277}/v1/topics/save

call() {
  curl --silent --show-error --fail --header 'Content-Type: application/json' "$@"
}

# PUT replaces the job of the same id, its time with it: the clock starts anew with every change.
changed() {
  jq -n --arg delay "${QUIET:-2s}" --arg text "$2" '{$delay, body: {$text}}' \
    | call -X PUT "$topic/jobs/$1" --data @- | jq -r '"\(.id) \(.state)"'
}

# A change made while the page is being saved is a new job, so that the ack of the old one is refused (409).
save() {
  local job page lease text
  job=$(call "$topic/reserve" --data '{"wait":"20s"}' | jq -r '.jobs[] | [.id, .lease, .body.text] | @tsv')
  IFS=$'\t' read -r page lease text <<<"${job:?nothing to save}"
  echo "$page saved: $text"
  call "$topic/jobs/$page/ack" --data "{\"lease\":\"$lease\"}" || echo "$page was changed meanwhile"
}

case ${1:-} in
  changed) changed "${2:?a page}" "${3:?a text}" ;;
  save) save ;;
  *) sed -n '2,4s/^# //p' "$0" >&2; exit 2 ;;
esac
