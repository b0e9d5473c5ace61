/** A file under the type that relais reads it by: a browser tells that of few of them. */
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  txt: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
};

/** What a field for files offers first. */
export const FILE_ENDINGS = Object.keys(TYPES)
  .map((ending) => `.${ending}`)
  .join(',');

export function asRead(file: File): Blob {
  const ending = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  return file.slice(0, file.size, TYPES[ending] ?? 'text/csv');
}
