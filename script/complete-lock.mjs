/**
 * Writes the optional binaries of other platforms into package-lock.json. npm leaves out those that its registry does
 * not carry, and then refuses its own lockfile in `npm ci`. Run after each `npm install`: node script/complete-lock.mjs
 *
 * A registry that carries them is asked for the checksum of each; where it does not, the entry stays without one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
const [from = 'package-lock.json', to = from] = process.argv.slice(2);
const lock = JSON.parse(readFileSync(from, 'utf8'));
const OS = [
  'android',
  'darwin',
  'freebsd',
  'openharmony',
  'linux',
  'win32',
  'aix',
  'netbsd',
  'openbsd',
  'sunos',
  'wasi',
];
const CPU = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32'];
const added = [];
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (lock.packages[path]) continue;
    const words = name.split('/').at(-1).split('-');
    const os = words.find((w) => OS.includes(w));
    const cpu = words.find((w) => CPU.includes(w));
    if (!os || !cpu) {
      console.error('skipped', name);
      continue;
    }
    const last = words.at(-1);
    const libc =
      os === 'linux' && last.startsWith('musl')
        ? { libc: ['musl'] }
        : os === 'linux' && last.startsWith('gnu')
          ? { libc: ['glibc'] }
          : {};
    lock.packages[path] = {
      version,
      cpu: [cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...libc,
      optional: true,
      os: [os],
    };
    added.push(`${name}@${version}`);
  }
}
let unchecked = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.integrity || entry.link) continue;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const checksum = checksumOf(`${name}@${entry.version}`);
  if (checksum) Object.assign(entry, checksum);
  else unchecked += 1;
}

/** What the registry says of a package; nothing where it does not carry it. */
function checksumOf(spec) {
  try {
    const asked = ['view', spec, 'dist', '--json', '--fetch-retries=0'];
    const { tarball, integrity } = JSON.parse(execFileSync('npm', asked, { encoding: 'utf8', stdio: 'pipe' }));
    return integrity ? { resolved: tarball, integrity } : undefined;
  } catch (error) {
    if (error.status === 1) return undefined;
    throw error;
  }
}

const root = lock.packages[''];
const rest = Object.entries(lock.packages)
  .filter(([k]) => k)
  .sort(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = { '': root, ...Object.fromEntries(rest) };
writeFileSync(to, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length, 'added,', unchecked, 'without a checksum, since this registry does not carry them');
