import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { runMneme } from './support/run-mneme.ts';

let folder: string;
let file: string;
let mneme: TestServer | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-keys-'));
  file = join(folder, 'keys.json');
});
afterEach(async () => {
  await mneme?.stop();
  mneme = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keys = (...words: string[]) => runMneme(['keys', ...words, '--file', file]);
const made = async (...words: string[]) =>
  JSON.parse((await keys(...words, '--json')).stdout) as { id: string; key: string };

describe('mneme keys', () => {
  it('a key that is made while a server runs › admits its identity; revoked and rotated, it ends', async () => {
    const policy = join(folder, 'policy.json');
    writeFileSync(policy, '{"identities": {"ada": [{"namespaces": ["team-*"], "verbs": ["read"]}]}}');
    mneme = await startTestServer({ apiKeysFile: file, policyFile: policy });
    const { server } = mneme;
    const call = (token: string, ...words: string[]) =>
      runMneme([...words, '--server', server.address], { env: { MNEME_TOKEN: token } });
    const list = (token: string) => call(token, 'namespaces', 'list');
    const { id, key } = await made('create', 'ada', '--expires', '90d');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(key.slice(15));

    expect(await until(() => list(key), 0)).toMatchObject({ code: 0 });
    const doctor = await call(key, 'doctor', '--namespace', 'other', '--listen', '127.0.0.1:0', '--data', folder);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain('no grant allows ada to read in namespaces/other');
    const second = await made('rotate', id, '--overlap', '0s');
    expect((await until(() => list(key), 7)).stderr).toContain(`${id} expired`);
    expect(await list(second.key)).toMatchObject({ code: 0 });
    expect((await keys('revoke', second.id)).stdout).toBe(`revoked ${second.id} of ada\n`);
    expect((await until(() => list(second.key), 7)).stderr).toContain(`${second.id} has been revoked`);
    const listed = (await keys('list')).stdout;
    expect(listed).toContain(`${id}  expired`);
    expect(listed).toContain(`${second.id}  revoked`);
  });

  it('listed with a policy › shows the limits of each identity, and doctor checks the file', async () => {
    const policy = join(folder, 'limits.json');
    const all = { calls: { per_second: 50 }, open_streams: 3, namespaces: 2 };
    writeFileSync(policy, JSON.stringify({ limits: { all, t: { shared: true, calls_in_flight: 9 } } }));
    const own = join(folder, 'limited.json');
    await runMneme(['keys', 'create', 'ada', '--file', own]);
    const list = (...words: string[]) => runMneme(['keys', 'list', '--file', own, ...words]);
    const { stdout } = await list('--policy-file', policy);
    expect(stdout).toContain('  50 calls per second (rule all)\n');
    expect(JSON.parse((await list('--policy-file', policy, '--json')).stdout)).toMatchObject({
      limits: [
        '50 calls per second (rule all)',
        '3 open streams (rule all)',
        '9 calls in flight (shared rule t)',
        '2 namespaces (rule all)',
      ],
    });
    const doctor = () =>
      runMneme(['doctor', '--listen', '127.0.0.1:0', '--data', folder], { env: { MNEME_POLICY_FILE: policy } });
    expect((await doctor()).stdout).toContain('has 2 rules of limits');
    writeFileSync(policy, '{"limits": {"all": {"calls": 5}}}');
    expect((await doctor()).stdout).toContain('the policy at limits["all"].calls: must be an object');
    expect(await list('--policy-file', policy)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--policy-file: the policy at limits["all"].calls: must be an object'),
    });
  });

  it('a file that a server of a group may read › stays one', async () => {
    const shared = join(folder, 'shared.json');
    writeFileSync(shared, '');
    chmodSync(shared, 0o640);
    expect((await runMneme(['keys', 'create', 'ada', '--file', shared])).code).toBe(0);
    expect(statSync(shared).mode & 0o777).toBe(0o640);
  });

  it('with the folder of an audit log › each change is in it, without secrets; a list is not', async () => {
    const audit = join(folder, 'audit');
    const audited = async (...words: string[]) =>
      JSON.parse(
        (await runMneme(['keys', ...words, '--file', join(folder, 'audited.json'), '--audit-folder', audit, '--json']))
          .stdout,
      ) as { id: string; key: string };
    const first = await audited('create', 'ada');
    const second = await audited('rotate', first.id);
    await audited('revoke', second.key);
    await runMneme(['keys', 'list', '--file', join(folder, 'audited.json')], { env: { MNEME_AUDIT_FOLDER: audit } });

    const { stdout } = await runMneme(['audit', '--folder', audit]);
    const { username } = userInfo();
    expect(stdout.split('\n').map((line) => line.slice(26))).toEqual([
      `user:${username}  CreateKey  ${first.id} ada  OK`,
      `user:${username}  RotateKey  ${first.id} ${second.id} ada  OK`,
      `user:${username}  RevokeKey  ${second.id} ada  OK`,
      '',
    ]);
    expect(readFileSync(join(audit, 'keys-0000000001.jsonl'), 'utf8')).not.toContain(second.key.slice(15));
  });

  it('with an audit log that cannot be written › no key is made', async () => {
    const none = join(folder, 'none.json');
    const taken = join(folder, 'taken');
    writeFileSync(taken, '');
    const outcome = await runMneme(['keys', 'create', 'ada', '--file', none], { env: { MNEME_AUDIT_FOLDER: taken } });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('--audit-folder') });
    expect(existsSync(none)).toBe(false);
  });

  it('with an audit log whose second line cannot be written › the key is printed, and the command fails', async () => {
    const audit = join(folder, 'full');
    const full = join(audit, 'keys-9999999999.jsonl');
    mkdirSync(audit);
    writeFileSync(full, '');
    // The first line fills the last file that has a number of ten digits, and no file can have the next name.
    truncateSync(full, 4095);
    mkdirSync(join(audit, 'keys-10000000000.jsonl'));
    const own = join(folder, 'unrecorded.json');
    const env = { MNEME_AUDIT_FOLDER: audit, MNEME_AUDIT_FILE_BYTES: '4096' };
    const outcome = await runMneme(['keys', 'create', 'ada', '--file', own, '--json'], { env });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('(EISDIR): the keys were changed') });
    const { id, key } = JSON.parse(outcome.stdout) as { id: string; key: string };
    expect(key).toContain(id);
    expect(readFileSync(own, 'utf8')).toContain(id);
  });

  it('a wrong command › says what to do', async () => {
    expect(await keys('revoke', 'mnk_0000000000')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('there is no key'),
    });
    expect(await keys('create', 'two words')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('<identity>: expected'),
    });
    expect(await runMneme(['keys', 'list'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--file: name the file'),
    });
    expect(await runMneme(['keys', 'list', '--file', join(folder, 'typo.json')])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('typo.json does not exist; "mneme keys create" makes it'),
    });
    writeFileSync(`${file}.new`, '');
    expect(await keys('create', 'ada')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another command changes the keys'),
    });
    rmSync(`${file}.new`);
    const other = join(folder, 'other.json');
    writeFileSync(other, '{"version": 2}');
    expect(await runMneme(['keys', 'list', '--file', other])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a file of API keys: version: must be 1, got 2'),
    });
  });
});

describe('mneme audit', () => {
  it('a folder that is no audit log › one line, exit code 1; one without records › no operations', async () => {
    const [other, empty] = [join(folder, 'other'), join(folder, 'empty')];
    for (const each of [other, empty]) mkdirSync(each);
    writeFileSync(join(other, 'mneme.db'), '');
    expect(await runMneme(['audit', '--folder', other])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `mneme: ${other} is no audit log: it has files, and none such as audit-0000000001.jsonl\n`,
    });
    expect((await runMneme(['audit', '--folder', join(folder, 'missing')])).code).toBe(1);
    expect(await runMneme(['audit', '--folder', empty])).toMatchObject({ code: 0, stdout: 'no operations\n' });
  });
});

/** Repeats a command until it ends with the code: a server reads files at an interval. */
async function until(run: () => ReturnType<typeof runMneme>, code: number): ReturnType<typeof runMneme> {
  const give = Date.now() + 60_000;
  for (;;) {
    const outcome = await run();
    if (outcome.code === code || Date.now() > give) return outcome;
  }
}
