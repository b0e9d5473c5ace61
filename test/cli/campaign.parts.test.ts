import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { apiThat, type Reply } from './api-double.ts';
import { relais } from './terminal.ts';

const ID = 'cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d';
const FILE = 'examples/recipients.csv';
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'relais-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const bins = {
  total: 110,
  queued: 100,
  held: 0,
  sending: 0,
  sent: 0,
  failed: 0,
  unknown: 0,
  skipped: 10,
  expired: 0,
  cancelled: 0,
};
const campaign = (state: string, totals: Partial<typeof bins> = {}, more = {}) => ({
  id: ID,
  name: 'Rappel',
  state,
  totals: { ...bins, ...totals },
  segments: 120,
  rate: 0,
  eta: null,
  reason: null,
  ...more,
});
const finished = campaign('finished', { queued: 0, sent: 97, failed: 3 });

describe('create', () => {
  const undecided = ['campaign', 'create', '--name', 'Rappel', '--text', 'Bonjour {{prenom}}', '--country', 'SN'];
  const OPEN =
    'old_numbering,spreadsheet_damage,several_numbers,empty_variable,spreadsheet_error,extra_cells,unreadable_row';
  const creating = [...undecided, '--leave-out', OPEN];
  const takesIt = async () =>
    apiThat(
      ({ path }): Reply =>
        path === '/v1/campaigns'
          ? { status: 201, body: campaign('draft') }
          : {
              body: {
                replayed: false,
                total: 110,
                recipients: 100,
                skipped: 10,
                reasons: { no_country: { count: 10 } },
              },
            },
    );

  test('makes the campaign, then uploads the very bytes of the file', async () => {
    const { asked, env } = await takesIt();
    const { code, stdout, stderr } = await relais([...creating, '--reference', 'r-1', FILE], { env });
    expect(code).toBe(0);
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/campaigns',
      `POST /v1/campaigns/${ID}/recipients`,
    ]);
    expect(asked[0]?.body).toEqual({ name: 'Rappel', text: 'Bonjour {{prenom}}', country: 'SN', reference: 'r-1' });
    expect(asked[0]?.headers['idempotency-key']).toBeUndefined();
    expect(asked[1]?.headers['content-type']).toBe('text/csv');
    expect(asked[1]?.text).toMatch(/^numero;prenom;montant\r?\n/);
    expect(stdout).toContain('no_country');
    expect(stderr).toContain(`relais campaign start ${ID}`);
  });

  test('without a reference, the same words and file are the same campaign, and other ones are not', async () => {
    const { asked, env } = await takesIt();
    await relais([...creating, FILE], { env });
    await relais([...creating, FILE], { env });
    await relais([...creating], { env });
    const [first, again, other] = asked.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
    expect(first).toMatch(/^cli-.{22}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  test('a file that cannot be used leaves no campaign behind', async () => {
    const { asked, env } = await takesIt();
    const { code, stderr } = await relais([...creating.with(5, 'Bonjour {{ville}}'), FILE], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('ville');
    expect(asked).toEqual([]);
  });

  test.for([
    ['in a script', undecided, {}],
    ['in a script that says --yes, which is no decision', [...undecided, '--yes'], {}],
    ['on a terminal where the answer is no', undecided, { isTerminal: true, types: 'n\n' }],
  ] as const)('rows that are to be decided about leave nothing behind %s', async ([, argv, situation]) => {
    const { asked, env } = await takesIt();
    const { code, stderr } = await relais([...argv, FILE], { env, ...situation });
    expect(code).toBe(1);
    expect(stderr).toContain('--leave-out several_numbers');
    expect(stderr).toContain('Nothing was');
    expect(asked).toEqual([]);
  });

  test('on a terminal a confirmation is enough', async () => {
    const { asked, env } = await takesIt();
    const { code, stderr } = await relais([...undecided, FILE], { env, isTerminal: true, types: 'oui\n' });
    expect(code).toBe(0);
    expect(stderr).toContain('Make the campaign as it is, without these rows?');
    expect(asked).toHaveLength(2);
  });

  test('--json has the open decisions, and a dry run is no success while there are any', async () => {
    const { code, stdout } = await relais([...undecided, '--json', FILE]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).decisions[0]).toMatchObject({ reason: 'old_numbering', rows: 3 });
    expect(await relais([...undecided, '--dry-run', FILE])).toMatchObject({ code: 1 });
    expect(await relais([...creating, '--dry-run', FILE])).toMatchObject({ code: 0 });
  });

  test('the options of the file are sent to the API, and skipped rows are written to a file', async () => {
    const { asked, env } = await takesIt();
    const folder = folderWith({ 'a.csv': 'nom;mobile;whatsapp\nAwa;1;+221770000001\nYao;1;rien\n' });
    const argv = ['campaign', 'create', '--name', 'R', '--text', 'x', '--phone-column', 'WhatsApp'];
    const more = ['--encoding', 'macintosh', '--csv', join(folder, 'out.csv'), join(folder, 'a.csv')];
    expect(await relais([...argv, ...more], { env })).toMatchObject({ code: 0 });
    expect(asked[0]?.body).toEqual({ name: 'R', text: 'x' });
    expect(asked[1]?.query).toEqual({ phoneColumn: 'WhatsApp' });
    expect(asked[1]?.headers['content-type']).toBe('text/csv; charset=mac-roman');
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toContain('Yao;1;rien;3;not_a_number;');
  });

  test('a workbook goes there as it is', async () => {
    const { asked, env } = await takesIt();
    const file = 'test/golden/files/libreoffice-office.ods';
    const argv = ['campaign', 'create', '--name', 'R', '--text', 'x', '--country', 'CI', '--take-hidden', file];
    expect(await relais(argv, { env })).toMatchObject({ code: 0 });
    expect(asked[1]?.query).toEqual({ takeHidden: 'true' });
    expect(asked[1]?.headers['content-type']).toBe('application/vnd.oasis.opendocument.spreadsheet');
  });

  test('a failed upload names the created campaign, and how to continue', async () => {
    const { env } = await apiThat(
      ({ path }): Reply =>
        path === '/v1/campaigns'
          ? { status: 201, body: campaign('draft') }
          : { status: 500, body: { detail: 'Ouch.' } },
    );
    const { code, stderr } = await relais([...creating, FILE], { env });
    expect(code).toBe(1);
    expect(stderr).toContain(`The campaign ${ID} is there, but its recipients are not: Ouch.`);
  });

  test.for([
    ['as it is now', { body: campaign('ready') }, 'ready'],
    ['as it was made, to a key that may not read', { status: 403, body: { title: 'No.' } }, 'draft'],
  ] as const)('--json prints the upload and the campaign %s', async ([, shown, state]) => {
    const { env } = await apiThat(({ path, method }): Reply => {
      if (method === 'GET') return shown;
      return path === '/v1/campaigns' ? { status: 201, body: campaign('draft') } : { body: { recipients: 100 } };
    });
    const { code, stdout } = await relais([...creating, '--json', FILE], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: ID, state, upload: { recipients: 100 } });
  });
});

describe('start', () => {
  test.for([
    ['y\n', 0, 1],
    ['n\n', 1, 0],
  ] as const)('shows the number of recipients on a terminal; the answer %j', async ([types, exit, posts]) => {
    const { asked, env } = await apiThat(() => ({ body: campaign('ready') }));
    const { code, stderr } = await relais(['campaign', 'start', ID], { env, types, isTerminal: true });
    expect(stderr).toContain('Text 100 people (“Rappel”, 120 segments)?');
    expect(code).toBe(exit);
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(posts);
  });

  test('asks no question in a script', async () => {
    const { asked, env } = await apiThat(() => ({ body: campaign('running') }));
    expect(await relais(['campaign', 'start', ID], { env })).toMatchObject({ code: 0 });
    expect(asked.map(({ path }) => path)).toEqual([`/v1/campaigns/${ID}/start`]);
  });

  test('--follow watches until the end', async () => {
    const { env } = await apiThat(({ method }) => ({ body: method === 'POST' ? campaign('running') : finished }));
    const { code, stdout } = await relais(['campaign', 'start', ID, '--follow'], { env });
    expect(code).toBe(0);
    expect(stdout).toBe('100 %  sent 97/100 · failed 3 · unknown 0 · finished\n');
  });
});

describe('show', () => {
  test('prints the statuses with recipients', async () => {
    const { env } = await apiThat(() => ({
      body: campaign('paused', { queued: 60, sent: 40 }, { reason: 'by hand' }),
    }));
    const { stdout } = await relais(['campaign', 'show', ID], { env });
    expect(stdout).toMatch(/state +paused\nreason +by hand/);
    expect(stdout).toMatch(/ {2}queued +60/);
    expect(stdout).not.toContain('expired');
  });

  test('--json prints it as the API does', async () => {
    const { env } = await apiThat(() => ({ body: finished }));
    expect(JSON.parse((await relais(['campaign', 'show', ID, '--json'], { env })).stdout)).toEqual(finished);
  });
});

describe('following', () => {
  const steps = [
    campaign('running', { queued: 100 }, { rate: 50 }),
    campaign('running', { queued: 80, sent: 20 }),
    finished,
  ];
  const going = async () => apiThat((_asked, at) => ({ body: steps[at - 1] ?? finished }));

  test('writes a plain line each two seconds where no terminal is', async () => {
    const { env } = await going();
    const { code, stdout, slept } = await relais(['campaign', 'show', ID, '--follow'], { env });
    expect(code).toBe(0);
    expect(slept).toEqual([2_000, 2_000]);
    expect(stdout.trimEnd().split('\n')).toEqual([
      '  0 %  sent 0/100 · failed 0 · unknown 0 · 50/s · 2s left',
      ' 20 %  sent 20/100 · failed 0 · unknown 0 · 10/s · 8s left',
      '100 %  sent 97/100 · failed 3 · unknown 0 · finished',
    ]);
    expect(stdout).not.toContain('\u001b');
  });

  test('redraws one line five times a second on a terminal', async () => {
    const { env } = await going();
    const { stdout, slept } = await relais(['campaign', 'show', ID, '--follow'], {
      env,
      isTerminal: true,
      columns: 120,
    });
    expect(slept).toEqual([200, 200]);
    expect(stdout.split('\r\u001b[K')).toHaveLength(4);
    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(stdout).toContain('█');
  });

  test('continues through a deployment', async () => {
    const { env } = await apiThat((_asked, at): Reply => {
      if (at === 1) return { body: steps[0] };
      if (at === 2) return { cut: true };
      return at === 3 ? { status: 503, body: { title: 'Redis is away' } } : { body: finished };
    });
    const { code, stderr } = await relais(['campaign', 'show', ID, '--follow'], { env });
    expect(code).toBe(0);
    expect(stderr.match(/Still trying/g)).toHaveLength(1);
    expect(stderr).toContain('It is back.');
  });

  test('fails at once where nothing ever answered', async () => {
    const { code, slept } = await relais(['campaign', 'show', ID, '--follow'], {
      env: { RELAIS_URL: 'http://127.0.0.1:1' },
    });
    expect({ code, slept }).toEqual({ code: 1, slept: [] });
  });

  test('a cancelled campaign is no success', async () => {
    const { env } = await apiThat(() => ({ body: campaign('cancelled', { queued: 0, cancelled: 100 }) }));
    expect(await relais(['campaign', 'show', ID, '--follow'], { env })).toMatchObject({ code: 1 });
  });

  test('Ctrl-C ends the watching, not the campaign', async () => {
    const { asked, env } = await apiThat(() => ({ body: steps[0] }));
    const { code, stderr } = await relais(['campaign', 'show', ID, '--follow'], {
      env,
      onSleep: (sleeps, interrupt) => sleeps === 2 && interrupt(),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('the campaign continues');
    expect(asked.every(({ method }) => method === 'GET')).toBe(true);
  });
});

describe('report', () => {
  const rows = [
    { to: '+221771234567', row: 2, state: 'failed', code: 'ERROR_113', segments: 1 },
    { to: '+221771234568', row: 3, state: 'failed', reason: '=cmd' },
    { to: '+221771234569', row: 9, state: 'failed' },
  ];
  const paged = async () =>
    apiThat(({ query }) => ({
      body:
        query['after'] === undefined
          ? { items: rows.slice(0, 2), next: 'c.1.0' }
          : { items: rows.slice(2), next: null },
    }));

  test('turns the pages', async () => {
    const { asked, env } = await paged();
    const { code, stdout } = await relais(['campaign', 'report', ID, '--state', 'failed'], { env });
    expect(code).toBe(0);
    expect(asked.map(({ query }) => query)).toEqual([
      { state: 'failed', limit: '1000' },
      { state: 'failed', after: 'c.1.0', limit: '1000' },
    ]);
    expect(stdout).toMatch(/^\+221771234567 +failed +row 2 {2}ERROR_113\n/);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  test('--json is one array', async () => {
    const { env } = await paged();
    expect(JSON.parse((await relais(['campaign', 'report', ID, '--json'], { env })).stdout)).toEqual(rows);
  });

  test('--csv has one header, and nothing a spreadsheet would run', async () => {
    const { env } = await paged();
    const { stdout } = await relais(['campaign', 'report', ID, '--csv'], { env });
    const lines = stdout.trimEnd().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('\ufeffto;row;state;code;reason;sentAt;segments;resent');
    expect(lines[2]).toContain("'=cmd");
  });

  test('without recipients is valid JSON too', async () => {
    const { env } = await apiThat(() => ({ body: { items: [], next: null } }));
    const { code, stdout, stderr } = await relais(['campaign', 'report', ID, '--json'], { env });
    expect({ code, stderr, items: JSON.parse(stdout) }).toEqual({ code: 0, stderr: 'None.\n', items: [] });
  });

  test('--csv and --json together are wrong usage', async () => {
    expect(await relais(['campaign', 'report', ID, '--csv', '--json'])).toMatchObject({ code: 2 });
  });
});
