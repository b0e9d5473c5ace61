/** A replica is promoted behind its primary, and the process that knew of what is lost is killed in the same moment. */
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type MarkFiles, Witness } from '../../src/app/witness.ts';
import { asked, intended, type Process, processesOfThisFile } from './heartbeat-world.ts';

const { aProcess, copy } = processesOfThisFile();

describe('a loss of which only a process knew that was killed', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'relais-marks-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function marksOf(one: Process, tag: string): MarkFiles {
    const witness = new Witness({ path: join(folder, 'witness'), place: 'here', tag });
    const marks = witness.marks((error) => {
      throw error;
    });
    one.heartbeat.writeDownIn(marks);
    return marks;
  }

  test('is noticed by one beside it that was idle, before anything leaves it', async () => {
    const [dead, idle] = [aProcess(), aProcess()];
    for (const [name, one] of Object.entries({ dead, idle })) marksOf(one, name);
    for (const one of [dead, idle]) await one.begin();
    await dead.operations.accept(asked('early'));
    for (const one of [dead, idle]) await one.beat();
    const putBack = await copy();
    expect(await intended(dead, 'early')).toBe('applied');
    await putBack();
    idle.heartbeat.learn();
    expect(await intended(idle, 'early')).toBe('recovering');
  });

  test('is noticed by its successor, though the witness was written before', async () => {
    const dead = aProcess();
    marksOf(dead, 'dead');
    await dead.begin();
    await dead.operations.accept(asked('early'));
    await dead.beat();
    const witness = dead.heartbeat.known();
    const putBack = await copy();
    expect(await intended(dead, 'early')).toBe('applied');
    await putBack();
    const next = aProcess();
    marksOf(next, 'next');
    expect(await next.begin(witness)).toBe('witness');
  });

  test('is noticed by one that begins while it happens', async () => {
    const dead = aProcess();
    const marks = marksOf(dead, 'dead');
    await dead.begin();
    await dead.operations.accept(asked('early'));
    await dead.beat();
    const next = aProcess(async () => {
      // Its own first beat is answered, and not yet taken in.
      const { epoch, counter } = dead.heartbeat.known();
      marks.keep(epoch, counter + 1_000);
      return true;
    });
    marksOf(next, 'next');
    await next.begin(dead.heartbeat.known());
    expect(await intended(next, 'early')).toBe('recovering');
  });

  test('leaves no file behind where it ended in good order, or was heard long ago', async () => {
    const [well, dead] = [aProcess(), aProcess()];
    const [closed, kept] = [marksOf(well, 'well'), marksOf(dead, 'dead')];
    closed.keep('epoch', 3);
    kept.keep('epoch', 4);
    expect(kept.highest('epoch')).toBe(4);
    expect(kept.highest('another')).toBe(0);
    closed.close();
    expect(readdirSync(folder)).toEqual(['witness.mark.dead']);
    kept.forgetDead(Date.now());
    expect(readdirSync(folder)).toEqual(['witness.mark.dead']);
    utimesSync(join(folder, 'witness.mark.dead'), 0, 0);
    kept.forgetDead(Date.now());
    expect(readdirSync(folder)).toEqual([]);
  });
});
