/** Private functions, and the jumps a reader makes who follows one id through the functions that are handed it. */
import { type Node, type SourceFile, calleeOf, childrenOf, nameOf, nodeIn, nodesIn, nodesOf, walk } from './tree.ts';

interface FunctionOf {
  readonly path: string;
  readonly name: string;
  readonly node: Node;
  readonly exported: boolean;
}

/** The functions that stand by themselves in a file, and the private methods of its classes. */
function functionsOf(file: SourceFile): readonly FunctionOf[] {
  const { path } = file;
  const standing = nodesIn(file.program ?? { type: '', start: 0, end: 0 }, 'body').flatMap((statement) => {
    const declaration = nodeIn(statement, 'declaration');
    return functionsIn(declaration ?? statement).map((one) => ({
      ...one,
      path,
      exported: declaration !== undefined,
    }));
  });
  const methods = nodesOf(file).flatMap(([node]) => {
    const [key, value] = [nodeIn(node, 'key'), nodeIn(node, 'value')];
    if (node.type !== 'MethodDefinition' || key?.type !== 'PrivateIdentifier' || !value) return [];
    return { path, name: nameOf(key) ?? '', node: value, exported: false };
  });
  return [...standing, ...methods];
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

function functionsIn(declaration: Node): readonly { readonly name: string; readonly node: Node }[] {
  if (FUNCTIONS.has(declaration.type)) return [{ name: nameOf(nodeIn(declaration, 'id')) ?? '', node: declaration }];
  if (declaration.type !== 'VariableDeclaration') return [];
  return nodesIn(declaration, 'declarations').flatMap((one) => {
    const [name, node] = [nameOf(nodeIn(one, 'id')), nodeIn(one, 'init')];
    return name && node && FUNCTIONS.has(node.type) ? [{ name, node }] : [];
  });
}

/** How many functions only their own file can call, and how many of these are called in one place and named nowhere else. */
export function privateFunctions(files: readonly SourceFile[]): { readonly all: number; readonly once: number } {
  const each = files.flatMap((file) => {
    const own = functionsOf(file).filter(({ exported, node }) => !exported && node.type !== '');
    const uses = usesIn(file);
    return own.map(({ name }) => uses.get(name) ?? []);
  });
  return { all: each.length, once: each.filter((uses) => uses.length === 1 && uses[0] === 'called').length };
}

/** Each time a name is used as a value, and whether it is called there. */
function usesIn(file: SourceFile): ReadonlyMap<string, readonly ('called' | 'named')[]> {
  const uses = new Map<string, ('called' | 'named')[]>();
  for (const [node, parent] of nodesOf(file)) {
    const name = nameOf(node);
    if (name === undefined || node.type === 'Literal' || !parent || isDeclaredBy(parent, node)) continue;
    const call = parent.type === 'MemberExpression' ? callOfMember(file, parent) : parent;
    const called =
      call?.type === 'CallExpression' && nodeIn(call, 'callee')?.start === (call === parent ? node : parent).start;
    uses.set(name, [...(uses.get(name) ?? []), called ? 'called' : 'named']);
  }
  return uses;
}

/** A private member is used as `this.#name(…)`: what is called there is the member expression around it. */
function callOfMember(file: SourceFile, member: Node): Node | undefined {
  return file.text[member.end] === '(' || file.text[member.end] === '<'
    ? { type: 'CallExpression', start: member.start, end: member.end, callee: member }
    : undefined;
}

function isDeclaredBy(parent: Node, node: Node): boolean {
  const isMember = (member: string): boolean => nodeIn(parent, member) === node;
  switch (parent.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'VariableDeclarator':
      return isMember('id');
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'TSPropertySignature':
      return isMember('key') && parent['computed'] !== true;
    case 'Property':
      return isMember('key') && parent['shorthand'] !== true && parent['computed'] !== true;
    case 'MemberExpression':
      return isMember('property') && node.type !== 'PrivateIdentifier' && parent['computed'] !== true;
    default:
      return false;
  }
}

export interface Start {
  readonly path: string;
  readonly name: string;
}

export interface Journey {
  /** Every jump into another file, in the order of reading: what is called, and where it stands. */
  readonly entries: readonly Start[];
  /** How many of the jumps led into a file that had been entered before. */
  readonly again: number;
}

/**
 * Follows the first parameter of these functions through every call that hands it on, or something made from it, to
 * another function of these files. Each function is read once, so only its first call is a jump. Methods are not
 * followed: from the outside nobody sees which object will stand there.
 */
export function followId(files: readonly SourceFile[], starts: readonly Start[]): Journey {
  const house = new Functions(files);
  const carried = house.carriedFrom(starts);
  const entries: Start[] = [];
  const read = new Set<FunctionOf>();
  const readFunction = (one: FunctionOf, from: string): void => {
    if (read.has(one)) return;
    read.add(one);
    if (one.path !== from) entries.push({ path: one.path, name: one.name });
    for (const { callee } of house.callsOf(one, carried.get(one) ?? new Set())) readFunction(callee, one.path);
  };
  for (const start of starts) readFunction(house.find(start), '');
  return { entries, again: entries.length - new Set(entries.map(({ path }) => path)).size };
}

interface CallOf {
  readonly callee: FunctionOf;
  /** The positions of the arguments that carry the id. */
  readonly carrying: readonly number[];
}

class Functions {
  readonly #byName = new Map<string, FunctionOf>();
  readonly #files: ReadonlyMap<string, SourceFile>;

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
    for (const one of files.flatMap(functionsOf)) this.#byName.set(`${one.path}#${one.name}`, one);
  }

  find({ path, name }: Start): FunctionOf {
    const found = this.#byName.get(`${path}#${name}`);
    if (!found) throw new Error(`there is no function ${name} in ${path} to start from`);
    return found;
  }

  /** For each function that is reached, the parameters that carry the id. */
  carriedFrom(starts: readonly Start[]): ReadonlyMap<FunctionOf, ReadonlySet<number>> {
    const carried = new Map<FunctionOf, Set<number>>();
    const open: CallOf[] = starts.map((start) => ({ callee: this.find(start), carrying: [0] }));
    for (let next = open.pop(); next; next = open.pop()) {
      const known = carried.get(next.callee);
      const fresh = next.carrying.filter((position) => !known?.has(position));
      if (known && fresh.length === 0) continue;
      const all = new Set([...(known ?? []), ...fresh]);
      carried.set(next.callee, all);
      open.push(...this.callsOf(next.callee, all));
    }
    return carried;
  }

  /** The calls in the body of a function that hand the id on, in the order in which they are written. */
  callsOf(one: FunctionOf, positions: ReadonlySet<number>): readonly CallOf[] {
    const names = carriersIn(one.node, positions);
    const calls = [...walk(one.node)].map(([node]) => node).filter(({ type }) => type === 'CallExpression');
    return calls
      .sort((a, b) => a.start - b.start)
      .flatMap((call) => {
        const given = nodesIn(call, 'arguments');
        const carrying = given.flatMap((argument, position) => (mentions(argument, names) ? [position] : []));
        if (carrying.length === 0 && !mentions(nodeIn(call, 'callee'), names)) return [];
        const direct =
          nodeIn(call, 'callee')?.type === 'Identifier' ? this.#named(one.path, calleeOf(call)) : undefined;
        const handed = given.flatMap((argument) => this.#named(one.path, nameOf(argument)) ?? []);
        const called = direct && carrying.length > 0 ? [{ callee: direct, carrying }] : [];
        return [...called, ...handed.map((callee) => ({ callee, carrying: [0] }))];
      });
  }

  #named(path: string, name: string | undefined): FunctionOf | undefined {
    if (name === undefined) return undefined;
    const imported = this.#files.get(path)?.imports.find(({ names }) => names.has(name));
    return this.#byName.get(imported ? `${imported.from}#${imported.names.get(name)}` : `${path}#${name}`);
  }
}

/** The names in a function that carry the id: these parameters, and whatever is made from a name that carries it. */
function carriersIn(body: Node, positions: ReadonlySet<number>): ReadonlySet<string> {
  const parameters = nodesIn(body, 'params');
  const names = new Set([...positions].flatMap((position) => boundBy(parameters[position])));
  const nodes = [...walk(body)].map(([node]) => node);
  for (let before = -1; before !== names.size; ) {
    before = names.size;
    for (const name of nodes.flatMap((node) => madeFrom(node, names))) names.add(name);
  }
  return names;
}

function madeFrom(node: Node, names: ReadonlySet<string>): readonly string[] {
  const when = (source: Node | undefined, target: Node | undefined): readonly string[] =>
    mentions(source, names) ? boundBy(target) : [];
  switch (node.type) {
    case 'VariableDeclarator':
      return when(nodeIn(node, 'init'), nodeIn(node, 'id'));
    case 'AssignmentExpression':
      return when(nodeIn(node, 'right'), nodeIn(node, 'left'));
    case 'ForOfStatement':
      return nodesIn(nodeIn(node, 'left') ?? node, 'declarations').flatMap((one) =>
        when(nodeIn(node, 'right'), nodeIn(one, 'id')),
      );
    case 'CallExpression': {
      // `people.map((person) => …)`: the function is given what the list carries.
      const callee = nodeIn(node, 'callee');
      const list = callee?.type === 'MemberExpression' ? nodeIn(callee, 'object') : undefined;
      const given = nodesIn(node, 'arguments').filter(({ type }) => type === 'ArrowFunctionExpression');
      return given.flatMap((arrow) => when(list, nodesIn(arrow, 'params')[0]));
    }
    default:
      return [];
  }
}

/** `{ record, at: [first] }` → `record`, `first`. */
function boundBy(pattern: Node | undefined): readonly string[] {
  switch (pattern?.type) {
    case undefined:
      return [];
    case 'Identifier':
      return [nameOf(pattern) ?? ''];
    case 'AssignmentPattern':
      return boundBy(nodeIn(pattern, 'left'));
    case 'RestElement':
      return boundBy(nodeIn(pattern, 'argument'));
    case 'ArrayPattern':
      return nodesIn(pattern, 'elements').flatMap(boundBy);
    case 'ObjectPattern':
      return nodesIn(pattern, 'properties').flatMap((one) => boundBy(nodeIn(one, 'value') ?? one));
    default:
      return [];
  }
}

/** A type names nothing that runs, and a member of something else is only called alike. */
function mentions(node: Node | undefined, names: ReadonlySet<string>): boolean {
  if (!node || node.type.startsWith('TSType')) return false;
  if (node.type === 'Identifier') return names.has(nameOf(node) ?? '');
  if (node.type === 'MemberExpression' && node['computed'] !== true) return mentions(nodeIn(node, 'object'), names);
  if (node.type === 'Property' && node['computed'] !== true) return mentions(nodeIn(node, 'value'), names);
  return childrenOf(node).some((child) => mentions(child, names));
}
