import type { Command } from 'commander';
import { eventTypes } from '../kinds/index.ts';
import { messagesOf } from '../lib/server-sent.ts';
import { CommandFailed } from './failure.ts';
import { atLeastOne, listOf, withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { patient } from './patience.ts';
import { Refused } from './refusal.ts';
import type { Shell } from './shell.ts';

interface EventFlags {
  readonly follow?: true;
  readonly after?: string;
  readonly types?: readonly string[];
  readonly limit?: number;
}

const PAGE = 500;
const AGAIN_MS = 1_000;
/** Shown instead of the oldest event. */
const NONE_KEPT = '–';

export function addEventsCommand(command: Command, shell: Shell): void {
  command
    .option('--follow', 'continue with new events')
    .option('--after <cursor>', 'resume after this cursor; the command prints it when it ends')
    .option('--types <types>', `only events of these types, of ${eventTypes.join(',')}`, listOf(eventTypes))
    .option('--limit <count>', 'maximum number of results', atLeastOne)
    .option('--json', 'no effect: events are always JSON lines')
    .action(shell.action((flags: EventFlags) => print(flags, shell)));
  withExample(command, 'relais events --follow --types disbursement.succeeded,disbursement.failed');
}

async function print(flags: EventFlags, shell: Shell): Promise<ExitCode> {
  const reader = new EventReader(flags, shell);
  shell.output.onlyReads();
  try {
    await reader.readOn();
  } catch (error) {
    // Ctrl-C is the normal end of following.
    if (!flags.follow || !shell.io.signal.aborted) throw error;
  } finally {
    const types = flags.types ? ` --types ${flags.types.join(',')}` : '';
    if (reader.cursor !== flags.after)
      await shell.output.note(shell.words.commands.next(`relais events --after ${reader.cursor}${types}`));
  }
  return 0;
}

class EventReader {
  /** The position after the last printed event, so that an interruption loses nothing. */
  cursor: string | undefined;
  readonly #flags: EventFlags;
  readonly #shell: Shell;
  #left: number;

  constructor(flags: EventFlags, shell: Shell) {
    this.cursor = flags.after;
    this.#flags = flags;
    this.#shell = shell;
    this.#left = flags.limit ?? Number.POSITIVE_INFINITY;
  }

  async readOn(): Promise<void> {
    const { clock, signal } = this.#shell.io;
    const { follow } = this.#flags;
    const read = follow ? patient(this.#shell, () => this.#page()) : () => this.#page();
    while (this.#left > 0) {
      const { events, next } = await read();
      // An empty page can advance the cursor: events of other types were skipped.
      const nothingNew = next === this.cursor;
      await this.#print(events.map((one) => JSON.stringify(one)));
      this.cursor = next;
      if (nothingNew && !follow) return;
      if (nothingNew) break;
    }
    const stream = patient(this.#shell, () => this.#followOn(), 'worked-before');
    while (this.#left > 0) {
      await stream();
      // The server ended the stream cleanly, for example at its stop: another process may be available shortly.
      if (this.#left > 0) await clock.sleep(AGAIN_MS, signal);
    }
  }

  async #print(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.#shell.output.write(lines.map((line) => `${line}\n`).join(''));
    this.#left -= lines.length;
  }

  /** Prints events as they arrive, until the limit or until the server disconnects. */
  async #followOn(): Promise<void> {
    const types = this.#flags.types?.join(',');
    const headers = { accept: 'text/event-stream', 'last-event-id': this.cursor ?? '' };
    try {
      for await (const { id, data } of messagesOf(this.#shell.api.read('/v1/stream', { types }, headers))) {
        if (data !== undefined) await this.#print([data]);
        this.cursor = id ?? this.cursor;
        if (this.#left <= 0) return;
      }
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async #page(): Promise<{ readonly events: readonly unknown[]; readonly next: string }> {
    const query = { after: this.cursor, limit: Math.min(this.#left, PAGE), types: this.#flags.types?.join(',') };
    try {
      const { body } = await this.#shell.api.get('/v1/events', query);
      return { events: Array.isArray(body['events']) ? body['events'] : [], next: String(body['next']) };
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): unknown {
    if (!(error instanceof Refused) || error.status !== 410) return error;
    const { events } = this.#shell.words.commands;
    const cursor = String(this.cursor);
    if (String(error.problem.type).endsWith('/ahead-of-the-stream')) {
      return new CommandFailed(events.ahead(cursor), { next: events.aheadNext, cause: error });
    }
    const { oldest } = error.problem;
    return new CommandFailed(events.forgotten(cursor), {
      next: events.forgottenNext(typeof oldest === 'string' ? oldest : NONE_KEPT),
      cause: error,
    });
  }
}
