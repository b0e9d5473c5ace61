/** What ./script/measure-house runs. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { houseOf, questions } from './house/questions.ts';
import { answer, render, rowsOfWalks } from './house/table.ts';
import { readTree } from './house/tree.ts';
import { type Walks, measureWalks } from './house/walks.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    where: { type: 'boolean', default: false },
    'no-walks': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(
    'script/measure-house [--json] [--where] [--no-walks]\n\n' +
      'How easy the code is to live in, in figures; docs/house.md says what they mean.\n' +
      '  --where     the places that each figure counts\n' +
      '  --json      the same for a program\n' +
      '  --no-walks  in seconds: without the two figures that start processes\n',
  );
  process.exit(0);
}

// What was started ends on the way out, so a signal has only to lead there.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

async function walked(): Promise<Walks | string> {
  if (values['no-walks']) return 'not asked for (--no-walks)';
  try {
    return await measureWalks(ROOT);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const walks = await walked();
const rows = [...rowsOfWalks(walks), ...answer(questions, houseOf(readTree(ROOT)))];
process.stdout.write(`${values.json ? JSON.stringify(rows, undefined, 2) : render(rows, values)}\n`);
const lost = rows.filter(({ today }) => today === null && !values['no-walks']);
process.exitCode = lost.length > 0 ? 1 : 0;
