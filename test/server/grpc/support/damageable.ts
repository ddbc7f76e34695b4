import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Mneme } from '../../../../clients/typescript/src/index.ts';
import { type DamagedInFolder, damageInFolder } from '../../../support/damage.ts';
import { PATIENT_CLIENT } from '../../../support/patient.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** The namespace that `mneme` asks. */
export const SPACE = 'space';

/** A server whose files can be damaged. */
export interface Damageable {
  readonly server: TestServer;
  readonly mneme: Mneme;
  damage(id: string, part: DamagedInFolder): void;
  stop(): Promise<void>;
}

export async function startDamageable(): Promise<Damageable> {
  const data = await mkdtemp(join(tmpdir(), 'mneme-damaged-'));
  const server = await startTestServer({ data, embedder: 'none', maintenanceIntervalMs: '86400000' });
  const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: SPACE });
  // The search has started by then: it reads existing memories at its start, and all others on demand.
  const elsewhere = mneme.withNamespace('elsewhere');
  await elsewhere.store({ text: 'some text' });
  await elsewhere.recall({ text: 'text', minRelevance: 0 });
  return {
    server,
    mneme,
    damage: (id, part) => damageInFolder(data, id, part),
    async stop() {
      void mneme.close();
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}
