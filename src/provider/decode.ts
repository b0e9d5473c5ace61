/** The decompressed text of a provider's answer. Providers may compress an answer without a request for it. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';

type Decompress = (bytes: Buffer, options: Pick<ZlibOptions, 'maxOutputLength'>) => Buffer;

/** `deflate` has a header by its standard; some servers omit it. */
const inflate: Decompress = (bytes, options) =>
  (bytes[0] ?? 0) % 16 === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);

const decompressors = new Map<string, Decompress>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
]);

/** More layers than any server needs. */
const MOST_LAYERS = 2;
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * Undefined: longer than `most` bytes. Bytes that do not match their encoding header are read as they are: some
 * servers name an encoding that they do not apply.
 */
export function decode(bytes: Buffer, encoding: string, most: number): string | undefined {
  let decoded = bytes;
  for (const decompress of layersOf(bytes, encoding)) {
    try {
      decoded = decompress(decoded, { maxOutputLength: most });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
      return bytes.toString('utf8');
    }
  }
  return decoded.toString('utf8');
}

/** The encoding that was applied last comes first. */
function layersOf(bytes: Buffer, encoding: string): Decompress[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const named = names.flatMap((name) => decompressors.get(name) ?? []).toReversed();
  if (named.length > MOST_LAYERS) return [];
  if (named.length > 0) return named;
  return bytes.subarray(0, GZIP.length).equals(GZIP) ? [gunzipSync] : [];
}
