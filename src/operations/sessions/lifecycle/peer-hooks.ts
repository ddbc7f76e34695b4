import type { LifecycleEvent } from '../../../memory/lifecycle.ts';
import type { HookOffer, PeerHook } from '../../../storage/hook-peers.ts';
import type { HookVerdict, LifecycleHook } from './lifecycle-hook.ts';

type Registration = Omit<LifecycleHook, 'handle' | 'name'>;

/** A hook of this server as the others are told of it. */
export function offerOf({ name, handle, ...registration }: LifecycleHook): HookOffer {
  return {
    name,
    description: JSON.stringify(registration satisfies Registration),
    answer: async (question, signal) => {
      const verdict = await handle(JSON.parse(question) as LifecycleEvent, signal);
      return JSON.stringify({ verdict });
    },
  };
}

/** A hook of another server, to be asked like one of this server. */
export function hookOf({ name, description, ask }: PeerHook, timeoutMs: number): LifecycleHook {
  const registration = JSON.parse(description) as Registration;
  return {
    ...registration,
    name,
    handle: async (event, signal) => {
      const answer = await ask(JSON.stringify(event), registration.timeoutMs ?? timeoutMs, signal);
      return (JSON.parse(answer) as { verdict?: HookVerdict }).verdict;
    },
  };
}
