import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { MnemeProcess } from '../contract/mneme-process.ts';
import { firstOrAll } from '../support/all-tests.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PROXIES, type ProxyName, type RunningProxy, startProxy } from '../support/proxies.ts';

const NAMESPACES = Array.from({ length: 16 }, (_, at) => `team-${at}`);
const STORES = 4;

describe.each(firstOrAll(PROXIES))('two servers behind %s', (name: ProxyName) => {
  const servers = [new MnemeProcess({ flags: {} }, new Map()), new MnemeProcess({ flags: {} }, new Map())] as const;
  let proxy: RunningProxy;
  const clients: Mneme[] = [];
  beforeAll(async () => {
    await Promise.all(servers.map((server) => server.start()));
    proxy = await startProxy(
      name,
      servers.map(({ address }) => address),
    );
  }, 120_000);
  afterAll(async () => {
    await Promise.all(clients.map((each) => each.close()));
    await proxy.stop();
    await Promise.all(servers.map((server) => server.remove()));
  });

  it('calls with the header of a namespace › one server has them all, and each server has some namespaces', async () => {
    const countsAt = (mneme: Mneme, namespace: string) =>
      mneme
        .withNamespace(namespace)
        .count()
        .then(
          ({ count }) => count,
          () => 0,
        );
    const through = connect(proxy.address, { ...PATIENT_CLIENT });
    clients.push(through);
    for (const namespace of NAMESPACES) {
      for (let at = 0; at < STORES; at++) await through.withNamespace(namespace).store({ text: `tea ${at}` });
    }
    const direct = servers.map(({ address }) => connect(address, { ...PATIENT_CLIENT }));
    clients.push(...direct);
    const shares = await Promise.all(
      NAMESPACES.map((namespace) => Promise.all(direct.map((mneme) => countsAt(mneme, namespace)))),
    );
    const sorted = shares.map((counts) => [...counts].sort((a, b) => a - b));
    expect(sorted).toEqual(NAMESPACES.map(() => [0, STORES]));
    for (const at of [0, 1]) expect(shares.some((counts) => counts[at] === STORES)).toBe(true);
  }, 120_000);
});
