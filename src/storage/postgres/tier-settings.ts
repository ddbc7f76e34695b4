import { namespaceNotFound } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import { changed, type SettingChange } from '../../memory/tier-settings.ts';
import { queries, type Session } from './database.ts';
import { findNamespace } from './namespace-rows.ts';

type Settings = Readonly<Record<string, string>>;

/** Settings of a namespace, or for all namespaces where it is ''; none of a missing namespace. */
export async function readTierSettings(session: Session, namespace: string): Promise<ReadonlyMap<string, string>> {
  const row = namespace === '' ? (await session.run(ofAll))[0] : await findNamespace(session, namespace);
  return new Map(Object.entries(settingsIn(row?.settings)));
}

const ofAll = queries.selectFrom('meta').select('settings');

function settingsIn(json = '{}'): Settings {
  return JSON.parse(json) as Settings;
}

function changedSettings(before: Settings, changes: readonly SettingChange[]): Settings {
  return Object.fromEntries(changed(new Map(Object.entries(before)), changes));
}

export async function changeSettingsForAll(session: Session, changes: readonly SettingChange[]): Promise<undefined> {
  const [row] = await session.run(ofAll.forUpdate());
  const after = changedSettings(settingsIn(row?.settings), changes);
  await session.run(queries.updateTable('meta').set({ settings: JSON.stringify(after) }));
}

/** Fails with NAMESPACE_NOT_FOUND. */
export async function setMaintained(session: Session, name: string, atUs: Micros): Promise<undefined> {
  const update = queries
    .updateTable('namespace')
    .set({ maintained_at_us: atUs })
    .where('name', '=', name)
    .returning('key');
  const [row] = await session.run(update);
  if (!row) throw namespaceNotFound(name);
}
