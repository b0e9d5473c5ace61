/**
 * Guards that can be taken out of the build, one at a time, for a storm that has to miss them: those of campaigns that
 * stand in scripts and between them, where the simulation does not go, or goes with a model of the script.
 */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Patch {
  /** Below `src` as it is written, and below `dist` as it is built. */
  readonly file: string;
  /** Stands there once, word for word the same in both. */
  readonly stands: string;
  readonly becomes: string;
}

interface Mutant {
  /** What is no longer so. */
  readonly says: string;
  readonly patches: readonly Patch[];
}

const scripts = 'operations/scripts/generated/scripts';
const STEPPED = "if state ~= from or leased ~= lease or whole(numbers, 0, 'n') ~= next then";
const COMPARED = 'if read[known + i] ~= request.read then';
const FOLLOWED = 'if last_op ~= follows then';
const NUMBERED = "{'op', op .. ' ' .. leave, 'n', next + #opened + leave,";

export const mutants = {
  'slice-lease': {
    says: 'a step of a slice is made by whoever has read it, lease or not',
    patches: [{ file: scripts, stands: STEPPED, becomes: STEPPED.replace(' leased ~= lease or', '') }],
  },
  'slice-compare': {
    says: 'a step changes a request that has changed since it was read',
    patches: [{ file: scripts, stands: COMPARED, becomes: 'if false then' }],
  },
  'slice-numbers': {
    says: 'a request may take a number that another one has had',
    patches: [
      { file: scripts, stands: STEPPED, becomes: 'if state ~= from or leased ~= lease then' },
      { file: scripts, stands: NUMBERED, becomes: NUMBERED.replace('next + #opened + leave', 'next') },
    ],
  },
  'slice-step': {
    says: 'a step of a slice changes whatever it finds: no lease, no comparison, no number, no order',
    patches: [
      { file: scripts, stands: STEPPED, becomes: 'if state ~= from then' },
      { file: scripts, stands: FOLLOWED, becomes: 'if false then' },
      { file: scripts, stands: COMPARED, becomes: 'if false then' },
    ],
  },
  'slice-reread': {
    says: 'what is about to leave is not read again behind the fence',
    patches: [
      {
        file: 'processors/text/held-slice',
        stands:
          'const kept = await this.#untilAnswered(() => this.#context.slices.kept(this.record.id, this.lease, step.op));',
        becomes: 'const kept = true;',
      },
    ],
  },
  'slice-deadline': {
    says: 'nobody asks for the lease, or for the end of a message, right before it is sent',
    patches: [
      {
        file: 'processors/text/sending',
        stands: 'const sendBy = this.#held.sendBy(placesOf(request));',
        becomes: 'const sendBy = undefined;',
      },
    ],
  },
} as const satisfies Readonly<Record<string, Mutant>>;

export type MutantName = keyof typeof mutants;
export const mutantNames = Object.keys(mutants) as MutantName[];

/** Throws a RangeError that names what there is. */
export function readMutant(text: string): MutantName {
  const name = mutantNames.find((one) => one === text);
  if (name === undefined) throw new RangeError(`--without must be one of ${mutantNames.join(', ')}; not ${text}`);
  return name;
}

/** Throws where it does not stand there exactly once: then the mutant is of another program. */
export function patched(text: string, { file, stands, becomes }: Patch): string {
  const times = text.split(stands).length - 1;
  if (times !== 1) throw new Error(`${file} has it ${times} times: ${stands}`);
  return text.replace(stands, () => becomes);
}

const root = join(import.meta.dirname, '../..');

/** A build without that guard, in a folder of its own; resolves with its program. */
export function buildWithout(name: MutantName, dir: string): string {
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(dir, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  for (const patch of mutants[name].patches) {
    const path = join(dir, 'dist', `${patch.file}.js`);
    writeFileSync(path, patched(readFileSync(path, 'utf8'), patch));
  }
  return join(dir, 'bin/relais.js');
}
