import { MnemeError } from '../../../memory/errors.ts';
import type { WorkLease, WorkLeases } from '../../../storage/subscription-store.ts';
import type { FactSink } from '../../extraction/extractor.ts';
import type { ExtractionDeps } from './extraction-deps.ts';
import type { LogIntake } from './log-intake.ts';

/** Time after which another server continues a conversation of a server that has died. */
const LEASE_MS = 9000;
const RENEWALS = 3;

/** The right to extract from a conversation: one server at a time has it, so that its messages are extracted in order. */
export interface ConversationLease {
  /** Aborted once another server may have the lease. */
  readonly signal: AbortSignal;
  /** Fails with STORAGE_UNAVAILABLE where another server may have the lease. Called before each write of results. */
  confirm(): Promise<void>;
  end(): Promise<void>;
}

/** Of a store that no other server uses. */
const UNSHARED: ConversationLease = {
  signal: new AbortController().signal,
  confirm: async () => undefined,
  end: async () => undefined,
};

/** Undefined while another server has the lease. */
export async function leaseOf(
  deps: Pick<ExtractionDeps, 'timing' | 'newId' | 'clock'>,
  intake: LogIntake | undefined,
  conversation: string,
): Promise<ConversationLease | undefined> {
  if (!intake) return undefined;
  const { leases, subscriptionKey } = intake;
  if (!leases) return UNSHARED;
  const lease = { subscriptionKey, name: conversation, holder: deps.newId() };
  return (await leases.take(lease, LEASE_MS)) ? new SharedLease(deps, leases, lease) : undefined;
}

class SharedLease implements ConversationLease {
  private readonly deps: Pick<ExtractionDeps, 'timing' | 'clock'>;
  private readonly leases: WorkLeases;
  private readonly lease: WorkLease;
  private readonly lost = new AbortController();
  private endsAtUs: number;
  private cancel: () => void = () => undefined;
  private isEnded = false;

  constructor(deps: Pick<ExtractionDeps, 'timing' | 'clock'>, leases: WorkLeases, lease: WorkLease) {
    this.deps = deps;
    this.leases = leases;
    this.lease = lease;
    this.endsAtUs = deps.clock.nowUs() + LEASE_MS * 1000;
    this.renewLater();
  }

  get signal(): AbortSignal {
    return this.lost.signal;
  }

  async confirm(): Promise<void> {
    this.lost.signal.throwIfAborted();
    const endsAtUs = this.deps.clock.nowUs() + LEASE_MS * 1000;
    if (!(await this.leases.renew(this.lease, LEASE_MS))) this.lose();
    this.lost.signal.throwIfAborted();
    this.endsAtUs = endsAtUs;
  }

  async end(): Promise<void> {
    this.isEnded = true;
    this.cancel();
    // Where this fails the lease ends by itself.
    await this.leases.release(this.lease).catch(() => undefined);
  }

  private renewLater(): void {
    const renew = () => {
      // Redis that does not answer may answer before the lease ends.
      this.confirm()
        .catch(() => this.deps.clock.nowUs() >= this.endsAtUs && this.lose())
        .finally(() => this.renewLater());
    };
    if (!this.isEnded && !this.lost.signal.aborted) this.cancel = this.deps.timing.setTimer(renew, LEASE_MS / RENEWALS);
  }

  private lose(): void {
    if (!this.isEnded) this.lost.abort(new MnemeError('STORAGE_UNAVAILABLE', LOST));
  }
}

const LOST = 'another server may extract from the conversation';

/** Results are written only by the server that has the lease. */
export function underLease(lease: ConversationLease, sink: FactSink): FactSink {
  return {
    async assertClaims(assertion, signal) {
      await lease.confirm();
      return sink.assertClaims(assertion, signal);
    },
    async withdraw(namespace, messageIds, signal) {
      await lease.confirm();
      return sink.withdraw(namespace, messageIds, signal);
    },
  };
}
