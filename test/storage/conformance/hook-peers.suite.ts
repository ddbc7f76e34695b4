import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { HookOffer, HookPeers, PeerHook } from '../../../src/storage/hook-peers.ts';

export interface HookPeersSubject {
  readonly name: string;
  /** The peers of three servers that share their sessions. */
  create(): Promise<{ servers: readonly [HookPeers, HookPeers, HookPeers]; close(): Promise<void> }>;
}

const TIMEOUT_MS = 60_000;
const NEVER = new AbortController().signal;

/** Contract of all `HookPeers`. */
export function hookPeersSuite({ name, create }: HookPeersSubject): void {
  describe(`hook peers (${name})`, () => {
    let one: HookPeers;
    let two: HookPeers;
    let three: HookPeers;
    let close: () => Promise<void>;
    beforeEach(async () => {
      const made = await create();
      [one, two, three] = made.servers;
      close = made.close;
    });
    afterEach(() => close());

    const offer = (of: string, answer: HookOffer['answer'] = async (question) => `${of}: ${question}`): HookOffer => ({
      name: of,
      description: `about ${of}`,
      answer,
    });
    const namesOf = async (peers: HookPeers) => (await peers.others()).map((hook) => hook.name).sort();
    async function only(peers: HookPeers): Promise<PeerHook> {
      const [hook] = await peers.others();
      if (!hook) throw new Error('there is no hook of another server');
      return hook;
    }

    it('a hook that is offered › is listed at the other servers at once, with its description, and not at its own', async () => {
      await one.offer(offer('a'));
      await two.offer(offer('b'));
      expect([await namesOf(one), await namesOf(two), await namesOf(three)]).toEqual([['b'], ['a'], ['a', 'b']]);
      expect((await only(two)).description).toBe('about a');
    });

    it('called by another server › returns the answer of its server', async () => {
      await one.offer(offer('a'));
      expect(await (await only(two)).ask('why?', TIMEOUT_MS, NEVER)).toBe('a: why?');
      expect(await (await only(three)).ask('"ä\n{}', TIMEOUT_MS, NEVER)).toBe('a: "ä\n{}');
    });

    it('called many times at once by several servers › each call gets its own answer', async () => {
      await one.offer(offer('a'));
      const asked = [await only(two), await only(three)].flatMap((hook, server) =>
        Array.from({ length: 40 }, async (_, at) => {
          expect(await hook.ask(`${server}-${at}`, TIMEOUT_MS, NEVER)).toBe(`a: ${server}-${at}`);
        }),
      );
      await Promise.all(asked);
    });

    it('that fails › fails for the caller, with the same message', async () => {
      await one.offer(
        offer('a', async () => {
          throw new Error('no ledger');
        }),
      );
      await expect((await only(two)).ask('?', TIMEOUT_MS, NEVER)).rejects.toThrow('no ledger');
    });

    it('that does not answer › delays callers by their time limit at most, and gets an abort when no caller waits', async () => {
      const notified = Promise.withResolvers<void>();
      await one.offer(
        offer('a', (_, signal) => {
          signal.addEventListener('abort', () => notified.resolve(), { once: true });
          return new Promise<string>(() => undefined);
        }),
      );
      const hook = await only(two);
      await expect(hook.ask('?', 50, AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
      await notified.promise;
    });

    it('that is withdrawn › is gone, also for servers that still list it', async () => {
      const takeBack = await one.offer(offer('a'));
      const known = await only(two);
      takeBack();
      await expect(known.ask('?', TIMEOUT_MS, NEVER)).rejects.toThrow('not connected');
      await one.offer(offer('b'));
      expect(await namesOf(two)).toEqual(['b']);
    });

    it('of a server that has closed › is gone', async () => {
      await one.offer(offer('a'));
      await one.close();
      await one.close();
      expect(await namesOf(two)).toEqual([]);
    });
  });
}
