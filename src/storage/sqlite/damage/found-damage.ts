import { isDamage, isStorageDamage } from '../../../memory/errors.ts';
import { isPageDamage } from '../driver-error.ts';

/** Names the data folder where a part of the server reports damage. */
export const DAMAGED_PART = 'data folder';

const LOST_ENTRIES = `${DAMAGED_PART}: entries of the change log were lost before this start; watches and subscriptions begin anew`;
const REPAIR = '"mneme verify" lists what is lost; stop the server and run "mneme repair"';

/** Pages of the file, of which it is not known which memories they had, bytes of single memories, or lost entries of the change log. */
export type DamageKind = 'pages' | 'memories' | 'log';

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
  private hasLog = false;

  note(kind: DamageKind | undefined): void {
    if (kind === 'pages') this.pageCount++;
    this.hasMemories ||= kind === 'memories';
    this.hasLog ||= kind === 'log';
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
    const log = this.hasLog ? [LOST_ENTRIES] : [];
    if (this.pageCount > 0) return [...log, `${DAMAGED_PART}: pages of mneme.db are damaged; ${REPAIR}`];
    return this.hasMemories ? [...log, `${DAMAGED_PART}: stored memories are damaged; ${REPAIR}`] : log;
  }
}
