import { spawnSync } from 'node:child_process';
import process from 'node:process';

const INSIDE = 'MNEME_CAMPAIGN_INSIDE';

/**
 * Runs this program again as root of a user namespace of its own, where it may mount a small disk, and returns its exit code;
 * `undefined` where that is not needed or not possible.
 */
export function runWithOwnMounts(): number | undefined {
  if (process.getuid?.() === 0 || process.env[INSIDE] !== undefined) return undefined;
  const unshare = ['--user', '--map-root-user', '--mount'];
  if (spawnSync('unshare', [...unshare, 'true'], { stdio: 'ignore' }).status !== 0) return undefined;
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { status } = spawnSync('unshare', [...unshare, ...again], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  });
  return status ?? 1;
}
