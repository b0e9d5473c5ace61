/**
 * The head of a Lua script: the comments at its top name its keys, its arguments with their units, and its answers.
 * What is written there once is what Lua finds as locals and what TypeScript checks. CONTRIBUTING has the grammar.
 */

/** What a word means on its way; `text` is the only one that is no number and no switch. */
const UNITS = ['text', 'json', 'state', 'int', 'number', 'ms', 's', 'at', 'us', 'xof', 'flag'] as const;
export type Unit = (typeof UNITS)[number];

export type WordType =
  | { readonly is: 'unit'; readonly unit: Unit }
  | { readonly is: 'one of'; readonly words: readonly string[] }
  | { readonly is: 'list'; readonly unit: Unit }
  /** Field and value in turn. */
  | { readonly is: 'pairs' }
  | { readonly is: 'struct'; readonly name: string };

interface Noted {
  readonly name: string;
  readonly note: string;
}

export interface Key extends Noted {
  readonly optional: boolean;
  readonly list: boolean;
}

export interface Word extends Noted {
  readonly type: WordType;
  readonly optional: boolean;
}

export interface Group {
  readonly keys: readonly Key[];
  readonly words: readonly Word[];
}

export interface Each extends Group {
  readonly name: string;
}

export type AnswerType =
  | { readonly is: 'unit'; readonly unit: Unit }
  | { readonly is: 'hash' }
  | { readonly is: 'named'; readonly name: string }
  | { readonly is: 'list'; readonly of: AnswerType }
  | { readonly is: 'record'; readonly members: readonly Member[] }
  | { readonly is: 'union'; readonly cases: readonly Case[] };

export interface Member {
  readonly name: string;
  readonly type: AnswerType;
  readonly optional: boolean;
}

export interface Case {
  readonly tag: string;
  readonly members: readonly Member[];
}

interface Arrow {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
}

export interface Head extends Group {
  /** The sentences before the first `@`. */
  readonly says: string;
  readonly each: readonly Each[];
  readonly structs: ReadonlyMap<string, Group>;
  readonly types: ReadonlyMap<string, AnswerType>;
  readonly returns: AnswerType | undefined;
  readonly arrows: readonly Arrow[];
}

/** One `@name rest` of a head. */
interface Tag {
  readonly name: string;
  readonly rest: string;
  readonly indented: boolean;
}

/** What the indented lines under `@each` and `@struct` are added to. */
interface Block {
  readonly name: string;
  readonly keys: Key[];
  readonly words: Word[];
}

const TAG = /^--( +)@(\w+) (.*)$/;

export function parseHead(source: string): Head {
  const { says, tags } = readComments(source);
  const head = {
    says,
    keys: [] as Key[],
    words: [] as Word[],
    each: [] as Block[],
    structs: new Map<string, Block>(),
    types: new Map<string, AnswerType>(),
    returns: undefined as AnswerType | undefined,
    arrows: [] as Arrow[],
  };
  let block: Omit<Block, 'name'> = head;
  for (const { name, rest, indented } of tags) {
    if (!indented) block = head;
    if (name === 'key' || name === 'keys') block.keys.push(keyOf(rest, name === 'keys'));
    else if (name === 'arg') block.words.push(wordOf(rest));
    else if (name === 'returns') head.returns = answerOf(rest);
    else if (name === 'type') head.types.set(...typeOf(rest));
    else if (name === 'arrow') head.arrows.push(...arrowsOf(rest));
    else if (name === 'each') head.each.push(blockNamed(rest, (one) => (block = one)));
    else if (name === 'struct')
      head.structs.set(
        rest.trim(),
        blockNamed(rest, (one) => (block = one)),
      );
    else throw new Error(`a head has no @${name}`);
  }
  return head;
}

function blockNamed(rest: string, open: (block: Block) => void): Block {
  const block: Block = { name: rest.trim(), keys: [], words: [] };
  open(block);
  return block;
}

/** The comments at the top, up to the first empty line. A line without a tag goes on with the one before. */
function readComments(source: string): { readonly says: string; readonly tags: readonly Tag[] } {
  const says: string[] = [];
  const tags: Tag[] = [];
  for (const line of source.split('\n')) {
    if (line.startsWith('---')) continue;
    if (!line.startsWith('--')) break;
    const found = TAG.exec(line);
    const last = tags.at(-1);
    if (found) tags.push(...tagsOf(found));
    else if (!last) says.push(line.replace(/^-- ?/, ''));
    else tags[tags.length - 1] = { ...last, rest: `${last.rest} ${line.replace(/^--\s*/, '')}` };
  }
  return { says: says.join('\n').trim(), tags };
}

/** Several may share a line: two blanks and an `@` begin the next. */
function tagsOf([, indent = '', name = '', rest = '']: RegExpExecArray): readonly Tag[] {
  const indented = indent.length > 1;
  return `${name} ${rest}`.split(/ {2,}@/).map((one) => {
    const [, tag = '', words = ''] = /^(\w+) ?(.*)$/.exec(one) ?? [];
    return { name: tag, rest: words.trim(), indented };
  });
}

function keyOf(rest: string, list: boolean): Key {
  const [, name = '', optional = '', note = ''] = /^(\w+)(\??) *(.*)$/.exec(rest) ?? [];
  return { name, optional: optional === '?', list, note };
}

function wordOf(rest: string): Word {
  const [, name = '', type = '', optional = '', note = ''] = /^(\w+) +([^\s?]+)(\??) *(.*)$/.exec(rest) ?? [];
  if (name === '') throw new Error(`an argument has a name and a type, not "${rest}"`);
  return { name, type: wordTypeOf(type), optional: optional === '?', note };
}

const unitOf = (text: string): Unit | undefined => UNITS.find((unit) => unit === text);

function wordTypeOf(text: string): WordType {
  const unit = unitOf(text);
  if (unit) return { is: 'unit', unit };
  if (text === 'pairs') return { is: 'pairs' };
  const element = text.endsWith('[]') ? unitOf(text.slice(0, -2)) : undefined;
  if (element) return { is: 'list', unit: element };
  if (text.includes('|')) return { is: 'one of', words: text.split('|') };
  if (/^[A-Z]\w*$/.test(text)) return { is: 'struct', name: text };
  throw new Error(`"${text}" is no type of an argument`);
}

function typeOf(rest: string): readonly [string, AnswerType] {
  const [, name = '', type = ''] = /^(\w+) (.*)$/.exec(rest) ?? [];
  return [name, answerOf(type)];
}

/** `applied {rev int, at} | none`, `text[]`, `{campaign hash, verdicts Verdict[]}`. */
function answerOf(text: string): AnswerType {
  const simple = simpleAnswer(text.trim());
  if (simple) return simple;
  const record = /^\{(.*)\}$/.exec(text.trim());
  if (record && !text.includes('|')) return { is: 'record', members: membersOf(record[1] ?? '') };
  const cases = text.split('|').map((one) => {
    const [, tag = '', members = ''] = /^\s*([a-z][\w ]*?)\s*(?:\{(.*)\})?\s*$/.exec(one) ?? [];
    if (tag === '') throw new Error(`"${one.trim()}" is no answer`);
    return { tag, members: membersOf(members) };
  });
  return { is: 'union', cases };
}

function simpleAnswer(text: string): AnswerType | undefined {
  const unit = unitOf(text);
  if (unit) return { is: 'unit', unit };
  if (text === 'hash') return { is: 'hash' };
  if (/^[A-Z]\w*$/.test(text)) return { is: 'named', name: text };
  const element = text.endsWith('[]') ? simpleAnswer(text.slice(0, -2)) : undefined;
  return element && { is: 'list', of: element };
}

function membersOf(text: string): readonly Member[] {
  if (text.trim() === '') return [];
  return text.split(',').map((one) => {
    const [, name = '', type = '', optional = ''] = /^\s*(\w+)(?: +([^\s?]+))?(\??)\s*$/.exec(one) ?? [];
    // `at` and `state` are what they are called.
    const known = simpleAnswer(type === '' ? (unitOf(name) ?? 'text') : type);
    if (name === '' || !known) throw new Error(`"${one.trim()}" is no member of an answer`);
    return { name, type: known, optional: optional === '?' };
  });
}

/** `campaign draft, ready -> held`; or `from -> to`, where the arguments of these names say which. */
function arrowsOf(rest: string): readonly Arrow[] {
  const [, kind = '', from = '', to = ''] = /^(?:(\w+) )?([\w, ]+) -> (\w+)$/.exec(rest.trim()) ?? [];
  if (to === '') throw new Error(`"${rest}" is no arrow`);
  return from.split(',').map((one) => ({ kind, from: one.trim(), to }));
}
