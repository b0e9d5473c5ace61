/** A wire that lies in wait for a message: what is lost with it, and what was carried out all the same. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Link, type Trap } from './link.ts';

let server: Server;
let link: Link;
let heard: string[];
let struck: number;

beforeEach(async () => {
  heard = [];
  struck = 0;
  server = createServer((socket) => {
    socket.on('data', (asked) => {
      heard.push(String(asked));
      socket.write(`did ${String(asked)}`);
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  link = await Link.to((server.address() as AddressInfo).port);
});
afterEach(async () => {
  await link.close();
  server.close();
});

const trapFor = (when: Trap['when'], loses: boolean): Trap => ({
  when,
  loses,
  isIt: (asked) => asked.includes('commit'),
  spring: () => (struck += 1),
});

/** What came back; nothing where the wire was cut first. */
async function say(socket: Socket, words: string): Promise<string> {
  const answered = once(socket, 'data').then(String);
  const gone = once(socket, 'close').then(() => '');
  socket.write(words);
  return Promise.race([answered, gone]);
}

async function connected(): Promise<Socket> {
  const socket = connect({ port: link.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

test('a message that is lost before it arrives is carried out by nobody', async () => {
  link.layTrap(trapFor('asked', true));
  const socket = await connected();
  expect(await say(socket, 'begin')).toBe('did begin');
  expect(await say(socket, 'commit')).toBe('');
  expect({ heard, struck }).toEqual({ heard: ['begin'], struck: 1 });
});

test('one that is struck once it was carried out has an answer that nobody hears', async () => {
  link.layTrap(trapFor('answered', true));
  const socket = await connected();
  expect(await say(socket, 'commit')).toBe('');
  expect({ heard, struck }).toEqual({ heard: ['commit'], struck: 1 });
});

test('a strike that loses nothing comes once, and lets all pass', async () => {
  link.layTrap(trapFor('asked', false));
  const socket = await connected();
  expect(await say(socket, 'commit')).toBe('did commit');
  expect(await say(socket, 'commit')).toBe('did commit');
  expect(struck).toBe(1);
  socket.destroy();
});
