import { isDamage, isStorageDamage } from '../../../memory/errors.ts';
import { isPageDamage } from '../driver-error.ts';

/** Names the data folder where a part of the server reports damage. */
export const DAMAGED_PART = 'data folder';

const REPAIR = '"mneme verify" lists what is lost; stop the server and run "mneme repair"';

/** Pages of the file, of which it is not known which memories they had, or bytes of single memories. */
export type DamageKind = 'pages' | 'memories';

/** What an error of the store or of its driver says is damaged. */
export function damageOf(error: unknown): DamageKind | undefined {
  if (isPageDamage(error) || isStorageDamage(error)) return 'pages';
  return isDamage(error) ? 'memories' : undefined;
}

/** Damage that was met since the folder was opened, for operators. */
export class FoundDamage {
  /** Calls that met a damaged page. */
  pageCount = 0;
  private hasMemories = false;

  note(kind: DamageKind | undefined): void {
    if (kind === 'pages') this.pageCount++;
    this.hasMemories ||= kind === 'memories';
  }

  /** To be called with every error of the store; returns it. */
  noted(error: unknown): unknown {
    this.note(damageOf(error));
    return error;
  }

  /** To be called with every page of a list; returns it. */
  notedIn<P extends { readonly damagedIds?: readonly string[] }>(page: P): P {
    this.hasMemories ||= page.damagedIds !== undefined;
    return page;
  }

  /** As text for people. */
  get texts(): readonly string[] {
    if (this.pageCount > 0) return [`${DAMAGED_PART}: pages of mneme.db are damaged; ${REPAIR}`];
    return this.hasMemories ? [`${DAMAGED_PART}: stored memories are damaged; ${REPAIR}`] : [];
  }
}
