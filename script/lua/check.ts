/** What is wrong in a script before Redis ever sees it: names that nothing declares, keys that are spelled here. */
import { type Node, parse } from 'luaparse';
import { type LuaScript, filesIn } from './compose.ts';
import { namesOf, withoutComments } from './lua-text.ts';

/** What Redis gives to scripts, and the parts of Lua 5.1 that they use. */
const KNOWN =
  'KEYS ARGV redis cjson string table math ipairs pairs next pcall error type tonumber tostring unpack'.split(' ');

export type Complaint = string;

/** Of the whole text, with all that is included. */
export function complaintsAbout(script: LuaScript): readonly Complaint[] {
  const complaints: Complaint[] = [];
  const nodes: Node[] = [];
  parse(script.lua, { luaVersion: '5.1', scope: true, onCreateNode: (node) => nodes.push(node) });
  for (const node of nodes) {
    if (node.type === 'Identifier' && isGlobal(node) && !KNOWN.includes(node.name)) {
      complaints.push(`nothing declares "${node.name}"`);
    }
    if (node.type === 'AssignmentStatement' && node.variables.some(isGlobal)) complaints.push('assigns to a global');
    if (node.type === 'CallExpression' && spellsKey(node))
      complaints.push('a key is handed in, and not spelled here');
  }
  return [...new Set([...complaints, ...unusedIn(script, nodes), ...arrowComplaints(script, nodes)])];
}

/** Of one file as it stands. */
export const complaintsAboutSource = (source: string): readonly Complaint[] =>
  /\b(KEYS|ARGV)\b/.test(withoutComments(source)) ? ['KEYS and ARGV have names: the head declares them'] : [];

export const librariesBeside = (folder: string): readonly string[] => filesIn(`${folder}/lib`, '.lua');

const isGlobal = (node: Node): boolean => node.type === 'Identifier' && 'isLocal' in node && node.isLocal === false;

const isRedisCall = (node: Node): boolean =>
  node.type === 'CallExpression' &&
  node.base.type === 'MemberExpression' &&
  node.base.base.type === 'Identifier' &&
  node.base.base.name === 'redis' &&
  ['call', 'pcall'].includes(node.base.identifier.name);

/** TIME has no key; XINFO and XGROUP have theirs behind a word. */
function spellsKey(node: Node): boolean {
  if (node.type !== 'CallExpression' || !isRedisCall(node)) return false;
  const [command, first, second] = node.arguments;
  const key = command?.type === 'StringLiteral' && /XINFO|XGROUP/.test(command.raw) ? second : first;
  return key !== undefined && ['StringLiteral', 'BinaryExpression', 'NumericLiteral'].includes(key.type);
}

function unusedIn({ head, lua }: LuaScript, nodes: readonly Node[]): readonly Complaint[] {
  const written = withoutComments(lua.replace(/-- <generated>[^]*?-- <\/generated>/g, ''));
  const uses = (name: string): number => [...written.matchAll(new RegExp(String.raw`\b${name}\b`, 'g'))].length;
  const declared = [...namesOf(head), ...head.each.flatMap((each) => [each.name, ...namesOf(each)])];
  const locals = nodes.flatMap((node) =>
    node.type === 'LocalStatement' ? node.variables.map(({ name }) => name) : [],
  );
  const own = locals.filter((name) => uses(name) === 1 && !name.startsWith('_') && !declared.includes(name));
  return [
    ...declared.filter((name) => uses(name) === 0).map((name) => `"${name}" of the head is not used`),
    ...own.map((name) => `"${name}" is not used`),
  ];
}

/** Where a state is written, the head says which arrows that draws. */
function arrowComplaints({ head }: LuaScript, nodes: readonly Node[]): readonly Complaint[] {
  const targets = head.arrows.map(({ to }) => to);
  return nodes.flatMap(statesWritten).flatMap((state) => {
    if (targets.includes(state)) return [];
    return [`it enters the state ${state}, and its head has no @arrow to it`];
  });
}

/** What is given after the word `state` to HSET, or in a list that is handed on to it: literals and names. */
function statesWritten(node: Node): readonly string[] {
  const list = listOf(node);
  return list.flatMap((one, at) => {
    if (one.type !== 'StringLiteral' || textOf(one.raw) !== 'state') return [];
    const value = list[at + 1];
    if (value?.type === 'StringLiteral' && isRedisCall(node)) return [textOf(value.raw)];
    if (value?.type === 'StringLiteral' && node.type === 'TableConstructorExpression') return [textOf(value.raw)];
    return value?.type === 'Identifier' ? [value.name] : [];
  });
}

function listOf(node: Node): readonly Node[] {
  if (node.type === 'CallExpression' && isRedisCall(node)) {
    const [command, , ...rest] = node.arguments;
    return command?.type === 'StringLiteral' && textOf(command.raw) === 'HSET' ? rest : [];
  }
  if (node.type !== 'TableConstructorExpression') return [];
  return node.fields.flatMap((field) => (field.type === 'TableValue' ? [field.value] : []));
}

const textOf = (raw: string): string => raw.slice(1, -1);
