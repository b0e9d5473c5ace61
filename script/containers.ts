/**
 * The steps of script/containers after the images are built; its arguments are those of every docker-compose command.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const compose = process.argv.slice(2);
const work = process.env['RELAIS_CHECK'] ?? '.relais/containers';
const settings = new Map(
  readFileSync(join(work, 'env'), 'utf8')
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
);
const keyOf = (settings.get('API_KEYS') ?? '').split(':').at(-1) ?? '';
const at = (port: string, path: string): string => `http://127.0.0.1:${settings.get(port)}${path}`;

const DISBURSEMENTS = 200;
const AMOUNT = 1_000;
const TEXTS = 3_000;
const SETTLED_WITHIN_MS = 300_000;
const ROLES = ['api', 'webhooks', 'worker'];
const SERVICES = ['postgres', 'redis', ...ROLES, 'sandbox', 'prometheus'];

const facts: Record<string, string | number> = {};
function fact(what: string, value: string | number): void {
  facts[what] = value;
  console.log(`${'containers'.padEnd(10)} ${what}: ${value}`);
}

function hold(claim: string, holds: boolean, seen: unknown): void {
  if (!holds) throw new Error(`${claim}, but: ${JSON.stringify(seen)}`);
  console.log(`${'containers'.padEnd(10)} ✓ ${claim}`);
}

async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('docker', [...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

async function composed(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('docker-compose', [...compose, ...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

const containersOf = async (service: string): Promise<readonly string[]> =>
  (await composed('ps', '-q', service)).split('\n').filter((id) => id !== '');

const inspect = (container: string, what: string): Promise<string> => docker('inspect', '--format', what, container);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until<T>(what: string, look: () => Promise<T | undefined>, withinMs = SETTLED_WITHIN_MS): Promise<T> {
  const last = Date.now() + withinMs;
  let seen: unknown;
  while (Date.now() < last) {
    const found = await look().catch((error: unknown) => {
      seen = error;
      return undefined;
    });
    if (found !== undefined) return found;
    await pause(500);
  }
  throw new Error(`${what} did not happen within ${withinMs / 1_000} s`, { cause: seen });
}

interface Made {
  readonly id: string;
  readonly state: string;
}

async function ask<T = Made>(method: string, path: string, body?: unknown, type = 'application/json'): Promise<T> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(at('API_PORT', path), {
    method,
    headers: { authorization: `Bearer ${keyOf}`, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body: text }),
  });
  const said = await answer.text();
  if (answer.status === 429) {
    // A key has a rate limit: the answer names the wait.
    await pause(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
    return ask(method, path, body, type);
  }
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${said.slice(0, 300)}`);
  return (said === '' ? undefined : JSON.parse(said)) as T;
}

interface Books {
  readonly effects: number;
  readonly doubleEffects: number;
  readonly xofPaid: number;
  readonly messages: number;
  readonly messagesSent: number;
  readonly messagesRepeated: number;
  readonly breaches: number;
}

async function books(): Promise<Books> {
  return (await (await fetch(at('SANDBOX_CONTROL_PORT', '/books/summary'))).json()) as Books;
}

/** Like a machine failure: the main process is killed without notice, and the engine restarts it. */
async function kill(container: string): Promise<void> {
  process.kill(Number(await inspect(container, '{{.State.Pid}}')), 'SIGKILL');
}

async function up(...args: readonly string[]): Promise<void> {
  await composed('up', '-d', ...args, ...SERVICES);
  await until('every process is ready', async () => {
    for (const service of ROLES)
      for (const container of await containersOf(service)) await docker('exec', container, 'node', '-e', READY);
    return true;
  });
}

const READY = `fetch('http://127.0.0.1:9464/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;

/** From the start of the container to its ready line. */
async function msToReady(container: string): Promise<number> {
  const began = new Date(await inspect(container, '{{.State.StartedAt}}')).getTime();
  const lines = (await docker('logs', '--timestamps', container)).split('\n');
  const ready = lines.findLast((line) => line.includes('"ready":true')) ?? '';
  return new Date(ready.slice(0, ready.indexOf(' '))).getTime() - began;
}

async function start(): Promise<void> {
  const began = Date.now();
  await up('--scale', 'worker=2');
  fact('compose up to all ready, s', Math.round((Date.now() - began) / 1_000));
  for (const service of ROLES)
    fact(`start of all to ready, ${service}, ms`, await msToReady((await containersOf(service))[0] ?? ''));
  const bytes = Number(await docker('image', 'inspect', '--format', '{{.Size}}', 'relais-check/relais'));
  const base = Number(await docker('image', 'inspect', '--format', '{{.Size}}', await baseImage()));
  fact('image, MB', Math.round(bytes / 1e6));
  fact('that of Node alone, which it is made with, MB', Math.round(base / 1e6));
}

/** Resources of one process while the others are idle. */
async function alone(): Promise<void> {
  for (const service of ROLES) {
    const [container = ''] = await containersOf(service);
    await docker('restart', container);
    await until(`${service} is ready again`, () => docker('exec', container, 'node', '-e', READY).then(() => true));
    fact(`start of one to ready, ${service}, ms`, await msToReady(container));
  }
}

/** The image serves the console completely: the page, and each file that it names. */
async function served(): Promise<void> {
  const page = await fetch(at('API_PORT', '/console/'));
  const text = await page.text();
  const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => new URL(path, page.url));
  const statuses = await Promise.all(named.map(async (file) => (await fetch(file)).status));
  const seen = { status: page.status, named: named.map(({ pathname }) => pathname), statuses };
  hold(
    'the console is served',
    page.status === 200 && named.length > 1 && statuses.every((one) => one === 200),
    seen,
  );
}

async function baseImage(): Promise<string> {
  const names = await docker('image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', 'relais-check/node');
  return names.split('\n')[0] ?? '';
}

async function hardening(): Promise<void> {
  const [worker = ''] = await containersOf('worker');
  const says = (script: string): Promise<string> => docker('exec', worker, 'node', '-p', script);
  hold('it is not root', (await says('process.getuid()')) === '1000', await says('process.getuid()'));
  const wrote = await says('try { fs.writeFileSync("/app/x", "") } catch ({ code }) { code }');
  hold('it cannot write its own files', wrote === 'EROFS', wrote);
  const able = await says('/^CapEff.*/m.exec(fs.readFileSync("/proc/1/status", "utf8"))[0]');
  hold('it has no capability', /\t0+$/.test(able), able);
  const programs = await says('fs.readdirSync("/usr/local/bin").join() + fs.existsSync("/bin/sh")');
  hold('there is no other program in it than Node, and no shell', programs === 'nodefalse', programs);
  const limits = await inspect(worker, '{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}}');
  hold('memory and processes are limited', /^[1-9]\d* [1-9]\d*$/.test(limits), limits);
  for (const service of SERVICES)
    for (const container of await containersOf(service))
      await until(`${service} is healthy`, async () =>
        (await inspect(container, '{{.State.Health.Status}}')) === 'healthy' ? true : undefined,
      );
  hold('every health check says so', true, '');
}

interface Accepted {
  readonly campaign: string;
  readonly disbursements: readonly string[];
}

async function accept(): Promise<Accepted> {
  const { id } = await ask('POST', '/v1/campaigns', {
    name: 'containers',
    text: 'Bonjour {{nom}}',
    country: 'SN',
    reference: 'containers',
  });
  const rows = Array.from({ length: TEXTS }, (_, row) => `77${String(1_000_000 + row)};n${row}`);
  await ask('POST', `/v1/campaigns/${id}/recipients`, `numero;nom\n${rows.join('\n')}\n`, 'text/csv');
  await ask('POST', `/v1/campaigns/${id}/start`);
  const disbursements: string[] = [];
  for (let row = 0; row < DISBURSEMENTS; row += 1) {
    const body = { accountAlias: `77${2_000_000 + row}`, amount: AMOUNT, withdrawMode: 'wallet-a-senegal' };
    disbursements.push((await ask('POST', '/v1/disbursements', { ...body, reference: `containers-${row}` })).id);
  }
  return { campaign: id, disbursements };
}

/** The provider's latency for each answer. */
async function latency(latencyMs: number): Promise<void> {
  const body = JSON.stringify({ latencyMs });
  await fetch(at('SANDBOX_CONTROL_PORT', '/settings'), { method: 'POST', body });
}

/** A worker and Redis are killed while both are at work, and a third worker starts. */
async function trouble(): Promise<void> {
  const [worker = ''] = await containersOf('worker');
  const [redis = ''] = await containersOf('redis');
  await until('money and texts have begun to leave', async () => {
    const { effects, messages } = await books();
    return effects > 5 && messages > 100 ? true : undefined;
  });
  await kill(worker);
  await pause(2_000);
  await kill(redis);
  hold(
    'a worker and Redis were killed while money and texts left',
    (await books()).effects < DISBURSEMENTS,
    await books(),
  );
  await until('both were started again', async () => {
    const states = await Promise.all(
      [worker, redis].map((one) => inspect(one, '{{.State.Running}} {{.RestartCount}}')),
    );
    return states.every((state) => /^true [1-9]/.test(state)) ? true : undefined;
  });
  await up('--scale', 'worker=3');
  hold('there are three workers', (await containersOf('worker')).length === 3, await composed('ps'));
}

interface Campaign {
  readonly state: string;
  readonly totals: Readonly<Record<string, number>>;
}

async function settled({ campaign, disbursements }: Accepted): Promise<Campaign> {
  const began = Date.now();
  const done = await until('everything is settled', async () => {
    const view = await ask<Campaign>('GET', `/v1/campaigns/${campaign}`);
    if (view.state !== 'finished') return undefined;
    for (const id of disbursements) {
      const { state } = await ask('GET', `/v1/disbursements/${id}`);
      if (state !== 'succeeded') return undefined;
    }
    return view;
  });
  fact('settled after the last trouble, s', Math.round((Date.now() - began) / 1_000));
  return done;
}

async function compare({ totals }: Campaign): Promise<Books> {
  const said = await books();
  const { sent = 0, unknown = 0, total = 0 } = totals;
  hold('each disbursement left once', said.effects === DISBURSEMENTS && said.doubleEffects === 0, said);
  hold('as much left as was asked for', said.xofPaid === DISBURSEMENTS * AMOUNT, said);
  hold('no text went out twice', said.messagesRepeated === 0 && said.messagesSent === said.messages, said);
  hold('the books and the campaign agree', sent <= said.messages && said.messages <= sent + unknown, {
    said,
    totals,
  });
  hold('every row is in one bin', total === TEXTS && sent + unknown === TEXTS, totals);
  hold('no rule of the interface was broken', said.breaches === 0, said);
  return said;
}

async function again(made: Accepted, before: Campaign, told: Books): Promise<void> {
  await composed('down');
  await up();
  const view = await ask<Campaign>('GET', `/v1/campaigns/${made.campaign}`);
  hold('after down and up the campaign is as it was', same(view.totals, before.totals), view);
  const now = await books();
  hold('and so are the books of the sandbox', same(moved(now), moved(told)), { now, told });
  const { id, state } = await ask('GET', `/v1/disbursements/${made.disbursements[0]}`);
  hold('a disbursement is still known', state === 'succeeded' && id === made.disbursements[0], state);
  const repeated = await ask('POST', '/v1/disbursements', {
    accountAlias: '772000000',
    amount: AMOUNT,
    withdrawMode: 'wallet-a-senegal',
    reference: 'containers-0',
  });
  hold('and asking for it again makes no second one', repeated.id === id, repeated);
}

/** Without status checks: a worker may check a settled operation again. */
const moved = ({ effects, xofPaid, messages, messagesSent, messagesRepeated, breaches }: Books): Partial<Books> => ({
  effects,
  xofPaid,
  messages,
  messagesSent,
  messagesRepeated,
  breaches,
});

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

async function stop(): Promise<void> {
  const [worker = ''] = await containersOf('worker');
  const began = Date.now();
  await composed('stop', 'worker');
  fact('a worker stops, s', Math.round((Date.now() - began) / 1_000));
  hold('and ends well', (await inspect(worker, '{{.State.ExitCode}}')) === '0', await inspect(worker, '{{.State}}'));
}

/** Reads PostgreSQL in its own container. */
async function copied({ disbursements }: Accepted): Promise<void> {
  const [postgres = ''] = await containersOf('postgres');
  const password = `PGPASSWORD=${settings.get('DATABASE_PASSWORD')}`;
  const counted = (query: string): Promise<string> =>
    docker('exec', '--env', password, postgres, 'psql', '-U', 'relais', '-d', 'relais', '-Atc', query);
  const wanted = `${disbursements.length}|${disbursements.length * AMOUNT}|${TEXTS}`;
  const query = `select count(*), sum(amount), (select count(*) from relais.recipients) from relais.disbursements where state = 'succeeded'`;
  const said = await until('all of it is in PostgreSQL', async () => {
    const rows = await counted(query);
    return rows === wanted ? rows : undefined;
  });
  hold('PostgreSQL has each disbursement and each recipient once', said === wanted, said);
}

/** Under the names in `prometheus.yml`, including scaled processes. */
async function watched(processes: number): Promise<void> {
  const asked = at('PROMETHEUS_PORT', `/api/v1/query?query=${encodeURIComponent('count(up{job="relais"} == 1)')}`);
  await until('Prometheus sees every process', async () => {
    const { data } = (await (await fetch(asked)).json()) as { data: { result: { value: [number, string] }[] } };
    return data.result[0]?.value[1] === String(processes) ? true : undefined;
  });
  hold(`Prometheus sees all ${processes} processes`, true, '');
}

await start();
await hardening();
await served();
await latency(1_000);
const made = await accept();
await trouble();
await latency(0);
const finished = await settled(made);
await watched(6);
const told = await compare(finished);
await copied(made);
await again(made, finished, told);
await copied(made);
await alone();
await stop();
writeFileSync(join(work, 'report.json'), `${JSON.stringify(facts, null, 2)}\n`);
