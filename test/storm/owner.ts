/** The process of a connection. Only Linux provides it; elsewhere none is named. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The process among these with the socket of this local port. */
export function ownerOf(port: number, pids: readonly number[]): number | undefined {
  if (!existsSync('/proc/net/tcp')) return undefined;
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const row = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, local]) => local?.endsWith(`:${hex}`));
  const inode = row?.[9];
  return inode === undefined ? undefined : pids.find((pid) => socketsOf(pid).includes(`socket:[${inode}]`));
}

function socketsOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`));
  } catch (error) {
    // The process, or one of its files, is gone by now.
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}
