import { expect, test } from 'vitest';
import { proofKey, proofOf } from '#testing/net/dpop.ts';
import { HTU_SPELLINGS, TYP_SPELLINGS } from '#testing/net/spellings.ts';
import { checkProof, type ExpectedProof } from './dpop.ts';
import { isJoseType } from './jws.ts';

const ADDRESS = 'https://api.example/orders';
const expected = (address = ADDRESS): ExpectedProof => ({
  method: 'GET',
  addresses: [address],
  nonce: 'off',
  accessToken: null,
  secrets: [],
});

test.each(TYP_SPELLINGS)('RFC 7515 §4.1.9: whether typ %j marks a DPoP proof: %s', async (typ, isProof) => {
  const proof = await proofOf(await proofKey(), { method: 'GET', address: ADDRESS, header: { typ } });
  expect(checkProof(proof, expected()).fault).toBe(isProof ? null : 'proof-type');
});

test.each(HTU_SPELLINGS)(
  'RFC 3986 §6.2.2: at the URL %s a proof with the htu %s is accepted: %s',
  async (address, htu, isSame) => {
    const proof = await proofOf(await proofKey(), { method: 'GET', address: htu });
    expect(checkProof(proof, expected(address)).fault).toBe(isSame ? null : 'proof-address');
  },
);

test('RFC 9110 §9.1: the comparison of htm with the method is case-sensitive', async () => {
  for (const method of ['get', 'Get', 'POST'])
    expect(checkProof(await proofOf(await proofKey(), { method, address: ADDRESS }), expected()).fault).toBe(
      'proof-method',
    );
});

test.each(['oauth-id-jag+jwt', 'client-authentication+jwt', 'jwt'])(
  'typ %s: letter case and an application/ prefix of a proof’s typ are ignored',
  (type) => {
    for (const typ of [type, type.toUpperCase(), `application/${type}`, `APPLICATION/${type}`])
      expect(isJoseType(typ, type), typ).toBe(true);
    for (const typ of [`x${type}`, `text/${type}`, undefined, 1]) expect(isJoseType(typ, type)).toBe(false);
  },
);
