/** Listens to everything a Redis is asked, and tells whose it was. For a server that nobody else uses. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import * as scripts from '../../src/operations/scripts/generated/scripts.ts';

export interface Heard {
  /** Commands of the connections that hold our records, but for wake-ups: each is one round trip. */
  readonly ours: number;
  /** What was carried out for them, inside scripts too. */
  readonly commands: number;
  /** What was carried out by the two scripts of wake-ups. How many operations share a wake-up is a matter of time. */
  readonly wakeUpCommands: number;
  /** Scripts that BullMQ asked for. How often it finds nothing to fetch is a matter of time, so leave it some room. */
  readonly queueScripts: number;
  /** Everything heard, most frequent first, for the message of a test that fails. */
  table(): string;
}

interface Ear {
  stop(): Promise<Heard>;
}

interface Line {
  readonly words: readonly string[];
  readonly from: string;
}

/** What a process asks now and then, whatever it is doing. */
const HOUSEKEEPING = /^(info|config|client|ping|wait|monitor|bzpopmin|echo)$/i;
const HOUSEKEEPING_KEYS = /:events:dispatch$|:endpoints$|:rate:|:audit$|:audit:(?:last|seals)$|:api-keys$/;
/** The first key of the scripts with which a process says, each second, that it is at work, and seals the audit. */
const HEARTBEAT = /:heartbeat$|:audit:seals$|:workers$/;
/** The scripts that find what is due, and take it. */
const WAKE_UP: ReadonlySet<string> = new Set(['take', 'acquire']);

/** `OURS` is the name that the connection for records gives itself. */
const OURS = 'relais';

export async function listen(port: number): Promise<Ear> {
  const observer = new Redis({ host: '127.0.0.1', port, connectionName: 'observer' });
  const names = await namesOf(observer);
  const lines: Line[] = [];
  const mark = `end-${port}`;
  let ended = (): void => undefined;
  const heardAll = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const monitor = await monitored(port, (line) => {
    if (line.words[1] === mark) ended();
    lines.push(line);
  });
  return {
    stop: async () => {
      // Commands are heard in their order, so with this one all before it have been heard.
      await observer.echo(mark);
      await heardAll;
      monitor.destroy();
      observer.disconnect();
      return sum(lines, names);
    },
  };
}

/** Of a line of MONITOR: when, and of which database, then the words, each in quotes. */
const LINE = /^\+[\d.]+ \[\d+ (\S+)\] "(.*)"$/;

/**
 * By a socket of its own: lines that come together with the answer to MONITOR are replies to nothing for ioredis, and
 * it throws them.
 */
async function monitored(port: number, hear: (line: Line) => void): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const said = createInterface({ input: socket });
  const began = once(said, 'line');
  said.on('line', (text) => {
    const [, from, words] = LINE.exec(text) ?? [];
    if (from !== undefined && words !== undefined) hear({ from, words: words.split('" "') });
  });
  socket.write('MONITOR\r\n');
  const [answer] = await began;
  if (answer !== '+OK') throw new Error(`Redis answered ${answer} to MONITOR`);
  return socket;
}

async function namesOf(redis: Redis): Promise<ReadonlyMap<string, string>> {
  const clients = String(await redis.client('LIST')).split('\n');
  const fields = clients.map((line) => [/\baddr=(\S+)/.exec(line)?.[1], /\bname=(\S*)/.exec(line)?.[1]] as const);
  return new Map(fields.flatMap(([address, name]) => (address ? [[address, name ?? '']] : [])));
}

function sum(lines: readonly Line[], names: ReadonlyMap<string, string>): Heard {
  const asked = lines.filter(({ words, from }) => from === 'lua' || !isHousekeeping(words));
  let asker = '';
  let wakesUp = false;
  // What a script does is heard right after it.
  const owned = asked.map(({ words, from }) => {
    if (from !== 'lua') {
      asker = isBeat(words) ? 'heartbeat' : (names.get(from) ?? 'observer');
      wakesUp = isScript(words) && WAKE_UP.has(nameOf(words[1] ?? ''));
    }
    return { words, from, asker, wakesUp };
  });
  const ours = owned.filter((line) => line.asker === OURS);
  const wakeUps = ours.filter((line) => line.wakesUp);
  const isTrip = ({ from }: Line): boolean => from !== 'lua';
  const theirs = owned.filter(
    (line) =>
      line.from !== 'lua' &&
      line.asker !== OURS &&
      line.asker !== 'observer' &&
      line.asker !== 'heartbeat' &&
      isScript(line.words),
  );
  return {
    ours: ours.filter(isTrip).length - wakeUps.filter(isTrip).length,
    commands: ours.length - wakeUps.length,
    wakeUpCommands: wakeUps.length,
    queueScripts: theirs.length,
    table: () =>
      [...frequencies(ours.filter(isTrip), 'ours'), ...frequencies(theirs, 'BullMQ'), ...withinScripts(ours)].join(
        '\n',
      ),
  };
}

function isHousekeeping([name = '', first = '']: readonly string[]): boolean {
  return HOUSEKEEPING.test(name) || HOUSEKEEPING_KEYS.test(first);
}

const isBeat = (words: readonly string[]): boolean => isScript(words) && HEARTBEAT.test(words[3] ?? '');
const isScript = (words: readonly string[]): boolean => /^eval/i.test(words[0] ?? '');

const names: ReadonlyMap<string, string> = new Map(
  Object.values(scripts).flatMap((one) => (typeof one === 'function' ? [] : [[one.sha, one.name] as const])),
);
const nameOf = (sha: string): string => names.get(sha) ?? sha.slice(0, 8);
/** Records of one kind are told together. */
const withoutId = (key: string): string => key.replace(/(:[a-z]{3}_)\w+/, '$1…');

/** What each of our scripts has Redis carry out, so that a dearer one is seen by its name. */
function withinScripts(ours: readonly Line[]): string[] {
  let script = '';
  const within: Line[] = [];
  for (const { words, from } of ours) {
    const [name = '', first = '', ...more] = words;
    if (from !== 'lua') script = isScript(words) ? nameOf(first) : '';
    else within.push({ words: [`${script}: ${name}`, withoutId(first), ...more], from });
  }
  return frequencies(within, 'in script');
}

function frequencies(lines: readonly Line[], whose: string): string[] {
  const counts = new Map<string, number>();
  for (const { words } of lines) {
    const [name = '', first = ''] = words;
    const what = isScript(words) ? `script ${nameOf(first)}` : `${name} ${first.split(':').slice(1, 3).join(':')}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  return sorted.map(([what, count]) => `${whose} ${count} × ${what}`);
}
