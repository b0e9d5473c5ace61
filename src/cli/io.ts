import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { Language } from '../messages/languages.ts';

/** `-` by convention; the others are its names in Linux. What is read from it cannot be read again. */
export function isStandardInput(path: string | undefined): boolean {
  return path !== undefined && ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'].includes(path);
}

/** 0 done, 1 refused or failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2;

export const roles = ['worker', 'webhooks', 'api'] as const;
export type Role = (typeof roles)[number];

export interface RunOptions {
  readonly roles: readonly Role[];
  /** Names of queues; absent: all of them. */
  readonly queues?: readonly string[];
}

export interface SandboxCommand {
  readonly faults: readonly { readonly fault: string; readonly operation?: string; readonly probability: number }[];
  /** Every answer of the sandbox waits this long. */
  readonly latencyMs?: number;
  /** Replays the choices of the faults. */
  readonly seed?: number;
  /** A file that knows what it did, also after it is started again. */
  readonly books?: string;
}

interface DoctorCommand {
  readonly roles: readonly Role[];
  readonly language: Language;
  /** One JSON object instead of one line per check. */
  readonly json: boolean;
}

interface NewStampCommand {
  /** Called with the settings whose address differs; false: leave it. */
  readonly confirmed: (settings: readonly string[]) => Promise<boolean>;
  /** Said where none does. */
  readonly nothingDiffers: string;
}

export interface MigrateCommand {
  /** Names what is missing, and changes nothing. */
  readonly dryRun: boolean;
  /** Creates the roles of the schema too; with `dryRun`, prints their script alone. */
  readonly roles: boolean;
  /** One JSON object instead of lines. */
  readonly json: boolean;
  readonly words: Readonly<Record<'missing' | 'applied' | 'upToDate' | 'roles', (name: string) => string>>;
}

/** The commands that are a process of their own. They are handed in, and stop when the signal fires. */
export interface Services {
  readonly run: (options: RunOptions) => Promise<number>;
  readonly dev: () => Promise<number>;
  readonly migrate: (command: MigrateCommand) => Promise<number>;
  readonly sandbox: (options: SandboxCommand) => Promise<number>;
  readonly doctor: (options: DoctorCommand) => Promise<number>;
  readonly newStamp: (options: NewStampCommand) => Promise<number>;
}

/** The world as a command sees it. */
export interface CliIo {
  /** RELAIS_URL, RELAIS_API_KEY and NO_COLOR are read here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly stdin: Readable;
  /** Whether a person sits in front of stdout: bars, colours and questions are for them alone. */
  readonly isTerminal: boolean;
  /** Width of the terminal in characters; anywhere else a width for the help texts. */
  readonly columns: number;
  /** Of the terminal behind stderr; absent where it goes to a file or a pipe, which have neither width nor colours. */
  readonly stderrColumns?: number | undefined;
  readonly clock: Clock;
  /** Fires on Ctrl-C: a command that follows something stops following. */
  readonly signal: AbortSignal;
  readonly services: Services;
}
