/** The programs of a measurement: separate processes, measured from outside, and all ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { bareEnvironment } from '../storm/plan.ts';

const READY_LIMIT_MS = 60_000;
const LOG_TAIL = 2_000;
const everyone = new Set<ChildProcess>();

/** Ends every process, even if the bench fails. */
export function endEveryone(): void {
  for (const child of everyone) child.kill('SIGKILL');
}

export interface Program {
  readonly pid: number;
  /** From its ready line. */
  readonly urls: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

interface ProgramPlan {
  readonly name: string;
  /** The arguments of `node`. */
  readonly args: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** The folder of its log. */
  readonly dir: string;
}

/** A program that prints one line of JSON when it is ready. */
export async function startProgram({ name, args, settings, dir }: ProgramPlan): Promise<Program> {
  const log = join(dir, `${name}.log`);
  const file = openSync(log, 'a');
  const child = spawn(process.execPath, [...args], {
    env: bareEnvironment(settings),
    stdio: ['ignore', 'pipe', file],
  });
  closeSync(file);
  const { pid } = enlist(child);
  const output = child.stdout as Readable;
  const urls = await new Promise<Record<string, string>>((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new Error(`${name} ${why}:\n${readFileSync(log, 'utf8').slice(-LOG_TAIL)}`));
    const timer = setTimeout(() => fail('was not ready in time'), READY_LIMIT_MS);
    child.once('exit', (code) => fail(`ended with ${code}`));
    createInterface({ input: output }).once('line', (line) => {
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve(JSON.parse(line) as Record<string, string>);
    });
  });
  return { pid, urls, stop: () => end(child) };
}

/** One of our programs that receives commands in sequence. */
export interface Hand {
  readonly pid: number;
  do<T>(order: string, args: object): Promise<T>;
  stop(): Promise<void>;
}

type Reply = { readonly ready: true } | { readonly result: unknown } | { readonly failed: string };

/** Its clock runs in its own process, so that this process does not distort the measurement. */
export async function startHand(name: string, dir: string): Promise<Hand> {
  const file = openSync(join(dir, `${name}.log`), 'a');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'hand.ts')], {
    env: bareEnvironment({}),
    stdio: ['ignore', file, file, 'ipc'],
  });
  closeSync(file);
  const { pid } = enlist(child);
  const reply = (): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const ended = (code: number | null): void => reject(new Error(`${name} ended with ${code}`));
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        resolve(message as Reply);
      });
    });
  await reply();
  return {
    pid,
    do: async <T>(order: string, args: object): Promise<T> => {
      const answer = reply();
      child.send({ order, args });
      const said = await answer;
      if ('failed' in said) throw new Error(`${name}: ${order}: ${said.failed}`);
      return ('result' in said ? said.result : undefined) as T;
    },
    stop: () => end(child),
  };
}

/** It ends with the measurement. */
function enlist(child: ChildProcess): { pid: number } {
  const { pid } = child;
  if (pid === undefined) throw new Error('a program could not be started');
  everyone.add(child);
  child.once('close', () => everyone.delete(child));
  return { pid };
}

const STOP_LIMIT_MS = 10_000;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await gone;
  clearTimeout(timer);
}
