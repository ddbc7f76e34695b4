import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, DataLossError, type Mneme } from '../../../clients/typescript/src/index.ts';
import { databaseFileIn, openWritable } from '../../../src/storage/sqlite/database.ts';
import { freePort } from '../../support/free-port.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';
import { randomOf, type TestRandom } from '../../support/random.ts';
import { damagePage, FAULTS, pagesOf } from '../damage/pages.ts';
import { markOfMemory } from './entries.ts';
import { CHECKPOINT, VALUE } from './lane.ts';
import type { Finding, Model } from './model.ts';
import { NAMESPACE, type Rig } from './rig.ts';
import { ServerProcess } from './server-process.ts';

const PAGES_MAX = 3;

/**
 * Damages pages in a copy of the folder of a killed server and asks a server on the copy for everything: each memory is right or
 * named as damaged, or the call fails with DATA_LOSS.
 */
export async function findingsOfDamage(rig: Rig, model: Model, seed: string): Promise<Finding[]> {
  const random = randomOf('damaged pages', seed);
  const folder = mkdtempSync(join(tmpdir(), 'mneme-campaign-damage-'));
  const data = join(folder, 'data');
  let server: ServerProcess | undefined;
  try {
    cpSync(rig.data, data, { recursive: true });
    const where = damage(data, random);
    const listen = `127.0.0.1:${await freePort()}`;
    const flags = ['--embedder', 'none', '--ranker', 'fusion'];
    server = new ServerProcess({ listen, data, env: {}, flags, logFile: join(folder, 'log') });
    const started = await server.started;
    if (typeof started !== 'number') return /mneme repair/.test(started.message) ? [] : [wrong(where, started.message)];
    const mneme = connect(listen, { ...PATIENT_CLIENT, namespace: NAMESPACE, retry: false });
    const findings = await ask(mneme, memoriesOf(model), where);
    if (server.end !== undefined) findings.push(wrong(where, `the server ended with ${server.end}`));
    await mneme.close();
    return findings;
  } finally {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function damage(data: string, random: TestRandom): string {
  // Opened and closed, so that everything is in the pages of the file.
  openWritable(databaseFileIn(data)).close();
  const pages = pagesOf(data);
  const owners = [...new Set(pages.map(({ owner }) => owner))];
  return Array.from({ length: 1 + random.int(PAGES_MAX) }, () => {
    const owner = random.pick(owners);
    const page = random.pick(pages.filter((one) => one.owner === owner));
    const fault = random.pick(FAULTS);
    damagePage(data, page, fault, random);
    return `${fault} ${page.kind} page ${page.number} of ${page.owner}`;
  }).join(', ');
}

async function ask(mneme: Mneme, expected: ReadonlyMap<string, string>, where: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  const onDamaged = (ids: readonly string[]) => {
    for (const id of ids) seen.add(id);
  };
  try {
    for await (const memory of mneme.list({ view: 'full', onDamaged })) {
      seen.add(memory.id);
      const mark = markOfMemory(memory, true);
      const known = expected.get(memory.id);
      if (known !== undefined && known !== mark) findings.push(wrong(where, `${memory.id} has ${mark}, not ${known}`));
    }
    for (const id of expected.keys()) {
      if (!seen.has(id)) findings.push({ kind: 'lost', text: `${where}: the list omits ${id} without naming it` });
    }
  } catch (error) {
    if (!(error instanceof DataLossError)) findings.push(wrong(where, `List: ${String(error)}`));
  }
  for (const [id, mark] of expected) {
    try {
      const memory = await mneme.get(id, { view: 'full' });
      if (markOfMemory(memory, true) !== mark) findings.push(wrong(where, `Get ${id}: ${markOfMemory(memory, true)}`));
    } catch (error) {
      if (!(error instanceof DataLossError)) findings.push(wrong(where, `Get ${id}: ${String(error)}`));
    }
  }
  return findings;
}

function memoriesOf(model: Model): Map<string, string> {
  return new Map([...model.known()].filter(([id]) => !id.startsWith(VALUE) && !id.startsWith(CHECKPOINT)));
}

function wrong(where: string, text: string): Finding {
  return { kind: 'wrong', text: `${where}: ${text}` };
}
