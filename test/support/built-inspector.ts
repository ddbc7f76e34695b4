import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stop } from 'esbuild';
import { buildInspector } from '../../tools/bundle/build-inspector.ts';

export interface BuiltInspector {
  readonly folder: URL;
  remove(): void;
}

/** The inspector of the current sources, in a folder of its own. */
export async function builtInspector(): Promise<BuiltInspector> {
  const path = mkdtempSync(join(tmpdir(), 'mneme-inspector-'));
  await buildInspector(path);
  // Its process would keep that of the tests.
  await stop();
  return { folder: pathToFileURL(`${path}/`), remove: () => rmSync(path, { recursive: true, force: true }) };
}
