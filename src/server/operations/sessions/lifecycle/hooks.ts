import { MnemeError } from '../../../../memory/errors.ts';
import type { LifecycleEvent, Notes, Phase } from '../../../../memory/lifecycle.ts';
import type { Scope } from '../../../../memory/memory.ts';
import { isWithin } from '../../../../memory/scope.ts';
import type { Transition } from '../../../../memory/session.ts';
import type { HookOffer, HookPeers, PeerHook } from '../../../../storage/hook-peers.ts';

export interface HookReport {
  readonly hook: string;
  readonly phase: 'before' | 'after';
  readonly result: 'ok' | 'vetoed' | 'failed' | 'timed_out';
  /** Why it vetoed or failed; empty otherwise. */
  readonly reason: string;
  readonly durationMs: number;
}

export interface HookAnswers {
  readonly reports: readonly HookReport[];
  /** Notes that before-hooks added, in the order of registration. */
  readonly notes: Notes;
  /** The first hook that refuses. */
  readonly veto?: { readonly hook: string; readonly reason: string };
}

export const HOOK_TIMEOUT_MS = 1000;
/** Reported name for hooks of other servers when these cannot be reached. */
const OTHERS = 'hooks of other servers';
const REASON_MAX = 1024;
const NO_ANSWERS: HookAnswers = { reports: [], notes: {} };

/**
 * The hooks of a server, and of servers that share its sessions: hooks with the same name on several servers count as
 * one. They are called in descending priority; hooks of one priority concurrently, in the order of registration, so
 * that the slowest of them determines the duration. A veto stops the calls.
 */
export class LifecycleHooks {
  private readonly hooks = new Set<LifecycleHook>();
  private readonly byCaller = new Map<string, number>();
  private readonly countMax: number;
  private readonly perCallerMax: number;
  private readonly peers: HookPeers | undefined;

  constructor(countMax: number, peers?: HookPeers, perCallerMax = countMax) {
    this.countMax = countMax;
    this.perCallerMax = perCallerMax;
    this.peers = peers;
  }

  /**
   * Resolves when every server calls the hook, to the function that removes it. Hooks without a caller are those of the
   * process. Fails with HOOKS_FULL.
   */
  async register(hook: LifecycleHook, caller?: string): Promise<() => void> {
    const remove = this.add(hook, caller);
    try {
      const takeBack = await this.peers?.offer(offerOf(hook));
      return () => {
        remove();
        takeBack?.();
      };
    } catch (error) {
      remove();
      throw error;
    }
  }

  private add(hook: LifecycleHook, caller: string | undefined): () => void {
    if (this.hooks.size >= this.countMax) throw hooksFull('the server', this.countMax);
    const count = (caller !== undefined && this.byCaller.get(caller)) || 0;
    if (count >= this.perCallerMax) throw hooksFull('the caller', this.perCallerMax);
    this.hooks.add(hook);
    if (caller !== undefined) this.byCaller.set(caller, count + 1);
    return () => {
      if (!this.hooks.delete(hook) || caller === undefined) return;
      const left = (this.byCaller.get(caller) ?? 1) - 1;
      if (left > 0) this.byCaller.set(caller, left);
      else this.byCaller.delete(caller);
    };
  }

  /**
   * Takes no longer than the hooks' own timeouts and the caller's signal allow. Fails only before a transition, when
   * the registered hooks cannot be determined.
   */
  async ask(phase: 'before' | 'after', event: LifecycleEvent, signal: AbortSignal): Promise<HookAnswers> {
    const { asked, failures } = await this.askedFor(phase, event);
    if (asked.length + failures.length === 0) return NO_ANSWERS;
    const reports: HookReport[] = [];
    let notes: Notes = {};
    for (const hooks of byPriority(asked)) {
      // Later hooks see the notes of earlier ones.
      const annotated = { ...event, metadata: { ...event.metadata, ...notes } };
      const answers = await Promise.all(hooks.map((hook) => answerOf(hook, phase, annotated, signal)));
      reports.push(...answers.map(({ report }) => report));
      notes = Object.assign({}, notes, ...answers.map((answer) => answer.notes)) as Notes;
      const refusing = answers.find(({ refusal }) => refusal !== undefined);
      if (refusing?.refusal === undefined) continue;
      return { reports, notes, veto: { hook: refusing.report.hook, reason: refusing.refusal } };
    }
    return { reports: [...reports, ...failures], notes };
  }

  private async askedFor(phase: 'before' | 'after', event: LifecycleEvent): Promise<Asked> {
    const own = [...this.hooks].filter((hook) => concerns(hook, phase, event));
    if (!this.peers) return { asked: own, failures: [] };
    try {
      const others = (await this.peers.others()).map((hook) => hookOf(hook, HOOK_TIMEOUT_MS));
      const byName = new Map(others.filter((hook) => concerns(hook, phase, event)).map((hook) => [hook.name, hook]));
      for (const { name } of own) byName.delete(name);
      return { asked: [...own, ...byName.values()], failures: [] };
    } catch (error) {
      // The transition is committed: only report that not all hooks were called.
      if (phase === 'before') throw error;
      const reason = shortened(error instanceof Error ? error.message : String(error));
      return { asked: own, failures: [{ hook: OTHERS, phase, result: 'failed', reason, durationMs: 0 }] };
    }
  }
}

function hooksFull(holder: string, limit: number): MnemeError {
  return new MnemeError('HOOKS_FULL', `${holder} has reached its limit of ${limit} hooks`, {
    metadata: { limit: String(limit) },
  });
}

/** Hooks grouped by priority, in registration order; the highest first. */
function byPriority(hooks: readonly LifecycleHook[]): readonly LifecycleHook[][] {
  const groups = new Map<number, LifecycleHook[]>();
  for (const hook of hooks) {
    const { priority = 0 } = hook;
    groups.set(priority, [...(groups.get(priority) ?? []), hook]);
  }
  return [...groups].sort(([one], [other]) => other - one).map(([, group]) => group);
}

interface Asked {
  readonly asked: readonly LifecycleHook[];
  readonly failures: readonly HookReport[];
}

interface Answer {
  readonly report: HookReport;
  readonly notes: Notes;
  readonly refusal?: string;
}

function concerns(hook: LifecycleHook, phase: Phase, { transition, session }: LifecycleEvent): boolean {
  return (
    hook.phases.some((one) => one === phase) &&
    (hook.namespace === undefined || hook.namespace === session.namespace) &&
    (hook.transitions === undefined || hook.transitions.includes(transition)) &&
    (hook.scope === undefined || isWithin(session.scope, hook.scope))
  );
}

async function answerOf(
  hook: LifecycleHook,
  phase: 'before' | 'after',
  event: LifecycleEvent,
  callSignal: AbortSignal,
): Promise<Answer> {
  const { name, timeoutMs = HOOK_TIMEOUT_MS, isRequired = false } = hook;
  const startedAtMs = performance.now();
  const answer = (result: HookReport['result'], reason = '', notes: Notes = {}): Answer => {
    const report = { hook: name, phase, result, reason, durationMs: performance.now() - startedAtMs };
    const refuses = phase === 'before' && (result === 'vetoed' || (isRequired && result !== 'ok'));
    return { report, notes, ...(refuses ? { refusal: reason } : {}) };
  };
  const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
  const signal = AbortSignal.any([timeout, callSignal]);
  try {
    const verdict = await orAborted(
      Promise.resolve().then(() => hook.handle(event, signal)),
      signal,
    );
    if (verdict === undefined || phase === 'after') return answer('ok');
    if ('veto' in verdict) return answer('vetoed', shortened(verdict.veto));
    return answer('ok', '', verdict.metadata);
  } catch (error) {
    if (timeout.aborted) return answer('timed_out', `did not answer within ${timeoutMs} ms`);
    return answer('failed', shortened(error instanceof Error ? error.message : String(error)));
  }
}

/** The promise, or the signal's reason as soon as it is aborted: the promise is then left to itself. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function shortened(reason: string): string {
  return reason.slice(0, REASON_MAX).toWellFormed();
}

type Registration = Omit<LifecycleHook, 'handle' | 'name'>;

/** A hook of this server as other servers know it. */
function offerOf({ name, handle, ...registration }: LifecycleHook): HookOffer {
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
function hookOf({ name, description, ask }: PeerHook, timeoutMs: number): LifecycleHook {
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

/** A hook that is called before or after session transitions. */
export interface LifecycleHook {
  /** Names it in reports. */
  readonly name: string;
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly phases: readonly ('before' | 'after')[];
  /** Default: all of them. */
  readonly transitions?: readonly Transition[];
  /** Hooks with a higher priority are called first. Default 0. */
  readonly priority?: number;
  /** Only sessions of this scope: parts that are not empty must be equal. */
  readonly scope?: Scope;
  /** Longest wait for its answer. Default 1 s. */
  readonly timeoutMs?: number;
  /** A before-hook that fails or times out refuses the transition. Default: the transition continues. */
  readonly isRequired?: boolean;
  /** The signal is aborted when the caller stops waiting. A thrown error is reported as the hook's failure. */
  handle(event: LifecycleEvent, signal: AbortSignal): HookVerdict | Promise<HookVerdict>;
}

/** Undefined: the transition may take place. After-hooks have no verdict. */
export type HookVerdict = { readonly veto: string } | { readonly metadata: Notes } | undefined;
