import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Packs the client and unpacks it into `node_modules` of a project, with the dependencies of the checkout. */
export async function installClient(project: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-package-'));
  try {
    const { stdout } = await run('npm', ['pack', '--pack-destination', folder, '--loglevel=error', '--silent'], {
      cwd: join(ROOT, 'clients/typescript'),
    });
    const installed = join(project, 'node_modules/@mneme/client');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, basename(stdout.trim())), '-C', installed, '--strip-components=1']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  for (const dependency of ['@grpc', '@bufbuild', '@types']) {
    await symlink(join(ROOT, 'node_modules', dependency), join(project, 'node_modules', dependency));
  }
}
