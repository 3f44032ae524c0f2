#!/usr/bin/env bash
# Resolve and pin the requirements in a fresh environment: names and versions only, no addresses.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
pip() { "$work/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }

header='# Made by scripts/pin.sh; do not edit.'
freeze() { "$work/venv/bin/python" -m pip --disable-pip-version-check freeze --exclude mindlog --exclude setuptools --exclude pip | grep -v ' @ '; }

pip install '.[all]'
{ echo "$header"; freeze; } > requirements/runtime.txt
pip install -r requirements/dev.in
{ echo "$header"; freeze | grep -v -x -F -f requirements/runtime.txt; } > requirements/dev.txt

# The extras that every developer's environment has beside them: both files pin some packages, to the same versions.
python3 -m venv "$work/extras"
extras() { "$work/extras/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
extras install -r requirements/runtime.txt -c requirements/dev.txt '.[nlp,geo,ocr]'
{ echo '# The extras nlp, geo and ocr of mindlog, resolved and pinned beside requirements/runtime.txt.'
  "$work/extras/bin/python" -m pip --disable-pip-version-check freeze --all --exclude mindlog --exclude pip \
    | grep -v ' @ ' | grep -v -x -F -f requirements/runtime.txt; } > requirements/extras.txt
