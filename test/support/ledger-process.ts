/**
 * A separate process on a ledger: claims due operations, beats, and exits with code 3 after another one has taken
 * over.
 */
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Memory } from '../../src/ledger/lane.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Processes, processName } from '../../src/ledger/processes.ts';

const [url = '', schema = '', slot = '', account = ''] = process.argv.slice(2);
const say = (word: Readonly<Record<string, unknown>>): void => void process.stdout.write(`${JSON.stringify(word)}\n`);
const memory = new Memory();
const database = new Database({ url, schema, size: 2 });
const processes = new Processes({
  database,
  memory,
  clock: systemClock,
  name: processName(slot, systemRandom),
  deployment: url,
  slot,
  version: 'test',
  schemaVersion: 1,
  roles: ['worker'],
  onFenced: (why) => {
    say({ fenced: why });
    process.exitCode = 3;
    setImmediate(() => process.exit());
  },
  onRestored: async () => say({ restored: true }),
});
await processes.start();
await processes.noteCompared();
const operations = new Operations({
  database: { url, schema },
  process: processes.name,
  clock: systemClock,
  random: systemRandom,
  memory,
  lanes: 1,
});
const claimed = account === '' ? [] : await operations.claim('disbursement', [account], 10, 120_000);
// Its intent lane is open, so that the first intent after a thaw opens no new connection.
say({ process: processes.name, slot: processes.slot, claimed: claimed.map(({ id, lease }) => ({ id, lease })) });
for (const { id, lease } of claimed) {
  const kept = { id, lease, was: 'queued', state: 'queued', queue: 'disbursement', keepMs: 120_000, intends: true };
  await operations.change(kept);
}
say({ kept: true });
const tick = (): void => {
  void processes.beat().catch((error: unknown) => say({ error: String(error) }));
};
setInterval(tick, 200);
process.on('SIGUSR2', () => {
  for (const { id, lease } of claimed) {
    const intent = { id, lease, was: 'queued', state: 'submitting', queue: 'status-poll' };
    operations.change({ ...intent, keepMs: 60_000, sendMs: 30_000, intends: true }).then(
      (written) => say({ written }),
      (error: { reason?: string }) => say({ written: false, why: error.reason }),
    );
  }
});
