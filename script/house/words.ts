/** How often one thing is written down: kinds, settings, events, facts; and what a reader stumbles over. */
import { type Node, type SourceFile, calleeOf, nameOf, nodeIn, nodesIn, nodesOf } from './tree.ts';

export const filesWith = (files: readonly SourceFile[], pattern: RegExp): readonly string[] =>
  files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

/** How often it occurs in all of them. The pattern needs the flag g. */
export const occurrences = (files: readonly SourceFile[], pattern: RegExp): number =>
  files.reduce((sum, { text }) => sum + [...text.matchAll(pattern)].length, 0);

/** A list of at least so many of these words: elements, members, cases of a union, or words in one text. */
export interface Fact {
  readonly words: readonly string[];
  readonly atLeast: number;
}

/** The files that write this fact down, as opposed to those that only name one of its words. */
export function filesThatList(files: readonly SourceFile[], { words, atLeast }: Fact): readonly string[] {
  const known = new Set(words);
  return files
    .filter((file) =>
      nodesOf(file).some(([node]) => new Set(listed(node).filter((word) => known.has(word))).size >= atLeast),
    )
    .map(({ path }) => path);
}

/** Lists are written in many ways; all of these have to be changed when one more belongs to them. */
function listed(node: Node): readonly string[] {
  switch (node.type) {
    case 'ArrayExpression':
      return namesOf(nodesIn(node, 'elements'));
    case 'ObjectExpression':
      return [...membersOf(node, 'key'), ...membersOf(node, 'value')];
    case 'TSInterfaceBody':
    case 'TSTypeLiteral':
      return namesOf(nodesIn(node, node.type === 'TSTypeLiteral' ? 'members' : 'body').flatMap(keyOf));
    case 'TSUnionType':
      return namesOf(nodesIn(node, 'types').flatMap((one) => nodeIn(one, 'literal') ?? []));
    case 'Literal':
      return typeof node['value'] === 'string' ? node['value'].split(/[^\w.]+/) : [];
    case 'TemplateElement':
      return textOf(node).split(/[^\w.]+/);
    default:
      return [];
  }
}

const membersOf = (node: Node, side: 'key' | 'value'): readonly string[] =>
  namesOf(nodesIn(node, 'properties').flatMap((one) => nodeIn(one, side) ?? []));

const keyOf = (member: Node): readonly Node[] => {
  const key = nodeIn(member, 'key');
  return key ? [key] : [];
};

const namesOf = (nodes: readonly Node[]): readonly string[] => nodes.flatMap((node) => nameOf(node) ?? []);

function textOf(quasi: Node): string {
  const value = quasi['value'];
  const raw = typeof value === 'object' && value !== null && 'raw' in value ? value.raw : '';
  return String(raw);
}

/** The files that spell this text as a whole word of code: a literal, a member or a name. A sentence is none. */
export function filesThatSpell(files: readonly SourceFile[], word: string): readonly string[] {
  return files.filter((file) => nodesOf(file).some(([node]) => nameOf(node) === word)).map(({ path }) => path);
}

/** The files that declare a member of this name, or hand it on under it; those that only read it are left out. */
export function filesThatDeclare(files: readonly SourceFile[], member: string): readonly string[] {
  const declares = ([node]: readonly [Node, Node | undefined]): boolean =>
    ['Property', 'TSPropertySignature', 'PropertyDefinition'].includes(node.type) &&
    nameOf(nodeIn(node, 'key')) === member &&
    nodeIn(node, 'value')?.type !== 'Identifier';
  return files.filter((file) => nodesOf(file).some(declares)).map(({ path }) => path);
}

export const castTwice = (files: readonly SourceFile[]): readonly string[] =>
  files.flatMap((file) =>
    nodesOf(file).flatMap(([node]) => {
      const inner = node.type === 'TSAsExpression' ? nodeIn(node, 'expression') : undefined;
      const viaUnknown =
        inner?.type === 'TSAsExpression' && nodeIn(inner, 'typeAnnotation')?.type === 'TSUnknownKeyword';
      return viaUnknown ? [placeOf(file, node)] : [];
    }),
  );

const ENDS = /^(settle|settleChunk|finish|finishChunk|keep|stay|retryLater|goOn|letGo|transition)$/;
/** Where one of these names means something else: a promise is settled, a stream finished. */
const OTHER_ENDS = ['src/redis/', 'src/sandbox/', 'src/campaigns/'];

/** Statements that are nothing but the end of an attempt: what became of it is dropped. */
export const droppedAnswers = (files: readonly SourceFile[]): readonly string[] =>
  files
    .filter(({ path }) => !OTHER_ENDS.some((folder) => path.startsWith(folder)))
    .flatMap((file) =>
      nodesOf(file).flatMap(([node]) => {
        if (node.type !== 'ExpressionStatement') return [];
        const told = nodeIn(node, 'expression');
        const call =
          told?.type === 'AwaitExpression' || told?.type === 'UnaryExpression' ? nodeIn(told, 'argument') : told;
        return call?.type === 'CallExpression' && ENDS.test(calleeOf(call) ?? '') ? [placeOf(file, node)] : [];
      }),
    );

function placeOf({ path, text }: SourceFile, { start }: Node): string {
  return `${path}:${text.slice(0, start).split('\n').length}`;
}

/** Comments in which a person stands where a noun would say what is meant. */
export function commentsWith(files: readonly SourceFile[], pattern: RegExp): number {
  return files.reduce((sum, { comments }) => sum + comments.filter((said) => pattern.test(said)).length, 0);
}
