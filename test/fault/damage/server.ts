import { connect, type Mneme } from '../../../clients/typescript/src/index.ts';
import { configFrom } from '../../../src/server/config/config.ts';
import { createServer } from '../../../src/server/server.ts';
import { loggerInto } from '../../server/grpc/support/test-server.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';
import { reusedThreads } from '../../support/reused-threads.ts';

export interface TrialServer {
  readonly mneme: Mneme;
  readonly log: readonly Record<string, unknown>[];
  stop(): Promise<void>;
}

export type Ranker = 'learned' | 'fusion';

/** A server on a folder that stays when it stops. */
export async function startServer(data: string, ranker: Ranker = 'fusion'): Promise<TrialServer> {
  const log: Record<string, unknown>[] = [];
  const flags = { listen: '127.0.0.1:0', data, embedder: 'none', ranker, shutdownGraceMs: '2000', logLevel: 'warn' };
  const config = configFrom({ flags, env: {} });
  const server = createServer(config, { logger: loggerInto(log), threads: reusedThreads() });
  await server.start();
  const mneme = connect(server.address, { ...PATIENT_CLIENT, retry: false });
  return {
    mneme,
    log,
    async stop() {
      await mneme.close();
      await server.stop();
    },
  };
}
