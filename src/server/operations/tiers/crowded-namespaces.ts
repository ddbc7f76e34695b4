import { isNamespaceMissing } from '../../../memory/errors.ts';
import type { ChangeLog } from '../../../storage/change-log/change-log.ts';
import type { Records } from '../../../storage/records.ts';
import type { View } from '../../../storage/view.ts';
import { limitsOf } from '../namespaces/namespaces.ts';
import { policyOf } from './tier-config.ts';

/** Entries of the change log that are looked through at once; where there are more every namespace is to be looked at. */
const LOOKED_THROUGH = 50_000;
/** Namespaces whose totals are read at once; the others wait for the next look. */
const LOOKED_AT = 200;
/** Excess over a tier's limit is moved down gradually; above this share of the limit it is moved immediately. */
const ABOVE_MAX = 0.1;

interface CrowdedDeps {
  readonly store: Pick<Records, 'tierSettings'>;
  /** Of the log itself: memories copied into it count when they arrive. */
  readonly view: Pick<View, 'totals'>;
  readonly changes: Pick<ChangeLog, 'revision' | 'changedNamespaces'>;
}

/**
 * Finds the namespaces that writes have brought well above a limit: among those written since the last check, by their
 * totals alone.
 */
export class CrowdedNamespaces {
  private readonly deps: CrowdedDeps;
  private readonly written = new Set<string>();
  private revision: number;

  constructor(deps: CrowdedDeps) {
    this.deps = deps;
    this.revision = deps.changes.revision;
  }

  /** `undefined` where it is not known which were written. */
  async look(): Promise<string[] | undefined> {
    const { changes } = this.deps;
    const { revision } = changes;
    if (revision !== this.revision) {
      const names = await changes.changedNamespaces({ afterRevision: this.revision, limit: LOOKED_THROUGH });
      this.revision = revision;
      if (!names) return undefined;
      for (const name of names) this.written.add(name);
    }
    const crowded: string[] = [];
    for (const name of [...this.written].slice(0, LOOKED_AT)) {
      this.written.delete(name);
      if (await this.isCrowded(name)) crowded.push(name);
    }
    return crowded;
  }

  private async isCrowded(namespace: string): Promise<boolean> {
    try {
      const [policy, totals] = await Promise.all([policyOf(this.deps, namespace), this.deps.view.totals(namespace)]);
      return limitsOf(policy, totals).some(({ limit, holds }) => limit > 0 && holds > limit * (1 + ABOVE_MAX));
    } catch (error) {
      if (isNamespaceMissing(error)) return false;
      throw error;
    }
  }
}
