import type { TestRandom } from '../../support/random.ts';
import type { Account } from './account.ts';
import type { Callers } from './callers.ts';
import type { Mesh } from './mesh.ts';

export type FaultName = 'kill' | 'terminate' | 'postgres' | 'certificates' | 'redis';

/** All but those that are there only where they are asked for. */
export const FAULTS: readonly FaultName[] = ['kill', 'terminate', 'postgres', 'certificates'];

/** How long Redis answers nothing. */
const FROZEN_MS = 5000;
/** Calls that each program makes while a server is away, at the most. */
const AWAY_CALLS_MAX = 40;

interface Fault {
  readonly title: string;
  readonly mayFail: boolean;
  work(mesh: Mesh, callers: Callers, random: TestRandom): Promise<void>;
}

const WORK: Readonly<Record<FaultName, Fault>> = {
  kill: {
    title: 'server killed (-9)',
    mayFail: true,
    work: async (mesh, callers, random) => {
      const at = random.int(mesh.addresses.length);
      await mesh.end(at, 'SIGKILL');
      await callers.succeed(random.int(AWAY_CALLS_MAX));
      await mesh.start(at);
    },
  },
  terminate: {
    title: 'server stopped (SIGTERM)',
    mayFail: false,
    work: async (mesh, callers, random) => {
      const at = random.int(mesh.addresses.length);
      await mesh.end(at, 'SIGTERM');
      await callers.succeed(random.int(AWAY_CALLS_MAX));
      await mesh.start(at);
    },
  },
  postgres: {
    title: 'PostgreSQL restarted',
    mayFail: true,
    work: (mesh, _, random) => mesh.restartPostgres(random.pick(['fast', 'immediate'])),
  },
  certificates: {
    title: 'certificates rotated',
    mayFail: false,
    work: async (mesh, callers) => {
      await mesh.rotateCertificates();
      callers.renew();
    },
  },
  redis: { title: 'Redis frozen for 5 s', mayFail: true, work: (mesh) => mesh.freezeRedis(FROZEN_MS) },
};

/** Resolves when it is over and each program has made `calls` calls since. */
export async function breakAndHeal(
  name: FaultName,
  {
    mesh,
    callers,
    account,
    random,
    calls,
  }: {
    readonly mesh: Mesh;
    readonly callers: Callers;
    readonly account: Account;
    readonly random: TestRandom;
    readonly calls: number;
  },
): Promise<void> {
  const { title, mayFail, work } = WORK[name];
  const window = account.begin(title, mayFail);
  await work(mesh, callers, random);
  await callers.succeed(calls);
  window.endMs = Date.now();
}
