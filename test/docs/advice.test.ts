/** Advice in pages, help and explanations works when an operator follows it literally. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REQUEST_TIME_MS } from '../../src/api/route.ts';
import { asDeclared, kinds } from '../../src/kinds/index.ts';
import { projectFiles, root } from '../tidy/scanner.ts';
import { join } from 'node:path';

interface Text {
  readonly path: string;
  readonly text: string;
}

const SPOKEN = /\.(md|ts|tsx|js|mjs|service|yml|yaml|sh|example|Dockerfile)$|Dockerfile$|^script\//;
const PAST = 'CHANGELOG.md';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const texts: readonly Text[] = projectFiles().filter(
  ({ path }) => SPOKEN.test(path) && path !== PAST && !path.startsWith('test/') && !path.includes('/generated/'),
);

/** Matches of this text, with their context. */
function saying(form: RegExp, among: readonly Text[] = texts): readonly string[] {
  return among.flatMap(({ path, text }) => [...text.matchAll(form)].map(([found]) => `${path}: ${found}`));
}

/** The registry has no package of this name, so an attacker could publish one. */
const BY_NAME =
  /\b(?:npm (?:install|i|add|exec)|npx|pnpm (?:add|dlx)|yarn (?:add|dlx))(?: -{1,2}[\w-]+(?:[= ][/.][^\s`]*)?)* relais(?![\w./-])/g;

test('no text advises installing relais by its name from a registry', () => {
  expect(saying(BY_NAME)).toEqual([]);
  const found = (text: string) => saying(BY_NAME, [{ path: 'x', text }]).length;
  expect(['npm install --prefix /opt/relais relais', 'npx relais dev', 'npm i relais'].map(found)).toEqual([1, 1, 1]);
  expect(['npm install ./relais-0.2.0.tgz', 'npm install ../relais/relais-0.2.0.tgz'].map(found)).toEqual([0, 0]);
});

test('the unit of systemd installs a tarball whose checksum was compared', () => {
  const unit = read('ops/systemd/relais@.service');
  expect(unit).toMatch(
    /sha256sum --check relais-\d+\.\d+\.\d+\.tgz\.sha256 && npm install .*\.\/relais-\d+\.\d+\.\d+\.tgz/,
  );
});

test('the page for reports of holes names a repository only if package.json does', () => {
  const { repository } = JSON.parse(read('package.json')) as { repository?: unknown };
  if (repository === undefined) expect(read('SECURITY.md')).not.toMatch(/in the repository/);
});

/** Approval of a batch requires its hash: `relais disburse approve ID` alone would be refused. */
const approvals = (text: string): readonly string[] =>
  [...text.matchAll(/relais disburse approve (\S+?)(?=[\s`).,;'"]|$)( --hash \S+)?/g)].flatMap(
    ([line, id = '', hash]) => (id.startsWith('dsb_') || hash !== undefined ? [] : [line]),
  );

test('a page that shows how to approve a batch includes its hash', () => {
  const pages = texts.filter(({ path }) => path.endsWith('.md'));
  expect(pages.flatMap(({ path, text }) => approvals(text).map((line) => `${path}: ${line}`))).toEqual([]);
  expect(approvals('`relais disburse approve ID`)')).toHaveLength(1);
  expect(approvals('relais disburse approve bat_… --hash 5f70 and relais disburse approve dsb_…')).toEqual([]);
});

test('a state that waits for an approval shows the whole command', () => {
  const advice = kinds.flatMap((kind) =>
    Object.values(asDeclared(kind).states).flatMap(({ next }) =>
      next?.includes(' approve ') ? [[kind, next] as const] : [],
    ),
  );
  expect(advice.map(([kind]) => kind)).toEqual(['disbursement', 'campaign', 'batch']);
  for (const [kind, next] of advice) expect(next.includes('--hash')).toBe(kind !== 'disbursement');
});

test('the pages name the listener’s maximum time of an upload', () => {
  const minutes = `${REQUEST_TIME_MS / 60_000} minutes`;
  for (const page of ['docs/campaign-files.md', 'docs/console-sessions.md']) expect(read(page)).toContain(minutes);
  expect(saying(/upload may take a day/g)).toEqual([]);
});
