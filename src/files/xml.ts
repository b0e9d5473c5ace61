/**
 * The XML of workbooks. Programs choose prefixes and encodings freely, so a reader identifies an element only by its
 * namespace and its parent: an extension may use every name of the standard.
 */
import { TextDecoder } from 'node:util';
import { Parser } from 'saxen';
import { unusable } from './problems.ts';
import { detail } from '../messages/details.ts';

const OPEN_DOCUMENT = 'urn:oasis:names:tc:opendocument:xmlns:';

/** Names for listeners: elements of a namespace without a prefix here are unprefixed. */
const PREFIXES: Readonly<Record<string, string>> = {
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main': 'x',
  'http://schemas.openxmlformats.org/package/2006/relationships': 'x',
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships': 'r',
  // The strict form of the same standard.
  'http://purl.oclc.org/ooxml/spreadsheetml/main': 'x',
  'http://purl.oclc.org/ooxml/officeDocument/relationships': 'r',
  [`${OPEN_DOCUMENT}office:1.0`]: 'office',
  [`${OPEN_DOCUMENT}table:1.0`]: 'table',
  [`${OPEN_DOCUMENT}text:1.0`]: 'text',
  [`${OPEN_DOCUMENT}style:1.0`]: 'style',
  [`${OPEN_DOCUMENT}drawing:1.0`]: 'draw',
  [`${OPEN_DOCUMENT}manifest:1.0`]: 'manifest',
};
const BARE = 'x:';

/**
 * Receives each element of a document. `name` and `parent` are unprefixed for spreadsheets and relationships of
 * Excel, `table:table-cell` for OpenDocument, and otherwise have a prefix that no listener knows. A text arrives
 * whole or in parts.
 */
export interface XmlListener {
  open(name: string, attribute: (name: string) => string | undefined, parent: string): void;
  text(text: string): void;
  close(name: string): void;
}

/** Tags and cells are much shorter. A longer one is endless, and would be rescanned with each piece. */
const TOKEN_MAX = 2_000_000;
/** Workbooks nest some twenty elements, and declare some twenty namespaces. */
const DEPTH_MAX = 1_000;
const NAMESPACES_MAX = 1_000;
const DECLARATION = /xmlns(?::[^\s=]{1,100})?\s*=\s*["']([^"']{0,500})/g;

/** Entities declared by a document are not supported, and such a document is refused. */
export class XmlReader {
  readonly #parser = new Parser();
  readonly #path: string[] = [];
  readonly #names = new Map<string, string>();
  readonly #namespaces = new Set<string>();
  readonly #text = new XmlText();
  #sinceToken = 0;

  constructor(listener: XmlListener) {
    this.#parser.ns(PREFIXES);
    this.#parser.on('openTag', (written, attributes, decode) => {
      this.#sinceToken = 0;
      const name = this.#nameOf(written);
      const attribute = (wanted: string): string | undefined => {
        const value = attributes()[wanted];
        return value === undefined ? undefined : decode(value);
      };
      listener.open(name, attribute, this.#path.at(-1) ?? '');
      if (this.#path.push(name) > DEPTH_MAX) throw unusable('broken_workbook', { detail: detail('endless', {}) });
    });
    this.#parser.on('closeTag', () => listener.close(this.#path.pop() ?? ''));
    this.#parser.on('text', (text, decode) => listener.text(decode(text)));
    this.#parser.on('cdata', (text) => listener.text(text));
    this.#parser.on('attention', (text) => {
      if (/^<!(?:DOCTYPE|ENTITY)/i.test(text)) throw unusable('broken_workbook', { detail: detail('entities', {}) });
    });
    this.#parser.on('error', (error) => {
      throw unusable('broken_workbook', { cause: error });
    });
  }

  write(bytes: Buffer): void {
    this.#sinceToken += bytes.length;
    if (this.#sinceToken > TOKEN_MAX) throw unusable('broken_workbook', { detail: detail('endless', {}) });
    this.#parse(this.#text.read(bytes));
  }

  end(): void {
    this.#parse(this.#text.end());
    this.#parser.end();
  }

  #parse(text: string): void {
    // The parser stores each namespace permanently.
    for (const [, namespace = ''] of text.matchAll(DECLARATION)) this.#namespaces.add(namespace);
    if (this.#namespaces.size > NAMESPACES_MAX) throw unusable('broken_workbook', { detail: detail('endless', {}) });
    this.#parser.write(text);
  }

  #nameOf(written: string): string {
    const known = this.#names.get(written);
    if (known !== undefined) return known;
    const name = written.startsWith(BARE) ? written.slice(BARE.length) : written;
    if (this.#names.size < NAMESPACES_MAX) this.#names.set(written, name);
    return name;
  }
}

/** A declaration is shorter. */
const BEGINNING = 256;

/** Decodes a document in the encoding of its first bytes or its declaration. */
class XmlText {
  #decoder: TextDecoder | undefined;
  #held = Buffer.alloc(0);

  read(bytes: Buffer): string {
    if (this.#decoder) return this.#decoder.decode(bytes, { stream: true });
    this.#held = Buffer.concat([this.#held, bytes]);
    if (this.#held.length < BEGINNING && !this.#held.includes('>')) return '';
    return this.#begin().decode(this.#held, { stream: true });
  }

  end(): string {
    return this.#decoder ? this.#decoder.decode() : this.#begin().decode(this.#held);
  }

  /** Refuses an unsupported encoding, and later each invalid byte. */
  #begin(): TextDecoder {
    const bytes = this.#held;
    const label = encodingOf(bytes);
    const beginning = new TextDecoder(label).decode(bytes.subarray(0, BEGINNING)).trimStart();
    if (bytes.length > 0 && !beginning.startsWith('<'))
      throw unusable('broken_workbook', { detail: detail('no_xml', {}) });
    this.#decoder = new TextDecoder(label, { fatal: true });
    return this.#decoder;
  }
}

function encodingOf(bytes: Buffer): string {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return 'utf-16be';
  const beginning = bytes.toString('latin1', 0, BEGINNING);
  const [, named = 'utf-8'] = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(beginning) ?? [];
  // A text readable as single bytes is no UTF-16, whatever its declaration.
  return /^utf-?16/i.test(named) ? 'utf-8' : named;
}
