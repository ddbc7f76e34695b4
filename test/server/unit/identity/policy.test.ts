import { describe, expect, it } from '@jest/globals';
import { Grants, policyIn } from '../../../../src/server/identity/policy.ts';

const policy = (identities: unknown) => policyIn(JSON.stringify({ identities }));
const grant = (fields: object) => ({ ada: [{ namespaces: ['own'], verbs: ['read'], ...fields }] });

describe('a policy file', () => {
  it.each([
    ['[]', 'the policy must be an object'],
    ['{', 'the policy must be JSON: '],
    ['{"people": {}}', 'the policy has the unknown field "people"; expected identities'],
    ['{"identities": {"a b": []}}', 'must be named by 1 to 256 printable ASCII characters without spaces'],
    ['{"identities": {"*a*": []}}', 'may have one *, got "*a*"'],
    ['{"identities": {"ada": {}}}', 'the policy at identities["ada"]: must be a list'],
  ])('%s › %s', (text, message) => {
    expect(() => policyIn(text)).toThrow(message);
  });

  it.each([
    [{ namespaces: [] }, 'namespaces: must not be empty'],
    [{ namespaces: ['Own'] }, 'must have names of namespaces with at most one *, got "Own"'],
    [{ namespaces: ['a*b*'] }, 'may have one *, got "a*b*"'],
    [{ verbs: ['fly'] }, 'must have read, write, delete, admin, got "fly"'],
    [{ scopes: ['planet=x'] }, 'has the unknown part "planet"'],
    [{ scopes: [''] }, '"" has no part'],
    [{ scopes: ['project=p'], verbs: ['admin'] }, 'must be absent with the verb "admin"'],
    [{ until: 'noon' }, 'has the unknown field "until"'],
  ])('a grant with %j › %s', (fields, message) => {
    expect(() => policy(grant(fields))).toThrow(message);
  });

  it('an identity › has the grants of all entries that name it, and none otherwise', () => {
    const grants = new Grants(policy({ ...grant({}), 'a*': [{ namespaces: ['*'], verbs: ['read'] }] }));
    expect(grants.of('ada').map(({ namespaces }) => namespaces)).toEqual([['own'], ['*']]);
    expect(grants.of('eve')).toEqual([]);
  });

  it('another policy › keeps the object of grants that stay the same', () => {
    const grants = new Grants(policy(grant({})));
    const before = grants.of('ada');
    grants.replace(policy({ ...grant({}), eve: [] }));
    expect(grants.of('ada')).toBe(before);
    grants.replace(policy(grant({ verbs: ['write'] })));
    expect(grants.of('ada')).not.toBe(before);
  });

  it('with limits only › every identity may do everything', () => {
    expect(policyIn('{"limits": {"all": {"open_streams": 3}}}').grants).toBeUndefined();
    expect(() => policyIn('{}')).toThrow('the policy must have identities or limits');
  });

  it.each([
    ['[]', 'the policy at limits: must be an object'],
    ['{"1": {}}', 'limits["1"]: must be named by at most 63 of a-z, 0-9, _ and -, a letter first'],
    ['{"all": {"speed": 1}}', 'limits["all"]: has the unknown field "speed"; expected identities, shared, calls,'],
    ['{"all": {"identities": []}}', 'limits["all"].identities: must not be empty'],
    ['{"all": {"identities": ["a b"]}}', 'must have names of 1 to 256 printable ASCII characters'],
    ['{"all": {"identities": ["*a*"]}}', 'limits["all"].identities: may have one *, got "*a*"'],
    ['{"all": {"shared": 1}}', 'limits["all"].shared: must be true or false, got 1'],
    ['{"all": {"shared": true, "namespaces": 1}}', 'namespaces: must be absent in a rule that is shared'],
    ['{"all": {"calls": 5}}', 'limits["all"].calls: must be an object'],
    ['{"all": {"calls": {}}}', 'limits["all"].calls: must have per_second or per_day'],
    ['{"all": {"calls": {"per_second": 1, "per_day": 1}}}', 'must have per_second or per_day'],
    ['{"all": {"calls": {"per_second": 0}}}', 'per_second: must be a number from 0.01 to 1000000000, got 0'],
    ['{"all": {"calls": {"per_second": "5"}}}', 'per_second: must be a number from 0.01 to 1000000000, got "5"'],
    [
      '{"all": {"calls": {"per_second": 1, "burst": 0}}}',
      'burst: must be a whole number from 1 to 1000000000000, got 0',
    ],
    ['{"all": {"open_streams": 1.5}}', 'open_streams: must be a whole number from 0 to 1000000000000, got 1.5'],
    ['{"all": {"namespaces": -1}}', 'namespaces: must be a whole number from 0 to 1000000000000, got -1'],
  ])('limits %s › %s', (limits, message) => {
    expect(() => policyIn(`{"limits": ${limits}}`)).toThrow(message);
  });
});
