import { type Mneme, MnemeError } from '../../clients/typescript/src/index.ts';

/** Says on stderr that a namespace is not there yet, which a stream that follows it waits for: its name may be a slip. */
export async function tellAwaited(mneme: Mneme): Promise<void> {
  try {
    await mneme.namespaces.get();
  } catch (error) {
    if (!(error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND')) throw error;
    process.stderr.write(`${error.message}: waiting for its first memory\n`);
  }
}
