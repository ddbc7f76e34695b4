import { describe, expect, it } from '@jest/globals';
import { Grants, policyIn } from '../../../src/identity/policy.ts';

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
});
