/** Programs of examples/ in several languages. Missing languages are skipped, with the reason. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Language {
  readonly name: string;
  /** The command and its arguments before those of the program. */
  readonly command: readonly [string, ...string[]];
  /** Undefined: it can run here. */
  readonly missing?: string;
}

const works = (command: string, ...given: readonly string[]): boolean =>
  spawnSync(command, given, { stdio: 'ignore' }).status === 0;

/** `name: command`, unless the check fails. */
function language(name: string, command: Language['command'], missing: false | string): Language {
  return missing === false ? { name, command } : { name, command, missing };
}

const JDBC = ['/usr/share/java/postgresql.jar', '/usr/share/java/postgresql-jdbc4.jar'].find((jar) =>
  existsSync(jar),
);
const hasJava = (): boolean => works('javac', '-version') && works('java', '-version');
/** The one with the driver: another may be first in the path. */
const pythonWith = (module: string): string | undefined =>
  ['python3', '/usr/bin/python3'].find((python) => works(python, '-c', `import ${module}`));

export function languagesOfHttp(): readonly Language[] {
  const isMissing = !works('php', '--version') && 'php is not installed';
  return [
    language('PHP', ['php', 'examples/php/disburse.php'], isMissing),
    language('Python', ['python3', 'examples/python/disburse.py'], false),
  ];
}

export function languagesOfTransactions(folder = 'examples/transaction'): readonly Language[] {
  const python = pythonWith('psycopg');
  const psql = ['psql', '-v', 'ON_ERROR_STOP=1', '-qAt', '-f', `${folder}/enqueue.sql`] as const;
  const php = works('php', '-r', 'exit(extension_loaded("pdo_pgsql") ? 0 : 1);');
  const java = ['java', '-cp', JDBC ?? '', `${folder}/Enqueue.java`] as const;
  return [
    language('SQL', [...psql], !works('psql', '--version') && 'psql is not installed'),
    language('PHP', ['php', `${folder}/enqueue.php`], !php && 'php with pdo_pgsql is not installed'),
    language('Python', [python ?? '', `${folder}/enqueue.py`], python === undefined && 'psycopg is not installed'),
    language('Java', [...java], !(JDBC && hasJava()) && 'a JDK or the JDBC driver is not installed'),
    language('TypeScript', [process.execPath, `${folder}/enqueue.ts`], false),
  ];
}

export function languagesOfWebhooks(folder = 'examples/webhook'): readonly Language[] {
  const python = pythonWith('hmac');
  return [
    language('PHP', ['php', `${folder}/verify.php`], !works('php', '--version') && 'php is not installed'),
    language('Python', [python ?? '', `${folder}/verify.py`], python === undefined && 'python3 is not installed'),
    language('Java', ['java', `${folder}/Verify.java`], !hasJava() && 'a JDK is not installed'),
    language('TypeScript', [process.execPath, `${folder}/verify.ts`], false),
  ];
}

export interface Ran {
  readonly status: number | null;
  readonly said: string;
  readonly errors: string;
}

export async function runProgram(
  { command: [program, ...first] }: Language,
  given: readonly string[],
  { env = {}, input = '' }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string },
): Promise<Ran> {
  const child = spawn(program, [...first, ...given], { cwd: ROOT, env: { PATH: process.env['PATH'], ...env } });
  // A program may end before it reads all input.
  child.stdin.on('error', () => undefined).end(input);
  const [[status], said, errors] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { status: status as number | null, said: said.trim(), errors };
}
