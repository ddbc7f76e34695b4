import { connect as connectTcp, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { seededRandom } from '../support/random.ts';

const CONNECTIONS = 1000;
const CONNECTIONS_MAX = 200;
/** More than the limit. */
const AT_ONCE = 250;
/** Silent connections above the limit. */
const EXCESS = 50;
/** What a connection sends before it closes. */
const BEGINNINGS = [
  '',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: mneme\r\n\r\n',
  '\x16\x03\x01\x02\x00',
];

let server: RunningMneme;
let mneme: Mneme;
beforeAll(async () => {
  const limit = String(CONNECTIONS_MAX);
  const limits = ['--connections-max', limit, '--connections-per-address-max', limit];
  // Only the limit closes a silent connection.
  const flags = ['--embedder', 'none', '--max-handshake-ms', '3600000', ...limits];
  server = await startMneme({ flags, isQuiet: true });
  mneme = connect(server.address, PATIENT_CLIENT);
  await mneme.admin.getServerInfo();
});
afterAll(async () => {
  await mneme.close();
  await server.stop();
});

async function opened(beginning: string): Promise<Socket> {
  const [host = '', port = ''] = server.address.split(':');
  const socket = connectTcp(Number(port), host).on('error', () => undefined);
  socket.resume();
  // One above the limit may be closed before it is seen to be open.
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  if (socket.writable) socket.write(beginning);
  return socket;
}

async function closeOf(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

/** Opens more silent connections than the limit, and waits until the server has closed those above it. */
async function exceedLimit(): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS_MAX + EXCESS }, () => opened('')));
  await new Promise<void>((resolve) => {
    let closed = 0;
    const note = () => ++closed === EXCESS && resolve();
    for (const socket of sockets) {
      if (socket.closed) note();
      else socket.once('close', note);
    }
  });
  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map(closeOf));
}

it('1,000 connections that open and close, more at once than the limit › no call of others fails, and others can connect', async () => {
  const random = seededRandom('connection storm');
  await exceedLimit();
  const stored: string[] = [];
  let isOver = false;
  const calling = (async () => {
    while (!isOver || stored.length < 20) stored.push((await mneme.store({ text: `tea ${stored.length}` })).id);
  })();
  // Its failure is thrown below.
  calling.catch(() => undefined);
  for (let count = 0; count < CONNECTIONS; count += AT_ONCE) {
    const sockets = await Promise.all(Array.from({ length: AT_ONCE }, () => opened(random.pick(BEGINNINGS))));
    for (const socket of sockets) {
      if (random.chance(0.5)) socket.destroy();
      else socket.end();
    }
    await Promise.all(sockets.map(closeOf));
  }
  isOver = true;
  await calling;

  const other = connect(server.address, PATIENT_CLIENT);
  expect((await other.count()).count).toBe(stored.length);
  await other.close();
}, 120_000);
