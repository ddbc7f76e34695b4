import { expect, it } from '@jest/globals';
import ProcessEnvironment from '../../../tools/jest-environment.ts';

it('the environment of tests › after a file › the process is as it was before', () => {
  const { exit, exitCode, cwd } = process;
  const variables = { ...process.env };
  const environment = new ProcessEnvironment({ projectConfig: {} as never }, { testPath: 'test/some.test.ts' });
  try {
    delete process.env['MNEME_TEST_TIMES'];
    process.env['PATH'] = '/nowhere';
    process.env['MNEME_TEST_ADDED'] = 'x';
    process.exit = () => {
      throw new Error('exits');
    };
    process.exitCode = 3;
    environment.jest.spyOn(process, 'cwd').mockReturnValue('/nowhere');
    environment.jest.useFakeTimers();
  } finally {
    environment.teardown();
  }
  expect({ exit: process.exit, exitCode: process.exitCode, cwd: process.cwd }).toEqual({ exit, exitCode, cwd });
  expect(process.env).toEqual(variables);
});
