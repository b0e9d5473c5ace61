/** The sources as the counters see them: text, syntax, comments, imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A node of the syntax tree. Only what the counters ask for is looked at, so its other members are unknown. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

interface Import {
  /** The file that is named, from the root; a package is left out. */
  readonly from: string;
  /** Nothing of it is left when it runs. */
  readonly typeOnly: boolean;
  /** Local name → name there. */
  readonly names: ReadonlyMap<string, string>;
}

export interface SourceFile {
  /** From the root, with slashes: `src/lib/clock.ts`. */
  readonly path: string;
  readonly text: string;
  readonly program: Node;
  readonly comments: readonly string[];
  readonly imports: readonly Import[];
}

const SOURCE = /\.ts$/;

/** Every source below this folder of `root`. */
export function readTree(root: string, folder = 'src'): readonly SourceFile[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => posix.join(entry.parentPath.slice(root.length + 1).replaceAll('\\', '/'), entry.name))
    .sort()
    .map((path) => sourceOf(path, readFileSync(join(root, path), 'utf8')));
}

/** Exported so that a counter can be shown a file that does not exist. */
export function sourceOf(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`);
  const root = program as unknown as Node;
  return { path, text, program: root, comments: comments.map(({ value }) => value), imports: importsOf(path, root) };
}

/** The double of the service shares no code with the rest: what it repeats, it repeats on purpose. */
export const isSandbox = ({ path }: { readonly path: string }): boolean => path.startsWith('src/sandbox/');

/** Written by a program from a declaration: no person reads or changes it. */
export const isGenerated = ({ path }: { readonly path: string }): boolean => path.includes('/generated/');

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** The nodes directly below, in the order in which they are written. */
export function childrenOf(node: Node): readonly Node[] {
  return Object.entries(node).flatMap(([, value]) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** This node and all below it, with the one each stands in, outer first. */
export function* walk(node: Node, parent?: Node): Generator<readonly [node: Node, parent: Node | undefined]> {
  yield [node, parent];
  for (const child of childrenOf(node)) yield* walk(child, node);
}

type Nodes = readonly (readonly [node: Node, parent: Node | undefined])[];
const walkedOnce = new WeakMap<Node, Nodes>();

/** All nodes of a file; every counter asks for them. */
export function nodesOf({ program }: SourceFile): Nodes {
  if (!program) return [];
  const nodes = walkedOnce.get(program) ?? [...walk(program)];
  walkedOnce.set(program, nodes);
  return nodes;
}

export function nodeIn(node: Node, member: string): Node | undefined {
  const value = node[member];
  return isNode(value) ? value : undefined;
}

export function nodesIn(node: Node, member: string): readonly Node[] {
  const value = node[member];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of an identifier, of a private member (`#name`), or of a text that stands for a name. */
export function nameOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Identifier') return String(node['name']);
  if (node?.type === 'PrivateIdentifier') return `#${String(node['name'])}`;
  return node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

/** What is called: `f` of `f()`, `of` of `a.b.of()`. */
export function calleeOf(call: Node): string | undefined {
  const callee = nodeIn(call, 'callee');
  if (callee?.type !== 'MemberExpression') return nameOf(callee);
  return callee['computed'] === true ? undefined : nameOf(nodeIn(callee, 'property'));
}

const LINKS = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration']);

function importsOf(path: string, program: Node): readonly Import[] {
  return nodesIn(program, 'body').flatMap((node) => {
    const specifier = nameOf(nodeIn(node, 'source'));
    if (!LINKS.has(node.type) || !specifier?.startsWith('.')) return [];
    const specifiers = nodesIn(node, 'specifiers');
    const kindOf = (one: Node): unknown => one['importKind'] ?? one['exportKind'];
    const allTypes = specifiers.length > 0 && specifiers.every((one) => kindOf(one) === 'type');
    const names = specifiers.flatMap((one) => {
      const [local, there] = [nameOf(nodeIn(one, 'local')), nameOf(nodeIn(one, 'imported'))];
      return local && there ? [[local, there] as const] : [];
    });
    return {
      from: posix.join(posix.dirname(path), specifier),
      typeOnly: kindOf(node) === 'type' || allTypes,
      names: new Map(names),
    };
  });
}
