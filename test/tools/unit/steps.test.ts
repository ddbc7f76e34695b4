import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const STEPS = fileURLToPath(new URL('../../../tools/steps.sh', import.meta.url));

/** The last lines of a run of steps, without the times, and its exit code. */
function ranWith(script: string): { readonly end: string[]; readonly code: number | null } {
  const { stdout, status } = spawnSync('bash', ['-c', `set -euo pipefail\n. "${STEPS}"\n${script}`], {
    encoding: 'utf8',
  });
  const lines = stdout.trimEnd().split('\n');
  const lastTime = lines.findLastIndex((line) => /^ *\d+ s +\d+ s of CPU /.test(line));
  return { end: lines.slice(lastTime + 1), code: status };
}

describe('the end of a run of several suites', () => {
  it('all passed › one line of totals', () => {
    const script = `suite one echo '3 passed, 0 failed'\nstep two true`;
    expect(ranWith(script)).toEqual({ end: ['4 passed, 0 failed'], code: 0 });
  });

  it('tests failed in one suite of many › named once, before the totals', () => {
    const script = `
      part() { printf 'failed: a: b › c\\nfailed: a: b › c\\n2 passed, 1 failed\\n'; return 1; }
      suite one part
      suite two echo '3 passed, 0 failed'`;
    expect(ranWith(script)).toEqual({ end: ['failed: a: b › c', '5 passed, 1 failed'], code: 1 });
  });

  it('a step fails without a name of a test, or without totals › named itself', () => {
    const script = `step one false\nsuite two true`;
    expect(ranWith(script)).toEqual({ end: ['failed: one', 'failed: two', '0 passed, 2 failed'], code: 1 });
  });

  it('more failed tests than a log should end with › 50 are named, the others counted', () => {
    const script = `
      part() { for at in $(seq 60); do echo "failed: a: $at"; done; echo '0 passed, 60 failed'; return 1; }
      suite one part
      step two true`;
    const { end } = ranWith(script);
    expect(end.slice(49)).toEqual(['failed: a: 50', 'and 10 more failed tests', '1 passed, 60 failed']);
  });

  it('ended by a signal › at once, with the totals, and the step under way has failed', () => {
    // The shell waits for the two processes of the step: while it starts them, it may end without its trap.
    const waits = '$(wc -w </proc/$$/task/$$/children)$(cut -d" " -f3 /proc/$$/stat)'
      .replaceAll('$(', '\\$(')
      .replaceAll('"', '\\"');
    const killed = `until [ ${waits} = 2S ]; do :; done; kill -TERM $$; exec sleep 1 >/dev/null 2>&1`;
    const script = `step one true\nstep two true\nstep three sh -c "${killed}"`;
    const { end, code } = ranWith(script);
    expect([end, code]).toEqual([['failed: three: did not end', '2 passed, 1 failed'], null]);
  });
});
