/**
 * What `bin/mneme` runs: the bundle of Mneme when it was made of the files as they are now, a new bundle when they have
 * changed, and the sources where no bundle can be made (docs/decisions/runtime.md).
 */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { env } from 'node:process';
import { pathToFileURL } from 'node:url';
import {
  BUNDLES,
  type BundleState,
  type Input,
  ROOT,
  readState,
  sha256Of,
  stampOf,
  useBundle,
  writeState,
} from './bundle-state.ts';

/** The input as it is now; `undefined` where its content has changed. */
function currentInput(input: Input): Input | undefined {
  const stamp = stampOf(input.path);
  if (stamp === input.stamp) return input;
  // A copied or touched file has other times of change and the same content.
  return sha256Of(input.path) === input.sha256 ? { ...input, stamp } : undefined;
}

/** Whether the bundle is there, and each file that it was made of is as it was. */
function isCurrent(state: BundleState): boolean {
  try {
    if (!existsSync(mainOf(folderOf(state)))) return false;
    const inputs: Input[] = [];
    for (const input of state.inputs) {
      const current = currentInput(input);
      if (!current) return false;
      inputs.push(current);
    }
    if (inputs.some((input, at) => input !== state.inputs[at])) keepStamps({ ...state, inputs });
    return true;
  } catch {
    // An input was removed.
    return false;
  }
}

/** Spares the next start from reading the contents. */
function keepStamps(state: BundleState): void {
  try {
    writeState(state);
  } catch {
    // Where nothing can be written, the next start reads them again.
  }
}

function folderOf({ key }: BundleState): string {
  return `${BUNDLES}${key}/`;
}

function mainOf(folder: string): string {
  return `${folder}main.mjs`;
}

/** Folder of a bundle of the current files; `undefined` where none can be made. */
async function currentBundle(): Promise<string | undefined> {
  const state = readState();
  if (state && isCurrent(state)) return folderOf(state);
  // From the sources, never from the bundle: the launcher itself may have changed.
  const { buildBundle } = (await import(pathToFileURL(`${ROOT}tools/bundle/build-bundle.ts`).href)) as {
    buildBundle(): Promise<string | undefined>;
  };
  return buildBundle();
}

const bundle = await currentBundle();
if (bundle !== undefined) {
  useBundle(bundle);
  // The variable is for the threads. Code compiled for a bundle goes with the bundle.
  env['NODE_COMPILE_CACHE'] ??= `${bundle}compiled`;
  enableCompileCache();
}
await import(pathToFileURL(bundle === undefined ? `${ROOT}src/cli/main.ts` : mainOf(bundle)).href);
