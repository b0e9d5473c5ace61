import { NOTHING } from './terminal.ts';
import { describe, expect, test } from 'vitest';
import { PassThrough, Writable } from 'node:stream';
import { NobodyListens } from '../../src/cli/failure.ts';
import type { CliIo } from '../../src/cli/io.ts';
import { Output, printable, wrapped } from '../../src/cli/output.ts';
import { systemClock } from '../../src/lib/clock.ts';

function outputTo(stdout: Writable, more: Partial<CliIo> = {}): Output {
  return new Output({
    env: {},
    stdout,
    stderr: new PassThrough(),
    stdin: new PassThrough(),
    isTerminal: false,
    columns: 80,
    clock: systemClock,
    signal: new AbortController().signal,
    services: NOTHING,
    ...more,
  });
}
const output = outputTo(new PassThrough());

test('a table is as wide as its longest cells, and nothing trails behind', () => {
  const items = [
    { id: 'a', state: 'queued', reason: null },
    { id: 'long-one', state: 'failed', reason: 'no funds' },
  ];
  expect(output.renderTable(['id', 'state', 'reason'], items)).toBe(
    ['id        state   reason', 'a         queued', 'long-one  failed  no funds', ''].join('\n'),
  );
});

test('facts that are not there are left out', () => {
  const rows = [
    ['id', 'x'],
    ['reason', null],
    ['reference', undefined],
    ['tries', 0],
  ] as const;
  expect(output.renderFacts(rows)).toBe('id     x\ntries  0\n');
});

describe('colour', () => {
  const red = '\u001b[31mfailed\u001b[0m';
  test.for([
    ['a terminal', { isTerminal: true }, red],
    ['a pipe', {}, 'failed'],
    ['a terminal with NO_COLOR', { isTerminal: true, env: { NO_COLOR: '1' } }, 'failed'],
    ['a terminal with an empty NO_COLOR', { isTerminal: true, env: { NO_COLOR: '' } }, red],
    ['a dumb terminal', { isTerminal: true, env: { TERM: 'dumb' } }, 'failed'],
  ] as const)('on %s', ([, io, expected]) => {
    expect(outputTo(new PassThrough(), io).state('failed', 'failed')).toBe(expected);
  });
});

test('no control character reaches a terminal but for colours, a cleared line and line breaks', async () => {
  const written: string[] = [];
  const sink = (): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        written.push(String(chunk));
        done();
      },
    });
  const terminal = outputTo(sink(), { isTerminal: true, stderr: sink(), stderrColumns: 80 });
  const foreign = 'a\u001b[2J\u001b]0;x\u0007b\u0008\u009b2Jc\rd\u007f';
  const shown = 'a�[2J�]0;x�b��2Jc�d�';
  await terminal.line(foreign);
  await terminal.prose(foreign);
  await terminal.note(foreign);
  await terminal.ask(foreign);
  expect(written).toEqual([`${shown}\n`, `${shown}\n`, `${shown}\n`, shown]);
  written.length = 0;
  const own = '\r\u001b[K\u001b[31mred\u001b[0m\ta\r\nb\n';
  await terminal.write(own);
  expect(written).toEqual([own]);
  written.length = 0;
  await terminal.json({ name: 'a\u001b\u009b2J\u202e' });
  expect(written).toEqual(['{\n  "name": "a\\u001b\\u009b2J\\u202e"\n}\n']);
});

test('control characters of untrusted text are shown, not executed', () => {
  expect(printable('a\u001b[31m\u202eb\nc')).toBe('a�[31m�b�c');
  expect(printable({ code: 5 })).toBe('{"code":5}');
});

test('a slow reader is waited for', async () => {
  let taken: (() => void) | undefined;
  const slow = new Writable({ write: (_chunk, _encoding, done) => (taken = done) && undefined });
  let written = false;
  const writing = outputTo(slow)
    .line('x')
    .then(() => (written = true));
  await Promise.resolve();
  expect(written).toBe(false);
  taken?.();
  await writing;
  expect(written).toBe(true);
});

function failing(code: string): Writable {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('no'), { code })) });
  return stream.on('error', () => {});
}

test('a closed output ends a read-only command', async () => {
  const said = outputTo(failing('EPIPE'));
  said.onlyReads();
  await expect(said.line('x')).rejects.toThrow(NobodyListens);
});

test('a reader that has gone ends nothing else, and is nothing wrong', async () => {
  const said = outputTo(failing('EPIPE'), { stderr: failing('EPIPE') });
  for (const text of ['x', 'y']) await said.line(text);
  await said.note('z');
  expect(said.unwritten).toBeUndefined();
});

test.for([
  ['a file', undefined, '✗ The request is not valid\n'],
  ['a terminal of its own width', 16, '\u001b[31m✗\u001b[0m The request is\n  not valid\n'],
] as const)('text to %s on stderr looks as on that device, whatever stdout is', async ([, stderrColumns, told]) => {
  const stderr = new PassThrough();
  const said = outputTo(new PassThrough(), { stderr, isTerminal: true, columns: 80, stderrColumns });
  await said.note(`${said.styled('red', '✗')} The request is not valid`);
  expect(String(stderr.read())).toBe(told);
});

test('a question that cannot be shown is not asked', async () => {
  const said = outputTo(new PassThrough(), { stderr: failing('EPIPE') });
  await expect(said.ask('Pay?')).rejects.toThrow('Nothing was done');
});

test('a full disk stops nothing, and is reported', async () => {
  const said = outputTo(failing('ENOSPC'));
  for (const text of ['x', 'y']) await said.line(text);
  expect(said.unwritten).toBe('ENOSPC');
});

describe('on a terminal', () => {
  test('a line that fits is as it was, and so is each of several', () =>
    expect(wrapped('one  two\n\nthree', 10)).toBe('one  two\n\nthree'));

  test('a sentence breaks between words, never within one', () =>
    expect(wrapped('The beneficiary was paid, once.', 20)).toBe('The beneficiary was\npaid, once.'));

  test('wrapped lines align with the text, not with the mark, the check or the time before it', () => {
    expect(wrapped('✗ The request is not valid', 16)).toBe('✗ The request is\n  not valid');
    expect(wrapped('✗ redis   is not there today', 22)).toBe('✗ redis   is not there\n          today');
    expect(wrapped('  12:00  asked: it says success', 24)).toBe('  12:00  asked: it says\n         success');
  });

  test('a command that may be pasted stays in one piece, however long it is', () => {
    expect(wrapped('See it: relais disburse show dsb_1', 20)).toBe('See it:\nrelais disburse show dsb_1');
    expect(wrapped('Or ask (`relais keys create`) now', 20)).toBe('Or ask\n(`relais keys create`)\nnow');
  });

  test('a colour takes no room', () =>
    expect(wrapped('\u001b[1mNext\u001b[0m  it goes on', 16)).toBe('\u001b[1mNext\u001b[0m  it goes on'));
});
