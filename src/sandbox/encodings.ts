/**
 * The encodings of a callback. The interface says "form-encoded, read through the key data" for invoices and nothing
 * for disbursements, so a receiver must support every interpretation (interface: Events).
 */
export interface WrittenCallback {
  readonly contentType: string;
  readonly body: string;
}

type Fields = Readonly<Record<string, unknown>>;

interface EncodingRow {
  readonly says: string;
  readonly write: (fields: Fields) => WrittenCallback;
}

const FORM = 'application/x-www-form-urlencoded';
const BOUNDARY = '----sandbox-7d1f0c';

/** `{a: {b: 1}}` → `[['data[a][b]', '1']]`. */
function pairs(value: unknown, path: string): Array<readonly [string, string]> {
  if (typeof value !== 'object' || value === null) return [[path, textOf(value)]];
  return Object.entries(value).flatMap(([key, member]) => pairs(member, path === '' ? key : `${path}[${key}]`));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

const form = (entries: ReadonlyArray<readonly [string, string]>): string =>
  entries.map(([key, value]) => `${percent(key)}=${percent(value)}`).join('&');

/**
 * JSON can contain an unpaired surrogate, for which `encodeURIComponent` throws: it becomes U+FFFD, as in any UTF-8.
 */
const percent = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

function multipart(entries: ReadonlyArray<readonly [string, string]>): string {
  const parts = entries.map(
    ([key, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

export const callbackEncodings = {
  'a nested form': {
    says: 'Form fields `data[status]=…&data[invoice][token]=…`, percent-encoded.',
    write: (fields) => ({ contentType: FORM, body: form(pairs(fields, 'data')) }),
  },
  'a flat form': {
    says: 'Form fields without `data`: `status=…&invoice[token]=…`.',
    write: (fields) => ({ contentType: FORM, body: form(pairs(fields, '')) }),
  },
  'data holding JSON': {
    says: 'One form field `data` whose value is the JSON of the record.',
    write: (fields) => ({ contentType: FORM, body: form([['data', JSON.stringify(fields)]]) }),
  },
  'data holding percent-encoded JSON': {
    says: 'As before, but percent-encoded twice.',
    write: (fields) => ({ contentType: FORM, body: form([['data', encodeURIComponent(JSON.stringify(fields))]]) }),
  },
  'data holding raw JSON': {
    says: 'One form field `data` whose JSON is not percent-encoded at all.',
    write: (fields) => ({ contentType: FORM, body: `data=${JSON.stringify(fields)}` }),
  },
  'data holding a query string': {
    says: 'One form field `data` whose value is itself a query string.',
    write: (fields) => ({ contentType: FORM, body: form([['data', form(pairs(fields, ''))]]) }),
  },
  'JSON under data': {
    says: 'A JSON body `{"data": {…}}`.',
    write: (fields) => ({ contentType: 'application/json', body: JSON.stringify({ data: fields }) }),
  },
  'flat JSON': {
    says: 'A JSON body that is the record itself.',
    write: (fields) => ({ contentType: 'application/json', body: JSON.stringify(fields) }),
  },
  'multipart fields': {
    says: 'multipart/form-data with fields `data[status]`, `data[invoice][token]`…',
    write: (fields) => ({
      contentType: `multipart/form-data; boundary=${BOUNDARY}`,
      body: multipart(pairs(fields, 'data')),
    }),
  },
  'JSON called a form': {
    says: 'A JSON body `{"data": {…}}` under the content type of a form.',
    write: (fields) => ({ contentType: FORM, body: JSON.stringify({ data: fields }) }),
  },
  'a form called JSON': {
    says: 'A nested form under the content type of JSON.',
    write: (fields) => ({ contentType: 'application/json', body: form(pairs(fields, 'data')) }),
  },
} as const satisfies Record<string, EncodingRow>;

export type CallbackEncoding = keyof typeof callbackEncodings;

export const encodingNames = Object.keys(callbackEncodings) as readonly CallbackEncoding[];

export function writeCallback(encoding: CallbackEncoding, fields: Fields): WrittenCallback {
  return callbackEncodings[encoding].write(fields);
}
