/**
 * Makes sure of a Node.js that this project runs on. The machine's own is used where it is new enough; otherwise npm's
 * package of it is unpacked into .relais, for this project only, and what npx and npm run starts finds it there too.
 *   node script/node.mjs          prints the folder of the program, or nothing where the machine's own will do
 *   node script/node.mjs 22       the newest of another major version, to try things with
 *
 * Runs under Node 18 and newer: it is what an old one is replaced by.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const OLDEST = [22, 19];
const OURS = '24.21.0';

/** @param {string | undefined} asked @returns {string} */
export function folderOfNode(asked) {
  const isOfTheMachine = !process.execPath.startsWith(join(root, '.relais'));
  if (!asked && isOfTheMachine && isNewEnough(process.versions.node)) return '';
  const version = asked || OURS;
  const folder = join(root, '.relais', `node-${version}`);
  const program = join(folder, 'bin', 'node');
  if (!existsSync(program)) unpack(version, folder);
  if (!asked) linkForNpx(program);
  return dirname(program);
}

/** @param {string} version */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * npm compares what it fetches with the checksum of its registry. The folder appears whole.
 * @param {string} version @param {string} folder
 */
function unpack(version, folder) {
  const fetched = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}@${version}`;
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.`);
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', draft, fetched], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [packed = ''] = readdirSync(draft);
    execFileSync('tar', ['-xzf', packed, '--strip-components=1', 'package/bin', 'package/LICENSE'], { cwd: draft });
    rmSync(join(draft, packed));
    execFileSync(join(draft, 'bin', 'node'), ['--version']);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(join(folder, 'bin', 'node'))) throw error;
  }
}

/** What npx and npm run start looks here for `node` first. @param {string} program */
function linkForNpx(program) {
  const link = join(root, 'node_modules', '.bin', 'node');
  if (!existsSync(dirname(link)) || existsSync(link)) return;
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), program), link);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = folderOfNode(process.argv[2]);
  if (folder !== '') process.stdout.write(`${folder}\n`);
}
