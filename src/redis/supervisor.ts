import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Where its log goes. Removed when the server has ended, unless `keep`. */
  readonly dir: string;
  readonly keep: boolean;
}

export interface SupervisedServer {
  /** Of the server, not of the shell that minds it. Rejects when the shell could not start. */
  readonly pid: Promise<number>;
  /** Resolves, with the last lines of its log, when the server has ended and its folder is gone. */
  readonly ended: Promise<string>;
  /** Asks the server to end and waits; one that does not listen is killed after ten seconds. */
  stop(): Promise<void>;
  /** From here on the server does not keep this process alive. */
  release(): void;
}

/**
 * Starts the server, tells its pid, and ends it when stdin closes: that is when the parent asks, exits, or is killed
 * without a chance to say so. `$1` is the folder, `$2` says whether to keep it, the rest is the server and its
 * arguments. The watcher reads a copy of stdin, because a shell gives its background jobs an empty one. The last lines
 * of the log are told after the folder is removed, since a parent that is gone ends the shell at its first word.
 */
const SUPERVISOR = `
dir=$1; keep=$2; shift 2
exec 3<&0
"$@" </dev/null >>"$dir/redis.log" 2>&1 3<&- &
server=$!
(
  while read -r _; do :; done
  kill -TERM "$server"
  for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "$server" || exit 0; done
  kill -KILL "$server"
) <&3 >/dev/null 2>&1 &
watcher=$!
exec 3<&-
echo "$server"
wait "$server"; status=$?
kill "$watcher" 2>/dev/null
last=$(tail -n 5 "$dir/redis.log" 2>/dev/null)
[ "$keep" = keep ] || rm -rf -- "$dir"
printf '%s\\nended with status %s\\n' "$last" "$status"
`;

/**
 * Runs a server that ends with this process, however that ends. It has a session of its own, so that Ctrl-C in the
 * terminal reaches us and not the server: what we still have to write down, we can.
 */
export function supervise(command: ServerCommand): SupervisedServer {
  mkdirSync(command.dir, { recursive: true });
  const shell = spawn(
    '/bin/sh',
    [
      '-c',
      SUPERVISOR,
      'relais-redis',
      command.dir,
      command.keep ? 'keep' : 'remove',
      command.program,
      ...command.args,
    ],
    { detached: true, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  // Asking a shell that has ended already is harmless; `ended` tells the rest.
  shell.stdin.on('error', () => undefined);
  const lines = createInterface({ input: shell.stdout });
  const ended = endOf(shell, lines);
  return {
    pid: pidFrom(shell, lines),
    ended,
    stop: async () => {
      shell.ref();
      shell.stdin.end();
      await ended;
    },
    release: () => {
      shell.unref();
      for (const pipe of [shell.stdin, shell.stdout]) if (pipe instanceof Socket) pipe.unref();
    },
  };
}

function pidFrom(shell: ChildProcess, lines: NodeJS.EventEmitter): Promise<number> {
  return new Promise((resolve, reject) => {
    lines.once('line', (line: string) => resolve(Number(line)));
    shell.once('error', reject);
  });
}

function endOf(shell: ChildProcess, lines: NodeJS.EventEmitter): Promise<string> {
  const told: string[] = [];
  lines.on('line', (line: string) => told.push(line));
  return new Promise((resolve) => {
    shell.once('close', () => resolve(told.slice(1).join('\n').trim()));
  });
}
