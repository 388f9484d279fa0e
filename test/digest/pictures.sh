#!/usr/bin/env bash
# Draws the pictures of docs/digest.md anew: bash test/digest/pictures.sh. Needs ImageMagick.
set -euo pipefail
cd "$(dirname "$0")/../.."

shots=$(mktemp -d)
trap 'rm -rf "$shots"' EXIT
SCREENSHOTS=$shots npx --no-install vitest run --project browser test/digest/browser.test.ts \
  --testNamePattern 'a quiet day|every kind of news|a week in|an incomplete day'

# Name of the picture, of the screenshot, and how much of its height is shown.
while read -r picture shot height; do
  convert "$shots/$shot.png" -crop "x$height+0+0" +repage -strip -dither None -colors 64 "PNG8:docs/$picture.png"
done <<'PICTURES'
digest a-quiet-day-en-GB-640-light 1150
digest-dark a-day-with-every-kind-of-news-en-GB-640-dark 1150
digest-week a-week-es-390-light 1150
digest-incomplete an-incomplete-day-en-GB-390-light 1150
PICTURES
