import { type Config, hasBearers } from '../config/config.ts';
import { isLoopback } from '../config/setting.ts';
import { Inspector } from '../http/inspector.ts';
import type { NewMount } from '../http/mount.ts';

/** What the bundler writes; beside the bundle of the server where that runs. */
const FOLDER = new URL('../../../inspector/dist/', import.meta.url);

/** The inspector, unless it is off: on loopback, and elsewhere where calls need credentials. */
export function openInspector(config: Config, folder = FOLDER): NewMount[] {
  const isGuarded = isLoopback(config.listen) || config.tlsClientCa !== '' || hasBearers(config);
  const isServed = config.http === 'on' && config.inspector === 'on' && isGuarded;
  return isServed ? [() => new Inspector(folder)] : [];
}
