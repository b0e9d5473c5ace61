/** The TypeScript of scripts: what each takes and answers as types, its text, and the function that calls it. */
import type { AnswerType, Case, Each, Group, Head, Key, Member, Unit, Word, WordType } from './head.ts';

export interface Written {
  /** `accept-messages` */
  readonly name: string;
  readonly head: Head;
  /** What Redis runs. */
  readonly lua: string;
}

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const pascal = (name: string): string => camel(`-${name}`);

/** One module for the scripts of a folder. `redisFolder`: from it to `src/redis`. */
export function moduleOf(scripts: readonly Written[], redisFolder: string): string {
  const head = [
    '// Generated from ../*.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.',
    `import * as lua from '${redisFolder}/scripts.ts';`,
    '',
  ].join('\n');
  return [head, ...scripts.map(typescriptOf)].join('\n');
}

function typescriptOf({ name, head, lua }: Written): string {
  const args = `${pascal(name)}Args`;
  const answer = `${pascal(name)}Answer`;
  const returns = head.returns ?? { is: 'unit', unit: 'int' };
  const named = [...head.types].map(([type, of]): [string, AnswerType] => [`${pascal(name)}${type}`, of]);
  const naming = { prefix: pascal(name) };
  return [
    `export interface ${args} {`,
    ...groupLines(head, head),
    ...head.each.flatMap((each) => [
      `  readonly ${each.name}: readonly {`,
      ...groupLines(each, head).map((line) => `  ${line}`),
      '  }[];',
    ]),
    '}',
    ...[...named, [answer, returns] as const].flatMap(([type, of]) => [
      '',
      `export type ${type} =${of.is === 'union' ? '' : ' '}${typeText(of, naming)};`,
    ]),
    ...named.flatMap(([type, of]) => ['', ...readerLines(`read${type}`, type, of, naming)]),
    '',
    ...readerLines(`read${answer}`, answer, returns, naming),
    '',
    `export const ${camel(name)}Script = lua.defineScript('${name}', \``,
    `${lua.replace(/[\\`]|\$\{/g, '\\$&')}\`);`,
    '',
    ...(head.says ? [`/** ${head.says.replaceAll('\n', '\n * ')} */`] : []),
    `export async function ${camel(name)}(redis: lua.ScriptHost, args: ${args}): Promise<${answer}> {`,
    ...callLines(head, head).map((line) => `  ${line}`),
    `  return read${answer}(await lua.runScript(redis, ${camel(name)}Script, keys, words));`,
    '}',
    '',
  ].join('\n');
}

function groupLines({ keys, words }: Group, head: Pick<Head, 'structs'>): string[] {
  const keyLines = keys.map((key) => {
    const type = key.list ? 'readonly string[]' : key.optional ? 'string | undefined' : 'string';
    return member(key, type, key.optional, 'key');
  });
  return [
    ...keyLines,
    ...words.map((word) => member(word, wordText(word, head), word.optional, unitNote(word.type))),
  ];
}

function member(
  { name, note }: { name: string; note: string },
  type: string,
  optional: boolean,
  unit: string,
): string {
  const says = [unit, note].filter((text) => text !== '').join(': ');
  const comment = says === '' ? '' : `/** ${says} */ `;
  return `  ${comment}readonly ${name}${optional ? '?' : ''}: ${type};`;
}

const NUMBERS: readonly Unit[] = ['int', 'number', 'ms', 's', 'at', 'us', 'xof'];
const unitText = (unit: Unit): string => (unit === 'flag' ? 'boolean' : NUMBERS.includes(unit) ? 'number' : 'string');

/** Units that a type does not tell. */
const UNIT_NOTES: Partial<Record<Unit, string>> = {
  json: 'JSON',
  ms: 'ms',
  s: 's',
  at: 'ms since the epoch',
  us: 'µs',
  xof: 'whole XOF',
};

const unitNote = (type: WordType): string =>
  type.is === 'unit' || type.is === 'list' ? (UNIT_NOTES[type.unit] ?? '') : '';

function wordText({ type, optional }: Word, head: Pick<Head, 'structs'>): string {
  const text = wordTypeText(type, head);
  return optional ? `${text} | undefined` : text;
}

function wordTypeText(type: WordType, head: Pick<Head, 'structs'>): string {
  switch (type.is) {
    case 'unit':
      return unitText(type.unit);
    case 'one of':
      return type.words.map((word) => `'${word}'`).join(' | ');
    case 'list':
      return `readonly ${unitText(type.unit)}[]`;
    case 'pairs':
      return 'Readonly<Record<string, string | number>>';
    case 'struct': {
      const members = head.structs.get(type.name)?.words ?? [];
      const inner = members.map((one) => `readonly ${one.name}${one.optional ? '?' : ''}: ${wordText(one, head)}`);
      return `{ ${inner.join('; ')} }`;
    }
  }
}

interface Naming {
  readonly prefix: string;
}

function typeText(type: AnswerType, naming: Naming): string {
  switch (type.is) {
    case 'unit':
      return unitText(type.unit);
    case 'hash':
      return 'Readonly<Record<string, string>>';
    case 'named':
      return `${naming.prefix}${type.name}`;
    case 'list':
      return `readonly ${typeText(type.of, naming)}[]`;
    case 'record':
      return `{ ${membersText(type.members, naming)} }`;
    case 'union':
      return type.cases.map((one) => `\n  | { ${membersText(one.members, naming, one.tag)} }`).join('');
  }
}

function membersText(members: readonly Member[], naming: Naming, tag?: string): string {
  const texts = members.map(({ name, type, optional }) => {
    const text = typeText(type, naming);
    return `readonly ${name}${optional ? '?' : ''}: ${text}${optional ? ' | undefined' : ''}`;
  });
  return [...(tag === undefined ? [] : [`readonly is: '${tag}'`]), ...texts].join('; ');
}

function readerLines(name: string, type: string, of: AnswerType, naming: Naming): string[] {
  if (of.is !== 'union') return [`const ${name}: lua.Read<${type}> = ${readText(of, naming)};`];
  return [
    `function ${name}(value: unknown): ${type} {`,
    '  const answer = lua.items(value);',
    '  switch (answer[0]) {',
    ...of.cases.flatMap((one) => [`    case '${one.tag}':`, `      return ${caseText(one, naming)};`]),
    '  }',
    '  return lua.unexpected(value);',
    '}',
  ];
}

const caseText = ({ tag, members }: Case, naming: Naming): string =>
  `{ ${[`is: '${tag}'`, ...memberReads(members, 1, naming)].join(', ')} }`;

const memberReads = (members: readonly Member[], from: number, naming: Naming): string[] =>
  members.map(({ name, type, optional }, at) => {
    const read = readText(type, naming);
    return `${name}: ${optional ? `lua.optional(${read}, answer[${from + at}])` : `${read}(answer[${from + at}])`}`;
  });

/** An expression that is a reader. */
function readText(type: AnswerType, naming: Naming): string {
  switch (type.is) {
    case 'unit':
      return type.unit === 'flag' ? 'lua.flag' : NUMBERS.includes(type.unit) ? 'lua.number' : 'lua.text';
    case 'hash':
      return 'lua.hash';
    case 'named':
      return `read${naming.prefix}${type.name}`;
    case 'list':
      return `lua.list(${readText(type.of, naming)})`;
    case 'record': {
      const reads = memberReads(type.members, 0, naming).join(', ');
      return `(value) => {\n  const answer = lua.items(value);\n  return { ${reads} };\n}`;
    }
    case 'union':
      throw new Error('give the union a name with @type');
  }
}

/** `keys` and `words`, in the order in which the Lua text walks them. Of many, each is put in without a list of its own. */
function callLines(group: Group, head: Head): string[] {
  const { keys, words } = pieces(group, head, 'args');
  const each = head.each.map(({ name, ...one }) => ({ name, words: pieces(one, head, 'one').words }));
  return [
    `const keys: string[] = [${keys.join(', ')}];`,
    ...head.each.filter(({ keys: own }) => own.length > 0).flatMap(walkedKeys),
    `const words: lua.Word[] = [${words.join(', ')}];`,
    ...each.flatMap(({ name, words: own }) => [
      `words.push(args.${name}.length);`,
      ...(own.length === 0 ? [] : [`for (const one of args.${name}) words.push(${own.join(', ')});`]),
    ]),
  ];
}

function walkedKeys({ name, keys }: Each): string[] {
  const fixed = keys.filter((key) => !key.optional && !key.list).map((key) => `one.${key.name}`);
  const others = keys
    .filter((key) => key.optional || key.list)
    .map(({ name: of, list }) => {
      return list ? `keys.push(...one.${of});` : `if (one.${of} !== undefined) keys.push(one.${of});`;
    });
  const puts = [...(fixed.length === 0 ? [] : [`keys.push(${fixed.join(', ')});`]), ...others];
  return [`for (const one of args.${name}) {`, ...puts.map((put) => `  ${put}`), '}'];
}

function pieces({ keys, words }: Group, head: Head, of: string): { keys: string[]; words: string[] } {
  const fixed = keys.filter((key) => !key.optional && !key.list);
  const others = keys.filter((key) => key.optional || key.list);
  const varies = ({ type }: Word): boolean => type.is === 'list' || type.is === 'pairs';
  return {
    keys: [...fixed.map(({ name }) => `${of}.${name}`), ...others.map((key) => keyText(key, of))],
    words: [
      ...words.filter((word) => !varies(word)).flatMap((word) => fixedText(word, `${of}.${word.name}`, head)),
      ...others.map(({ name, list }) => (list ? `${of}.${name}.length` : `${of}.${name} === undefined ? 0 : 1`)),
      ...words
        .filter(varies)
        .map(({ name, type }) => `...lua.${type.is === 'pairs' ? 'pairs' : 'counted'}(${of}.${name})`),
    ],
  };
}

const keyText = ({ name, list }: Key, of: string): string =>
  list ? `...${of}.${name}` : `...(${of}.${name} === undefined ? [] : [${of}.${name}])`;

function fixedText({ type, optional }: Word, value: string, head: Head): string[] {
  if (type.is === 'struct') {
    const members = head.structs.get(type.name)?.words ?? [];
    return members.flatMap((one) => fixedText(one, `${value}.${one.name}`, head));
  }
  if (type.is === 'unit' && type.unit === 'flag') return [`${value} ? 1 : 0`];
  return [optional ? `${value} ?? ''` : value];
}
