import { AuditLog } from '../../src/server/audit/audit-log.ts';

/** Writes to the audit log of a folder until it is killed, and prints the calls whose records are on disk. */
const [folder = '', prefix = ''] = process.argv.slice(2);
const log = await AuditLog.open(folder, { fileBytes: 20_000, totalBytes: 1e9 }, { nowUs: () => Date.now() * 1000 });
let count = 0;

async function write(): Promise<never> {
  for (;;) {
    const call = `${prefix}-${++count}`;
    const method = 'mneme.v1.MemoryService/DeleteMemory';
    await log.append({ call, identity: 'i', method, namespace: 'n', names: ['namespaces/n/memories/m'], request: '' });
    process.stdout.write(`${call}\n`);
  }
}

await Promise.all([write(), write(), write()]);
