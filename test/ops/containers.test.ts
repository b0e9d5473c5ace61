import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, describeSettings } from '../../src/config.ts';
import { toMs } from '../../src/lib/clock.ts';
import { timingOf } from '../../src/app/container.ts';
import { SHIPPED_ARGS, SHIPPED_ENV } from '../../script/shipped.ts';

/** Checks by reading the files; script/containers runs them with a real engine. */
interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly logging?: { readonly options?: Readonly<Record<string, string>> };
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly profiles?: readonly string[];
}

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image === '${RELAIS_IMAGE:-localhost/relais}');

/** The keys of a service in the compose specification that we use. */
const KEYS =
  'build cap_drop command depends_on environment healthcheck image logging mem_limit pids_limit ' +
  'ports profiles read_only restart security_opt stop_grace_period stop_signal tmpfs user volumes';

describe('docker-compose.yml', () => {
  test('has PostgreSQL, Redis, the roles, the sandbox and Prometheus', () => {
    const names = services.map(([name]) => name).join(' ');
    expect(names).toBe('postgres redis api webhooks worker sandbox prometheus grafana');
  });

  test.for(services)('%s uses only keys of the specification', ([, service]) => {
    expect(Object.keys(service).filter((key) => !KEYS.split(' ').includes(key))).toEqual([]);
  });

  test.for(services)('%s may write nowhere but in its volumes, and gain no rights', ([, service]) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  test.for(services)('%s is published on this machine only', ([, { ports = [] }]) => {
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\$\{\w+_PORT:-\d+\}:\d+$/);
  });

  test.for(services)('%s has limits of memory and processes, and a health check', ([name, service]) => {
    expect(service.mem_limit).toMatch(/^(\$\{\w+:-)?\d+[mg]\}?$/);
    expect(service.pids_limit).toBeGreaterThan(0);
    if (name !== 'grafana') expect(service.healthcheck?.test[0]).toMatch(/^CMD/);
  });

  test.for(services)('%s mounts existing files', ([, { volumes = [] }]) => {
    for (const volume of volumes) {
      const [from = ''] = volume.split(':');
      expect(from.startsWith('./') ? existsSync(new URL(from, ROOT)) : from in compose.volumes).toBe(true);
    }
  });

  test.for(services)('%s waits for an existing service', ([, { depends_on = [] }]) => {
    const names = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const name of names) expect(Object.keys(compose.services)).toContain(name);
  });

  test.for(ours)('%s has settings that exist, and longer to stop than it takes to drain', ([, service]) => {
    const names = describeSettings().map(({ name }) => name);
    for (const name of Object.keys(service.environment ?? {})) expect(names).toContain(name);
    const config = loadConfig({});
    const { drainMs } = timingOf(config);
    const exchangeMs = config.UPSTREAM_TIMEOUT + config.UPSTREAM_CONNECT_TIMEOUT;
    // An attempt that is running at the end of the drain may have just begun another request.
    expect(toMs(service.stop_grace_period ?? '0s')).toBeGreaterThan(drainMs + exchangeMs);
  });

  test.for(services)('%s keeps a log that ends somewhere', ([, { logging }]) => {
    expect(logging?.options).toEqual({ 'max-size': expect.stringMatching(/^\d+m$/), 'max-file': '5' });
  });

  test('a read-only command needs no secret, and the file names their location', () => {
    const text = read('docker-compose.yml');
    expect(text).not.toMatch(/\$\{\w+:?\?/);
    // test/cli/init.test.ts checks its output.
    expect(text).toContain('relais.js init --yes');
    expect(read('.gitignore').split('\n')).toContain('.env');
  });

  test('a process has the secrets that it uses, and no others', () => {
    const secrets = describeSettings().flatMap(({ name, secret }) => (secret ? [name] : []));
    const given = (name: string): readonly string[] => {
      const all = Object.entries(compose.services[name]?.environment ?? {});
      return all.flatMap(([setting, value]) => (secrets.includes(setting) && value !== '' ? [setting] : []));
    };
    const keys = 'SERVICE_MASTER_KEY SERVICE_PRIVATE_KEY SERVICE_TOKEN SMS_USER_KEY SMS_SECRET_KEY SMS_APP_KEY';
    expect(given('worker')).toEqual(['DATABASE_URL', 'CALLBACK_SECRET', 'SEALING_SECRET', ...keys.split(' ')]);
    expect(given('api')).toEqual([
      'DATABASE_URL',
      'CALLBACK_SECRET',
      'SEALING_SECRET',
      ...keys.split(' '),
      'API_KEYS',
    ]);
    expect(given('webhooks')).toEqual(['DATABASE_URL', 'CALLBACK_SECRET']);
    expect(given('sandbox')).toEqual([]);
  });

  test('PostgreSQL has the user, database and password of the address that processes use', () => {
    const {
      POSTGRES_USER: user,
      POSTGRES_DB: database,
      POSTGRES_PASSWORD: password,
    } = compose.services['postgres']?.environment ?? {};
    expect(password).toBe('${DATABASE_PASSWORD:-}');
    for (const name of ['api', 'webhooks', 'worker'])
      expect(compose.services[name]?.environment?.['DATABASE_URL']).toBe(
        `\${DATABASE_URL:-postgres://${user}:${password}@postgres:5432/${database}}`,
      );
  });

  test('the image contains what the build needs besides the sources', () => {
    const build = JSON.parse(read('package.json')) as { readonly scripts: { readonly build: string } };
    const scripts = [...build.scripts.build.matchAll(/script\/[\w.-]+/g)].map(([script]) => script);
    const needed = scripts.flatMap((script) => [
      script,
      ...[...read(script).matchAll(/from '\.\/([\w.-]+)'/g)].map(([, name]) => `script/${name}`),
    ]);
    expect(needed).toContain('script/commands.ts');
    const copied = [...read('Dockerfile').matchAll(/^COPY (script\/.*) \.\/script\/$/gm)].map(
      ([, names = '']) => names,
    );
    expect(copied.join(' ').split(' ').toSorted()).toEqual(needed.toSorted());
    const context = read('.dockerignore').split('\n');
    expect(needed.filter((script) => !context.includes(`!${script}`))).toEqual([]);
  });

  test('the API has a witness outside PostgreSQL, in a volume that it may write', () => {
    const { environment, volumes } = compose.services['api'] ?? {};
    const [, folder] = volumes?.[0]?.split(':') ?? [];
    expect(environment?.['WITNESS_FILE']).toBe(`${folder}/witness`);
    // A new volume takes its owner from the image.
    const [, above, name] = /^(.*)\/(.+)$/.exec(folder ?? '') ?? [];
    expect(read('Dockerfile')).toContain(` install --directory --owner 1000 --group 1000 /volume/${name}\n`);
    expect(read('Dockerfile')).toContain(`COPY --from=runtime --chown=1000:1000 /volume ${above}\n`);
  });

  test('the worker can be scaled: it has no port and no name of its own', () => {
    expect(compose.services['worker']?.ports).toBeUndefined();
    expect(Object.keys(compose.services['worker'] ?? {})).not.toContain('container_name');
  });

  test('PostgreSQL keeps its commits: nothing turns that off', () => {
    expect(compose.services['postgres']?.command).toEqual(['postgres', '-c', 'log_error_verbosity=terse']);
    expect(compose.services['postgres']?.volumes).toEqual(['postgres:/var/lib/postgresql/data']);
  });

  test('Redis is well when it answers, and not while it only refuses', () => {
    expect(compose.services['redis']?.healthcheck?.test).toEqual(['CMD-SHELL', 'redis-cli ping | grep -q PONG']);
  });

  test('the sandbox stores its records in a volume, so that it knows its payments after a restart', () => {
    const { command, volumes } = compose.services['sandbox'] ?? {};
    const [, folder] = volumes?.[0]?.split(':') ?? [];
    expect(command).toEqual(['sandbox', '--books', `${folder}/books`]);
  });

  test('Prometheus finds the containers of every role, and has the rules', () => {
    const config = parse(read('ops/prometheus/prometheus.yml')) as {
      rule_files: string[];
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    expect(config.rule_files).toEqual(['rules/*.yml']);
    const [found] = config.scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs);
    expect(found?.names.toSorted((a, b) => a.localeCompare(b))).toEqual(['api', 'webhooks', 'worker']);
    expect(read('Dockerfile')).toContain(`METRICS_PORT=${found?.port}`);
    expect(compose.services['prometheus']?.volumes).toContain('./ops/prometheus/rules:/etc/prometheus/rules:ro');
  });

  test('Grafana finds the dashboard, and the Prometheus that it asks', () => {
    const { providers } = parse(read('ops/grafana/provisioning/dashboards/relais.yml')) as {
      providers: { options: { path: string } }[];
    };
    const mounts = compose.services['grafana']?.volumes ?? [];
    expect(mounts).toContain(`./ops/grafana/dashboards:${providers[0]?.options.path}:ro`);
    const { datasources } = parse(read('ops/grafana/provisioning/datasources/prometheus.yml')) as {
      datasources: { url: string }[];
    };
    expect(datasources[0]?.url).toBe('http://prometheus:9090');
  });
});

describe('the image', () => {
  const lines = read('Dockerfile').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  test('is built where there is all that a build needs, and runs where there is nothing else', () => {
    const stages = lines.filter((line) => line.startsWith('FROM '));
    expect(stages).toEqual(['FROM ${NODE_IMAGE} AS build', 'FROM ${NODE_IMAGE} AS runtime', 'FROM scratch']);
    expect(last.filter((line) => line.startsWith('RUN '))).toEqual([]);
  });

  test('is not root, has a health check, and gets the signals itself', () => {
    expect(last).toContain('USER 1000:1000');
    expect(last.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
    expect(last).toContain(
      `ENTRYPOINT ${JSON.stringify(['node', ...SHIPPED_ARGS, 'bin/relais.js']).replaceAll(',', ', ')}`,
    );
  });

  test('has the Node that the tests use, and so has the systemd unit its arguments', () => {
    const [, version] = /^const OURS = '([\d.]+)';$/m.exec(read('script/node.mjs')) ?? [];
    expect(lines.find((line) => line.startsWith('ARG NODE_IMAGE='))).toContain(`/node:${version}-`);
    const start = `ExecStart=/usr/bin/node ${SHIPPED_ARGS.join(' ')} /opt/`;
    expect(read('ops/systemd/relais@.service')).toContain(start);
    for (const [name, value] of Object.entries(SHIPPED_ENV)) {
      expect(read('ops/systemd/relais@.service')).toContain(`Environment=${name}=${value}\n`);
      expect(last.join('\n')).toContain(` ${name}=${value} `);
    }
  });

  test('runs no scripts of packages, and copies no ignored files', () => {
    for (const line of lines.filter((one) => /\bnpm (ci|prune)\b/.test(one)))
      expect(line).toContain('--ignore-scripts');
    const kept = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));
    for (const path of copied) expect(kept).toContain(path);
    for (const path of kept) expect(existsSync(new URL(path, ROOT))).toBe(true);
  });
});
