import type { PeerCertificate } from 'node:tls';
import { Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import type { Grant, Principal } from '../../../../src/memory/principal.ts';
import { Authority } from '../../../../src/server/grpc/edge/authority.ts';
import { certificateIdentity } from '../../../../src/server/identity/certificate-identity.ts';
import { Grants, policyIn } from '../../../../src/server/identity/policy.ts';

const END_MS = Date.UTC(2026, 0, 2);
const certificate = {
  subjectaltname: 'DNS:ada.example',
  valid_to: new Date(END_MS).toUTCString(),
} as PeerCertificate;
const presented = {
  metadata: new Metadata(),
  getAuthContext: () => ({ sslPeerCertificate: certificate }),
};

function authorityAt(nowMs: number, grantsOf?: (identity: string) => readonly Grant[]): Authority {
  return new Authority({
    verifiers: [],
    certified: certificateIdentity,
    nowMs: () => nowMs,
    grantsOf,
  });
}

describe('the authority', () => {
  it('a client certificate that expires while its connection lasts › is not admitted any more', () => {
    expect(authorityAt(END_MS - 1).authorize(presented)).toMatchObject({ identity: 'ada.example' });
    expect(() => authorityAt(END_MS).authorize(presented)).toThrow(
      expect.objectContaining({ reason: 'CREDENTIALS_INVALID' }),
    );
  });

  it('equal grants in another list › the rights of a caller stay; other grants › it gets them', () => {
    let verb = 'read';
    const grantsOf = () => [{ namespaces: ['own'], verbs: [verb] }] as Grant[];
    const authority = authorityAt(END_MS - 1, grantsOf);
    const principal = authority.authorize(presented) as Principal;
    expect(authority.renewed(principal)).toBe(principal);
    expect(authority.renewed(principal)).toBe(principal);
    verb = 'write';
    expect(authority.renewed(principal)).toMatchObject({ grants: [{ verbs: ['write'] }] });
  });

  it('more identities than are kept › the rights of a caller stay', () => {
    const text = JSON.stringify({ identities: { '*': [{ namespaces: ['own'], verbs: ['read'] }] } });
    const grants = new Grants(policyIn(text));
    const authority = authorityAt(END_MS - 1, grants.of);
    const principal = authority.authorize(presented) as Principal;
    for (let nth = 0; nth < 10_001; nth++) grants.of(`other-${nth}`);
    expect(authority.renewed(principal)).toBe(principal);
  });
});
