import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { newMemory } from '../support/new-memory.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openTieredStore } from '../support/tiered-store.ts';
const WRITE = `redis.call('HSET', KEYS[1] .. ARGV[1], 'd', ARGV[2], 'content', ARGV[3])
redis.call('ZADD', KEYS[1] .. 'o', ARGV[4], ARGV[1])
redis.call('ZADD', KEYS[1] .. 't', ARGV[4], ARGV[1])
redis.call('XADD', KEYS[1] .. 'log', 'MAXLEN', '~', '10000', '*', 'k', 'stored', 'i', ARGV[1])
return 1`;
const content = { mediaType: 'application/json', data: Buffer.from(JSON.stringify({ reward: 0.5, note: 'x'.repeat(450) })) };
const text = 'The lighthouse at the end of the pier was painted red last summer by two brothers. '.repeat(6);
const memory = (id: string) => newMemory({ id, text, content });
const server = await RedisServer.started();
const folder = mkdtempSync(join(tmpdir(), 'prof-'));
const opened = await openTieredStore({ folder, urls: [server.url] });
const { store } = opened;
const client = createClient({ url: server.url, RESP: 2, commandOptions: { timeout: 0 } });
client.on('error', (e) => { throw e; });
await client.connect();
const sha1 = await client.scriptLoad(WRITE);
const json = JSON.stringify({ ...memory('id'), content: undefined });
let c = 0;
let b = 0;
const redisUs = async () => {
  const info = String(await server.command('INFO', 'cpu'));
  return (Number(/used_cpu_user:([\d.]+)/.exec(info)?.[1]) + Number(/used_cpu_sys:([\d.]+)/.exec(info)?.[1])) * 1e6;
};
async function run(name: string, call: (at: number) => Promise<unknown>, ms = 3000) {
  const r0 = await redisUs();
  const t0 = process.threadCpuUsage(); const p0 = process.cpuUsage(); const s = performance.now();
  let done = 0;
  const loop = async () => { while (performance.now() - s < ms) await call(done++); };
  await Promise.all(Array.from({ length: 64 }, loop));
  const wall = performance.now() - s;
  const t1 = process.threadCpuUsage(t0); const p1 = process.cpuUsage(p0); 
  const r1 = await redisUs();
  const main = t1.user + t1.system; const all = p1.user + p1.system;
  console.log(name.padEnd(14), 'wall/s', Math.round(done / wall * 1000), 'main us', (main / done).toFixed(1), 'other threads us', ((all - main) / done).toFixed(1), 'redis us', ((r1 - r0) / done).toFixed(1));
  await opened.store.follower.settled();
}
const write = () => store.store({ namespace: 'bench', memories: [memory(`m${c++}`)], createNamespace: true, onConflict: 'fail', atUs: 1 });
const read = (at: number) => store.get({ namespace: 'bench', ids: [`m${at % c}`], view: 'basic', nowUs: 1 });
const bareWrite = () => client.sendCommand(['EVALSHA', sha1, '1', 'bare:', `b${b++}`, json, content.data, `${performance.now()}`]);
const bareRead = (at: number) => client.sendCommand(['HGETALL', `bare:b${at % b}`]);
const which = process.argv[2] ?? 'all';
await run('warm bare', bareWrite, 500);
await run('warm store', write, 1500);
for (let i = 0; i < 2; i++) {
  if (which === 'all') { await run('bare write', bareWrite, 1500); }
  if (which !== 'get') await run('store', write);
  if (which === 'all') await run('bare read', bareRead, 1500);
  if (which !== 'store') await run('get', read);
}
client.destroy();
await opened.close();
await server.stop();
rmSync(folder, { recursive: true });
