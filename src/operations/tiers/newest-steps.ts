import type { Decay } from '../../memory/importance.ts';
import type { Micros } from '../../memory/memory.ts';
import type { MemoryStore } from '../../storage/memory-store.ts';
import { compare } from '../memories/states-filter.ts';

/**
 * The newest step of each agent, where importance decays by steps: what a memory's own step is compared with. Memories of
 * no agent go by the newest step of all.
 */
export class NewestSteps {
  private readonly store: Pick<MemoryStore, 'list'>;
  private readonly namespace: string;
  private readonly decay: Decay;
  private readonly known = new Map<string, number | undefined>();

  constructor(store: Pick<MemoryStore, 'list'>, namespace: string, decay: Decay) {
    this.store = store;
    this.namespace = namespace;
    this.decay = decay;
  }

  /** Reads those of the agents, one index entry each, that are not known yet; nothing where steps do not count. */
  async learn(agents: Iterable<string>, nowUs: Micros): Promise<void> {
    if (this.decay.per !== 'step' || this.decay.factor === 1) return;
    for (const agent of new Set(agents)) {
      if (!this.known.has(agent)) this.known.set(agent, await this.newestOf(agent, nowUs));
    }
  }

  /** As `Now` of `importance.ts` takes it. */
  of(agent: string): { readonly step?: number } {
    const step = this.known.get(agent);
    return step === undefined ? {} : { step };
  }

  private async newestOf(agent: string, nowUs: Micros): Promise<number | undefined> {
    const { memories } = await this.store.list({
      namespace: this.namespace,
      filter: agent === '' ? compare('step', 'greater_or_equal', 0) : compare('agent', 'equals', agent),
      order: 'step_desc',
      limit: 1,
      bytesMax: Number.MAX_SAFE_INTEGER,
      view: 'metadata',
      nowUs,
    });
    return memories[0]?.step;
  }
}
