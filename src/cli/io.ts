import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { Language } from '../messages/languages.ts';

/** `-` by convention; the others are its names in Linux. Its content can be read only a single time. */
export function isStandardInput(path: string | undefined): boolean {
  return path !== undefined && ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'].includes(path);
}

/** 0 success, 1 refused or failed, 2 wrong usage. */
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
  /** Delay of every answer of the sandbox. */
  readonly latencyMs?: number;
  /** Replays the random choices of the faults. */
  readonly seed?: number;
  /** A file that stores its records across restarts. */
  readonly books?: string;
}

interface DoctorCommand {
  readonly roles: readonly Role[];
  readonly language: Language;
  /** One JSON object instead of one line per check. */
  readonly json: boolean;
}

interface NewStampCommand {
  /** Called with the settings whose address differs; false: change nothing. */
  readonly confirmed: (settings: readonly string[]) => Promise<boolean>;
  /** Printed if none differs. */
  readonly nothingDiffers: string;
}

export interface MigrateCommand {
  /** Lists what is missing, and changes nothing. */
  readonly dryRun: boolean;
  /** Also creates the roles of the schema; with `dryRun`, only prints their script. */
  readonly roles: boolean;
  /** One JSON object instead of lines. */
  readonly json: boolean;
  readonly words: Readonly<Record<'missing' | 'applied' | 'upToDate' | 'roles', (name: string) => string>>;
}

/** Commands that are long-running processes. They are passed in, and stop when the signal fires. */
export interface Services {
  readonly run: (options: RunOptions) => Promise<number>;
  readonly dev: () => Promise<number>;
  readonly migrate: (command: MigrateCommand) => Promise<number>;
  readonly sandbox: (options: SandboxCommand) => Promise<number>;
  readonly doctor: (options: DoctorCommand) => Promise<number>;
  readonly newStamp: (options: NewStampCommand) => Promise<number>;
}

/** A command's access to the outside. */
export interface CliIo {
  /** RELAIS_URL, RELAIS_API_KEY and NO_COLOR are read here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly stdin: Readable;
  /** Whether stdout is a terminal: bars, colours and questions are only for terminals. */
  readonly isTerminal: boolean;
  /** Width of the terminal in characters; elsewhere a width for help texts. */
  readonly columns: number;
  /** Width of the terminal of stderr; absent for a file or a pipe, which have neither width nor colours. */
  readonly stderrColumns?: number | undefined;
  readonly clock: Clock;
  /** Fires on Ctrl-C: a command that follows something stops. */
  readonly signal: AbortSignal;
  readonly services: Services;
}
