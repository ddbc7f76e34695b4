import { expect, it } from '@jest/globals';
import { Driver } from './driver.ts';

it('a driver that does not compile › the request in flight and all later ones fail with its output', async () => {
  const driver = new Driver('/bin/sh', ['-c', 'read line; echo "error: no such type" >&2; exit 3']);
  const ended = /the driver ended with 3; it said:\nerror: no such type/;
  await expect(driver.request('connect', {}).answer).rejects.toThrow(ended);
  await expect(driver.request('connect', {}).answer).rejects.toThrow(ended);
  await driver.stop();
});
