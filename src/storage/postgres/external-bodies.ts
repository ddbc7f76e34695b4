import { isUnavailable, MnemeError } from '../../memory/errors.ts';
import type { Tier } from '../../memory/memory.ts';
import type { Body, BodyOwner, BodyStore } from '../body-store.ts';

/** Bodies in another store than PostgreSQL, which names them in `memory_body.body_key`. */
export interface ExternalBodies {
  readonly store: BodyStore;
  /** UUIDs of version 7. */
  readonly newKey: () => string;
  /** Bodies of memories in the upper tiers are put there when they are written. */
  readonly hasUpperTiers: boolean;
  /** No key is erased meanwhile (`holdingBodies`): one without a body has lost it. */
  readonly isHeld?: boolean;
}

/** Bodies that the other store does not have. */
export interface BodyFallback {
  /** In the order of the rows; `undefined` where no copy has it. */
  find(rows: readonly OwnedBody[]): Promise<(Body | undefined)[]>;
  /** To be called with rows whose bodies the other store has lost, or which were read without a body. */
  note(rows: readonly OwnedBody[]): void;
}

/** Handling of bodies that cannot be read. */
export interface BodyReading {
  readonly fallback?: BodyFallback;
  /** A body that the store does not have is lost; otherwise the row is read again, as it may have another body by now. */
  readonly isFinal: boolean;
  /** While the store is away, rows stay without the bodies that no copy has. */
  readonly mayLack?: boolean;
}

/** Column of a query whose rows get the bodies of the other store. */
export const BODY_KEY = 'body_key';

/** A body in the other store, with its memory. */
export type OwnedBody = BodyOwner & { readonly [BODY_KEY]: string };

interface RowWithBody extends Partial<BodyOwner> {
  [BODY_KEY]: string | null;
  text?: string | null;
  media_type?: string | null;
  content?: Uint8Array | null;
}

/** A body is gone that a row has named: another transaction may have replaced or erased it meanwhile. */
export class BodyMoved extends Error {}

/**
 * Gives rows their bodies, from a copy where the other store does not have them; the text of a lost one stays
 * `undefined`. Fails with BodyMoved, and with STORAGE_UNAVAILABLE.
 */
export async function fillBodies(
  rows: readonly unknown[],
  bodies: ExternalBodies | undefined,
  reading: BodyReading,
): Promise<void> {
  const external = (rows as readonly RowWithBody[]).filter((row) => row[BODY_KEY] !== null);
  if (external.length === 0) return;
  if (!bodies) throw bodiesUnreachable();
  const { found, failure } = await stored(bodies.store, external);
  for (const [at, row] of external.entries()) setBody(row, found[at]);
  const absent = external.filter((_, at) => !found[at]);
  if (absent.length === 0) return;
  if (!failure && !reading.isFinal && !bodies.isHeld) throw new BodyMoved();
  const owned = absent.filter(isOwned);
  const copies = (await reading.fallback?.find(owned)) ?? [];
  for (const [at, row] of owned.entries()) setBody(row, copies[at]);
  const lost = absent.filter(({ text }) => text === undefined);
  if (lost.length > 0 && failure && !reading.mayLack) throw failure;
  // What the store has is not lost while it is away.
  reading.fallback?.note(failure ? lost.filter(isOwned) : owned);
}

/** What the store has of them; nothing, and its failure, where it does not answer. */
async function stored(store: BodyStore, rows: readonly RowWithBody[]) {
  try {
    return { found: await store.get(rows.map((row) => row[BODY_KEY] ?? '')) };
  } catch (failure) {
    if (!isUnavailable(failure)) throw failure;
    return { found: [], failure };
  }
}

function setBody(row: RowWithBody, body: Body | undefined): void {
  row.text = body?.text;
  row.media_type = body?.content?.mediaType ?? null;
  row.content = body?.content?.data ?? null;
}

/** Rows of queries without the columns of a memory are read from the store alone. */
function isOwned(row: RowWithBody): row is RowWithBody & OwnedBody {
  return row.namespace_key !== undefined && row.sequence !== undefined && row.checksum !== undefined;
}

function bodiesUnreachable(): MnemeError {
  return new MnemeError(
    'STORAGE_UNAVAILABLE',
    'texts of the upper tiers are in Redis, and MNEME_REDIS_URL is not set: set it as the servers of this PostgreSQL have it',
    { metadata: { backend: 'redis', fault: 'disconnected' } },
  );
}

/** Whether a body is to be put into the other store; that of a memory without text has too little to move. */
export function isExternal(bodies: ExternalBodies | undefined, tier: Tier, text: string): bodies is ExternalBodies {
  return bodies?.hasUpperTiers === true && tier !== 'long_term' && text !== '';
}
