// The acr of an ID-JAG if the level of the session was raised between two ID tokens.
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { sha256 } from '#lib/kit/random.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH, openIdTokens, signInTo } from '#testing/in-process/openid.ts';
import { ACR, raise, TRU } from '#testing/in-process/step-up.ts';

const CHAT = 'https://login.chat.example';
const TYPE = 'urn:ietf:params:oauth:token-type';

async function acrFor(idToken: string | undefined): Promise<unknown> {
  const answer = await ask(`${OPENID_PATH}/token`, {
    form: {
      ...TRU,
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: `${TYPE}:id-jag`,
      subject_token: idToken ?? '',
      subject_token_type: `${TYPE}:id_token`,
      audience: CHAT,
    },
  });
  return decodeJwt(String(jsonOf(answer)['access_token']))['acr'];
}

test('an ID-JAG contains the level of its ID token, despite a later step-up', async () => {
  await givenFixtures();
  await changeClient(OPERATOR, { clientId: 'tru', idJagAudiences: [CHAT] });
  const { cookie } = await signInTo('alice@example.com');
  const openid = { cookie, scope: 'openid read' };
  const weak = await openIdTokens(TRU, openid);
  await raise(cookie, 3);
  const strong = await openIdTokens(TRU, openid);
  // the order of token families in the database is arbitrary, so the test forces each order
  for (const { refresh_token: moved = '' } of [weak, strong]) {
    await sql(
      'update token_families set revoked_reason = null from refresh_tokens r where family_id = id and token_hash = $1',
      [sha256(moved)],
    );
    const acrs = await Promise.all([weak, strong].map(({ id_token: token }) => acrFor(token)));
    expect(acrs).toEqual([ACR('password'), ACR('phishing-resistant')]);
  }
});
