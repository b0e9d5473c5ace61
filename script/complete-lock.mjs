/**
 * Writes the optional binaries of other platforms into package-lock.json. npm leaves out those that its registry does
 * not
 * carry, and then refuses its own lockfile in `npm ci`. Run after each `npm install`: node script/complete-lock.mjs
 */
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
const root = lock.packages[''];
const rest = Object.entries(lock.packages)
  .filter(([k]) => k)
  .sort(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = { '': root, ...Object.fromEntries(rest) };
writeFileSync(to, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length, 'added');
