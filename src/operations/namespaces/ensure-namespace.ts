import { isNamespaceMissing, MnemeError } from '../../memory/errors.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';

export type NamespaceDeps = Pick<MemoryDeps, 'store' | 'clock' | 'autoCreateNamespaces'>;

/** Makes a namespace that is not there, as a first Store does. Fails with NAMESPACE_NOT_FOUND where none is made by itself. */
export async function ensureNamespace(deps: NamespaceDeps, name: string): Promise<void> {
  try {
    await deps.store.getNamespace(name);
  } catch (error) {
    if (!isMakeable(deps, error)) throw error;
    await makeNamespace(deps, name);
  }
}

/** Whether something failed because a namespace is not there that may be made. */
export function isMakeable({ autoCreateNamespaces }: NamespaceDeps, error: unknown): boolean {
  return autoCreateNamespaces && isNamespaceMissing(error);
}

/** Another call may make it at the same time. */
export async function makeNamespace({ store, clock }: NamespaceDeps, name: string): Promise<void> {
  try {
    await store.createNamespace({ name, description: '', memoryLimit: 0, atUs: clock.nowUs() });
  } catch (error) {
    if (!(error instanceof MnemeError && error.reason === 'NAMESPACE_EXISTS')) throw error;
  }
}
