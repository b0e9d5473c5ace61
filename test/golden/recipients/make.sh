#!/bin/sh
# Saves workbook.fods as CSV the ways an office does. Needs LibreOffice Calc (soffice); see README.md.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

profile() { # <name> <locale>: a fresh user profile whose settings are those of that locale
  mkdir -p "$work/$1/user"
  cat > "$work/$1/user/registrymodifications.xcu" <<XCU
<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>$2</value></prop></item>
</oor:items>
XCU
}

# <file> <profile> <separator, as a character code> <charset: 76 UTF-8, 1 Windows-1252> <quote all texts>
save() {
  # Tokens: separator, quote, charset, first line, formats, language, quote all texts, as shown
  filter="Text - txt - csv (StarCalc):$3,34,$4,1,,0,$5,true"
  cp workbook.fods "$work/sheet.fods"
  soffice "-env:UserInstallation=file://$work/$2" --headless --convert-to "csv:$filter" --outdir "$work/out" "$work/sheet.fods" > /dev/null
  mv "$work"/out/sheet*.csv "$1"
}

# With the byte order mark of Excel's “CSV UTF-8”; this version of LibreOffice has no switch for it.
marked() { { printf '\357\273\277'; cat "$1"; } > "$2"; }

profile french fr-FR
profile english en-US
save french-semicolon-utf8.csv french 59 76 false
marked french-semicolon-utf8.csv french-semicolon-utf8-bom.csv
save french-semicolon-windows-1252.csv french 59 1 false
save french-comma-quoted-utf8.csv french 44 76 true
save french-tab-windows-1252.csv french 9 1 false
save english-comma-utf8.csv english 44 76 false
marked english-comma-utf8.csv english-comma-utf8-bom.csv
save english-comma-quoted-windows-1252.csv english 44 1 true
save english-semicolon-utf8.csv english 59 76 false
save english-tab-utf8.csv english 9 76 false
marked english-tab-utf8.csv english-tab-utf8-bom.csv
