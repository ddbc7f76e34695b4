import { prepared, queries } from '../prepared.ts';

interface Key {
  session_key: number;
  id: string;
}
interface PackKey {
  session_key: number;
  number: number;
}

export const checkpointRow = prepared((p: Key) =>
  queries
    .selectFrom('session_checkpoint')
    .select('body')
    .where('session_key', '=', p.session_key)
    .where('id', '=', p.id),
);
export const checkpointRows = prepared((p: { session_key: number }) =>
  queries.selectFrom('session_checkpoint').select('body').where('session_key', '=', p.session_key),
);
export const checkpointsBefore = prepared(
  (p: { session_key: number; revision: number; now_us: number; limit: number }) =>
    queries
      .selectFrom('session_checkpoint')
      .select('body')
      .where('session_key', '=', p.session_key)
      .where('revision', '<', p.revision)
      .where((eb) => eb.or([eb('expires_at_us', 'is', null), eb('expires_at_us', '>', p.now_us)]))
      .orderBy('revision', 'desc')
      .limit(p.limit),
);
export const putCheckpoint = prepared((p: Key & { revision: number; expires_at_us: number | null; body: string }) =>
  queries.replaceInto('session_checkpoint').values({
    session_key: p.session_key,
    id: p.id,
    revision: p.revision,
    expires_at_us: p.expires_at_us,
    body: p.body,
  }),
);
export const deleteCheckpoint = prepared((p: Key) =>
  queries.deleteFrom('session_checkpoint').where('session_key', '=', p.session_key).where('id', '=', p.id),
);
export const manifestRow = prepared((p: Key) =>
  queries.selectFrom('session_manifest').select('data').where('session_key', '=', p.session_key).where('id', '=', p.id),
);
export const putManifest = prepared((p: Key & { data: Uint8Array }) =>
  queries.replaceInto('session_manifest').values({ session_key: p.session_key, id: p.id, data: p.data }),
);
export const deleteManifest = prepared((p: Key) =>
  queries.deleteFrom('session_manifest').where('session_key', '=', p.session_key).where('id', '=', p.id),
);
export const packRow = prepared((p: PackKey) =>
  queries
    .selectFrom('session_pack')
    .select('data')
    .where('session_key', '=', p.session_key)
    .where('number', '=', p.number),
);
export const putPack = prepared((p: PackKey & { data: Uint8Array }) =>
  queries.replaceInto('session_pack').values({ session_key: p.session_key, number: p.number, data: p.data }),
);
export const deletePack = prepared((p: PackKey) =>
  queries.deleteFrom('session_pack').where('session_key', '=', p.session_key).where('number', '=', p.number),
);
