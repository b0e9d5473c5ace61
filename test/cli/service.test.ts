import { describe, expect, test, vi } from 'vitest';
import { roles } from '../../src/cli/io.ts';
import { relais } from './terminal.ts';

const service = (code = 0) => vi.fn(async () => code);

describe('run', () => {
  test('uses every role and every queue by default', async () => {
    const run = service();
    expect(await relais(['run'], { services: { run } })).toMatchObject({ code: 0 });
    expect(run).toHaveBeenCalledWith({ roles: ['worker', 'webhooks', 'api'] });
  });

  test('takes the roles and queues it is given', async () => {
    const run = service();
    await relais(['run', '--roles', 'api,worker', '--queues', 'sms-otp, sms-batch'], { services: { run } });
    expect(run).toHaveBeenCalledWith({ roles: ['api', 'worker'], queues: ['sms-otp', 'sms-batch'] });
  });

  test.for([['run', '--roles', 'worker,cook'], ['run', '--queues', 'sms'], ['run', '--role', 'api'], ['walk'], []])(
    '%j is wrong usage',
    async (argv) => {
      const { code, stdout, stderr } = await relais(argv);
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).not.toBe('');
    },
  );

  test('an unknown role is answered with the roles there are', async () => {
    const { stderr } = await relais(['run', '--roles', 'cook']);
    expect(stderr).toContain('Not known: cook. There is: worker, webhooks, api.');
  });

  test('the exit code is the process’s own', async () => {
    expect(await relais(['run'], { services: { run: service(1) } })).toMatchObject({ code: 1 });
    expect(await relais(['dev'], { services: { dev: service(0) } })).toMatchObject({ code: 0 });
  });

  test('a service that throws is not swallowed', async () => {
    const run = async (): Promise<number> => Promise.reject(new Error('Redis is on fire'));
    await expect(relais(['run'], { services: { run } })).rejects.toThrow('Redis is on fire');
  });
});

describe('sandbox', () => {
  test('has no faults by default', async () => {
    const sandbox = service();
    await relais(['sandbox'], { services: { sandbox } });
    expect(sandbox).toHaveBeenCalledWith({ faults: [] });
  });

  test('takes several faults, a latency and a seed', async () => {
    const sandbox = service();
    const argv = ['sandbox', '--fault', 'hangs after doing the work:0.25', '--fault', 'calls back twice'];
    await relais([...argv, '--latency', '20ms', '--seed', '7'], { services: { sandbox } });
    expect(sandbox).toHaveBeenCalledWith({
      faults: [
        { fault: 'hangs after doing the work', probability: 0.25 },
        { fault: 'calls back twice', probability: 1 },
      ],
      latencyMs: 20,
      seed: 7,
    });
  });

  test('takes the operation of a fault', async () => {
    const sandbox = service();
    const argv = ['sandbox', '--fault', 'hangs after doing the work@disbursement.submit:0.1'];
    await relais([...argv, '--fault', 'answers empty@sms'], { services: { sandbox } });
    expect(sandbox).toHaveBeenCalledWith({
      faults: [
        { fault: 'hangs after doing the work', operation: 'disbursement.submit', probability: 0.1 },
        { fault: 'answers empty', operation: 'sms', probability: 1 },
      ],
    });
  });

  test('stores its records in a file', async () => {
    const sandbox = service();
    await relais(['sandbox', '--books', '/var/lib/relais/books'], { services: { sandbox } });
    expect(sandbox).toHaveBeenCalledWith({ faults: [], books: '/var/lib/relais/books' });
  });

  test.for([
    '',
    'eats the request:0.5',
    'calls back twice:1.5',
    'calls back twice:often',
    'calls back twice@sms',
    'answers a given code',
  ])('the fault "%s" is wrong usage', async (fault) =>
    expect(await relais(['sandbox', '--fault', fault])).toMatchObject({ code: 2 }),
  );

  test('the help lists the faults', async () => {
    const { code, stdout } = await relais(['sandbox', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('  hangs after doing the work\n');
  });
});

test('doctor ends as its findings do', async () => {
  const doctor = service(1);
  expect(await relais(['doctor'], { services: { doctor } })).toMatchObject({ code: 1 });
  expect(await relais(['doctor', '--json', '--roles', 'worker'], { services: { doctor } })).toMatchObject({
    code: 1,
  });
  expect(doctor.mock.calls).toEqual([
    [{ json: false, roles, language: 'en' }],
    [{ json: true, roles: ['worker'], language: 'en' }],
  ]);
});

test.for([
  'run',
  'dev',
  'sandbox',
  'disburse create',
  'disburse show',
  'disburse list',
  'disburse cancel',
  'disburse approve',
  'review list',
  'review show',
  'review resolve',
  'explain',
  'account list',
  'account stop',
  'account release',
  'events',
  'campaign check',
  'campaign create',
  'campaign start',
  'campaign pause',
  'campaign resume',
  'campaign cancel',
  'campaign show',
  'campaign report',
])('the help of %s ends with an example', async (command) => {
  const { code, stdout } = await relais([...command.split(' '), '--help']);
  expect(code).toBe(0);
  expect(stdout).toContain(`Example:\n  relais ${command}`);
});

test('--version is that of the package', async () => {
  expect(await relais(['--version'])).toMatchObject({ code: 0, stdout: '0.2.0\n' });
});
