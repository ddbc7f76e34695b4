import { MnemeError } from '../../memory/errors.ts';
import type { Tier } from '../../memory/memory.ts';
import type { BodyStore } from '../body-store.ts';

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

/** Column of a query whose rows get the bodies of the other store. */
export const BODY_KEY = 'body_key';

interface RowWithBody {
  [BODY_KEY]: string | null;
  text?: string | null | undefined;
  media_type?: string | null;
  content?: Uint8Array | null;
}

/** A body is gone that a row has named: another transaction may have replaced or erased it meanwhile. */
export class BodyMoved extends Error {}

/** Gives rows their bodies. `isFinal`: one that is not there is lost, and its text stays `undefined`. Fails with BodyMoved. */
export async function fillBodies(
  rows: readonly unknown[],
  bodies: ExternalBodies | undefined,
  isFinal: boolean,
): Promise<void> {
  const external = (rows as readonly RowWithBody[]).filter((row) => row[BODY_KEY] !== null);
  if (external.length === 0) return;
  if (!bodies) throw bodiesUnreachable();
  const found = await bodies.store.get(external.map((row) => row[BODY_KEY] ?? ''));
  for (const [at, row] of external.entries()) {
    const body = found[at];
    if (!body && !isFinal && !bodies.isHeld) throw new BodyMoved();
    row.text = body?.text;
    row.media_type = body?.content?.mediaType ?? null;
    row.content = body?.content?.data ?? null;
  }
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
