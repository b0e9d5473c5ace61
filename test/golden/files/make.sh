#!/bin/sh
# Saves workbooks the ways an office does, with the programs an office has. Needs LibreOffice Calc (soffice), Gnumeric
# (ssconvert), python3 with openpyxl and XlsxWriter; see README.md.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# <from> <to> <filter>
saved() {
  cp "$1" "$work/sheet.fods"
  soffice "-env:UserInstallation=file://$work/profile" --headless --convert-to "$3" --outdir "$work/out" "$work/sheet.fods" > /dev/null
  for made in "$work"/out/sheet*; do mv "$made" "$2"; done
}
# Tokens: separator, quote, charset (65535 UTF-16, 2 Western of the Macintosh), first line, formats, language, quote all texts, as shown
csv() { saved ../recipients/workbook.fods "$1" "csv:Text - txt - csv (StarCalc):$2,34,$3,1,,0,false,true"; }

for name in workbook office; do
  from=office.fods
  [ "$name" = workbook ] && from=../recipients/workbook.fods
  saved "$from" "libreoffice-$name.xlsx" 'xlsx:Calc MS Excel 2007 XML'
  saved "$from" "libreoffice-$name.ods" ods
  ssconvert -T Gnumeric_Excel:xlsx2 "libreoffice-$name.ods" "gnumeric-$name.xlsx" 2> /dev/null
done
ssconvert -T Gnumeric_OpenCalc:openoffice libreoffice-workbook.ods gnumeric-workbook.ods 2> /dev/null
ssconvert libreoffice-workbook.ods gnumeric-workbook.gnumeric 2> /dev/null
saved ../recipients/workbook.fods libreoffice-workbook.xls 'xls:MS Excel 97'
saved ../recipients/workbook.fods libreoffice-workbook.html 'html:HTML (StarCalc)'
csv libreoffice-utf16.csv 59 65535
csv libreoffice-mac-roman.csv 59 2
/usr/bin/python3 make-workbooks.py
