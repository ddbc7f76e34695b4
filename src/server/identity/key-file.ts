import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type ApiKey, KEY_LIMITS, keysIn, textOfKeys } from './api-keys.ts';

/** The keys of a file; none where it does not exist. */
export function readKeyFile(path: string): ApiKey[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return keysIn(text);
  } catch (cause) {
    throw new Error(`${path} is not a file of API keys: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Changes the keys of a file: readers see it before or after the change, also after a crash. A second change at the same
 * time fails. `around` calls its `make`, which makes the change.
 */
export function changeKeyFile<T>(
  path: string,
  change: (keys: readonly ApiKey[]) => { keys: ApiKey[]; result: T },
  around: (result: T, make: () => void) => void = (_, make) => make(),
): T {
  const next = `${path}.new`;
  const lock = lockOf(next);
  try {
    const { keys, result } = change(readKeyFile(path));
    if (keys.length > KEY_LIMITS.keys) throw new Error(`${path} may have ${KEY_LIMITS.keys} keys: remove revoked ones`);
    around(result, () => {
      keepAccess(lock, path);
      writeFileSync(lock, textOfKeys(keys));
      fsyncSync(lock);
      renameSync(next, path);
      const folder = openSync(dirname(path), 'r');
      fsyncSync(folder);
      closeSync(folder);
    });
    return result;
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  } finally {
    closeSync(lock);
  }
}

/** A server that may read the former file may read the next one too. */
function keepAccess(next: number, path: string): void {
  const former = statSync(path, { throwIfNoEntry: false });
  if (!former) return;
  if (process.getuid?.() === 0) fchownSync(next, former.uid, former.gid);
  fchmodSync(next, former.mode & 0o777);
}

/** The file that the change is written to, for its owner only; it exists while another change runs. */
function lockOf(next: string): number {
  try {
    return openSync(next, 'wx', 0o600);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new Error(`another command changes the keys; if none runs, a killed one has left ${next}: remove it`, {
      cause,
    });
  }
}
