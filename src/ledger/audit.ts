/** The audit log for readers: one line for each act that changes something, newest first. */
import { type Act, noteAct } from './acts.ts';
import type { Database } from './pool.ts';

interface Line {
  readonly sequence: string;
  readonly at: Date;
  readonly by: string;
  readonly person: string | null;
  readonly role: string | null;
  readonly source: string;
  readonly act: string;
  readonly target: string | null;
  readonly request_id: string | null;
  readonly before: object | null;
  readonly facts: object;
  readonly mac: Buffer | null;
}

/** One line for readers: every value is a text, empty if the line has none. */
export interface AuditLine {
  readonly id: string;
  readonly words: Readonly<
    Record<
      'at' | 'by' | 'person' | 'role' | 'source' | 'requestId' | 'act' | 'target' | 'before' | 'after' | 'hash',
      string
    >
  >;
}

export interface AuditPage {
  /** The id of the last line of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
  readonly person?: string | undefined;
  readonly act?: string | undefined;
  readonly target?: string | undefined;
  /** From this time (inclusive) to that one (exclusive): a day in a time zone. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export class Audit {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** For an act that changes nothing in the ledger: the line is written afterwards. */
  async tell(act: Act): Promise<void> {
    await noteAct(this.#database.run, act);
  }

  /** Newest first. */
  async page({ before, limit, person, act, target, from, to }: AuditPage): Promise<AuditLine[]> {
    const values = [before?.split('-')[1], person, act, target, from, to, limit];
    return (await this.#database.run<Line>('audit_lines', values)).map(readLine);
  }

  /** The newest line; its hash is empty until it is signed. */
  async last(): Promise<{ readonly id: string; readonly hash: string } | undefined> {
    const [line] = await this.#database.run<Pick<Line, 'sequence' | 'at' | 'mac'>>('newest_line');
    return line && { id: idOf(line), hash: line.mac?.toString('hex') ?? '' };
  }
}

const idOf = ({ at, sequence }: Pick<Line, 'at' | 'sequence'>): string => `${at.getTime()}-${sequence}`;

function readLine(line: Line): AuditLine {
  const { at, by, person, role, source, act, target, before, facts, mac } = line;
  return {
    id: idOf(line),
    words: {
      at: String(at.getTime()),
      by,
      person: person ?? '',
      role: role ?? '',
      source,
      requestId: line.request_id ?? '',
      act,
      target: target ?? '',
      before: before === null ? '' : JSON.stringify(before),
      after: Object.keys(facts).length === 0 ? '' : JSON.stringify(facts),
      hash: mac?.toString('hex') ?? '',
    },
  };
}
