import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COPIED = [
  'bin',
  'src',
  'inspector',
  'gen/ts',
  'gen/wasm',
  'gen/image.binpb',
  'tools/bundle',
  'clients/typescript/src',
];
const COPIED_FILES = [
  'package.json',
  'clients/agent-tools.json',
  'clients/error-families.json',
  'clients/service-config.json',
];

/** A copy of the checkout, whose files can be changed, with a cache of its own. Packages and assets are links. */
export class Checkout {
  readonly root = mkdtempSync(join(tmpdir(), 'mneme-checkout-'));

  constructor() {
    for (const path of [...COPIED, ...COPIED_FILES])
      cpSync(join(ROOT, path), join(this.root, path), { recursive: true });
    for (const name of ['assets', '.toolchain']) symlinkSync(join(ROOT, name), join(this.root, name));
    mkdirSync(join(this.root, 'node_modules'));
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (name !== '.cache') symlinkSync(join(ROOT, 'node_modules', name), join(this.root, 'node_modules', name));
    }
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  get program(): string {
    return this.path('bin', 'mneme');
  }

  /** Names of the bundles that were made. */
  bundles(): string[] {
    return readdirSync(this.cache).filter((name) => /^[0-9a-f]{16}$/.test(name));
  }

  /** Of bundles, their state and the launcher. */
  get cache(): string {
    return this.path('.cache', 'mneme-bundle');
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
