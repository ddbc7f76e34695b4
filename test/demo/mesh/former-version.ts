import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** Puts the sources of a commit into a folder, with the packages of this checkout. Returns the program. */
export async function formerVersion(commit: string, folder: string): Promise<string> {
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await run('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, folder], { cwd: ROOT });
  // Not the folder itself: the bundle of the sources is in it.
  const packages = (await readdir(join(ROOT, 'node_modules'))).filter((name) => name !== '.cache');
  for (const name of packages) await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  await symlink(join(ROOT, '.toolchain'), join(folder, '.toolchain'));
  return join(folder, 'bin/mneme');
}
