/** Build inputs are pinned: images by digest, packages by checksum. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../tidy/scanner.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Locked {
  readonly license?: string;
  readonly dev?: true;
  readonly integrity?: string;
  readonly optional?: true;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** The platforms of the image, and of CI. */
const OURS = { os: 'linux', cpu: ['x64', 'arm64'], libc: 'glibc' };

test('every package that is installed on Linux is held to a checksum', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const unchecked = Object.entries(packages).filter(
    ([path, { integrity }]) => path !== '' && integrity === undefined,
  );
  const installedHere = ({ optional, os = [OURS.os], cpu = OURS.cpu, libc = [OURS.libc] }: Locked): boolean =>
    !optional || (os.includes(OURS.os) && cpu.some((one) => OURS.cpu.includes(one)) && libc.includes(OURS.libc));
  expect(unchecked.filter(([, locked]) => installedHere(locked)).map(([path]) => path)).toEqual([]);
});

/** Licences that require only attribution. Development packages are never shipped. */
const TAKEN = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'];

test('bundled packages have a licence that requires only attribution', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const brought = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev === undefined);
  const known = brought.filter(([, { integrity }]) => integrity !== undefined);
  expect(known.length).toBeGreaterThan(100);
  expect(known.filter(([, { license = 'none' }]) => !TAKEN.includes(license)).map(([path]) => path)).toEqual([]);
});

test('every image is named with its registry and its digest', () => {
  const { services } = parse(read('docker-compose.yml')) as { services: Record<string, { image?: string }> };
  const composed = Object.values(services).flatMap(({ image }) =>
    image && !image.includes('RELAIS_IMAGE') ? [image] : [],
  );
  const built = [...read('Dockerfile').matchAll(/^ARG \w+_IMAGE=(\S+)/gm)].map(([, image]) => image ?? '');
  for (const [, from] of read('Dockerfile').matchAll(/^FROM (\S+)/gm))
    expect(['${NODE_IMAGE}', 'scratch']).toContain(from);
  const images = [...composed, ...built];
  expect(images.length).toBeGreaterThan(3);
  for (const image of images) expect(image).toMatch(/^docker\.io\/[\w/-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});
