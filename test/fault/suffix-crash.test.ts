import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { collect } from '../client/support/collect.ts';
import { firstOrAll, sized } from '../support/all-tests.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { seededRandom } from '../support/random.ts';
import { BACKENDS, type BackendOfServer, startBackend } from './backend-of-server.ts';

const ROUNDS = sized({ sample: 1, nightly: 3 });
const [LONG, SHORT] = [40, 3];

describe.each(firstOrAll(BACKENDS))('a server with %s', (name) => {
  let backend: BackendOfServer;
  let data: string;
  beforeEach(async () => {
    backend = await startBackend(name);
    data = await mkdtemp(join(tmpdir(), 'mneme-suffix-crash-'));
  });
  afterEach(async () => {
    await backend.stop();
    await rm(data, { recursive: true, force: true });
  });

  it('is killed amid replacements of a suffix › the suffix is the old or the new one, and a repetition completes it', async () => {
    const random = seededRandom('suffix crash');
    let version = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startMneme({ data, env: backend.env, isQuiet: true });
      const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'talks', retry: false });
      if (round === 0) await mneme.conversations.append('c', messagesOf(0));
      const killAt = version + 2 + random.int(8);
      let killed: Promise<void> | undefined;
      for (let isCut = false; !isCut; ) {
        const call = replace(mneme, version + 1);
        if (version + 1 === killAt) killed = server.stop('SIGKILL');
        isCut = await call.then(
          () => false,
          () => true,
        );
        if (!isCut) version++;
      }
      await killed;
      await mneme.close();

      const restarted = await startMneme({ data, env: backend.env, isQuiet: true });
      const reader = connect(restarted.address, { ...PATIENT_CLIENT, namespace: 'talks' });
      const texts = () =>
        collect(reader.conversations.list('c')).then((all) =>
          all.flatMap(({ blocks }) => blocks.map((block) => ('text' in block ? block.text : ''))),
        );
      const found = await texts();
      expect([`seed ${random.seed}`, textsOf(version), textsOf(version + 1)]).toContainEqual(found);
      await replace(reader, ++version);
      expect(await texts()).toEqual(textsOf(version));
      await reader.close();
      await restarted.stop();
    }
  }, 120_000);
});

function textsOf(version: number): string[] {
  return Array.from({ length: version % 2 === 0 ? LONG : SHORT }, (_, at) => `message ${at} of version ${version}`);
}

function messagesOf(version: number) {
  return textsOf(version).map((text) => ({ role: 'user' as const, text }));
}

/** Replaces the messages of the version before. */
async function replace(mneme: Mneme, version: number): Promise<void> {
  const expectedCount = textsOf(version - 1).length;
  const query = { expectedCount, messages: messagesOf(version) };
  await mneme.conversations.replaceSuffix('c', query, { requestId: `version-${version}` });
}
