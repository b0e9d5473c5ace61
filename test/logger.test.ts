/** Lines of a process as they arrive at its stderr. */
import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/**
 * Runs these lines in a process with a logger, and reads its messages; the process may wait for the end of its stdin.
 */
function logging(lines: string, how: object = { level: 'info' }) {
  const path = new URL('../src/logger.ts', import.meta.url).href;
  const script = `import(${JSON.stringify(path)}).then(({ createLogger, hearConsole }) => { const logger = createLogger(${JSON.stringify(how)}); ${lines} });`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'ignore', 'pipe'] });
  children.push(child);
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => (text += more));
  const messages = (): string[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
  return {
    child,
    messages,
    written: () => text,
    ended: new Promise<void>((resolve) => child.once('close', () => resolve())),
  };
}

test('lines come together each second, and the last of them at the end', async () => {
  const { child, messages, ended } = logging(
    `logger.info('one'); logger.info('two'); process.stdin.resume().once('end', () => { logger.info('three'); process.exit(0); });`,
  );
  await expect.poll(messages).toEqual(['one', 'two']);
  child.stdin.end();
  await ended;
  expect(messages()).toEqual(['one', 'two', 'three']);
});

test('a warning is written at once, with all earlier lines', async () => {
  const { messages } = logging(`logger.info('one'); logger.warn('two'); setInterval(() => undefined, 1000);`);
  await expect.poll(messages).toEqual(['one', 'two']);
});

test('a process that throws has written all its lines', async () => {
  const { messages, ended } = logging(
    `logger.info('one'); process.on('uncaughtException', () => process.exit(1)); throw new Error('x');`,
  );
  await ended;
  expect(messages()).toEqual(['one']);
});

test('a process with many loggers writes all lines, without a leak warning', async () => {
  const { messages, ended } = logging(
    `for (let at = 0; at < 12; at += 1) createLogger({ level: 'info' }).info(String(at)); logger.info('last');`,
  );
  await ended;
  expect(messages().toSorted()).toEqual([...Array.from({ length: 12 }, (_, at) => String(at)), 'last'].toSorted());
});

test('a library’s console output is a log line', async () => {
  const { messages } = logging(`hearConsole(logger); console.warn('[WARN] %s', 'by a client');`);
  await expect.poll(messages).toEqual(['[WARN] by a client']);
});

test('a readable line has words, and hides the same fields', async () => {
  const said = `logger.warn({ account: 'main', token: 'abc', err: new Error('x') }, 'to +221771234567'); process.exit(0);`;
  const { written, ended } = logging(said, { level: 'info', format: 'pretty' });
  await ended;
  expect(written()).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: to \+22177•••4567 .*main/);
  expect(written()).not.toContain('abc');
  expect(written()).not.toContain('1234567');
  expect(
    written()
      .split('\n')
      .filter((line) => line.startsWith('{"level"')),
  ).toEqual([]);
});
