// MCP Enterprise-Managed Authorization, end to end. One issuer signs a user in and issues an ID-JAG. A broker method
// that trusts this issuer accepts the ID-JAG at another API. The unmodified MCP client sends both requests.
import http from 'node:http';
import { auth, CrossAppAccessProvider, discoverAndRequestJwtAuthGrant } from '@modelcontextprotocol/client';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { giveMachine } from '#testing/clients/id-jag.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { OPENID_PATH, openIdTokens, signInTo } from '#testing/in-process/openid.ts';
import { type Listening, listen } from '#testing/net/listen.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const CONF = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
let door: Listening;
let mcp: Listening;
let home: string;
let away: string;

beforeAll(async () => {
  door = await openDoor();
  mcp = await listen(
    // metadata of an MCP server (RFC 9728), copied from Gatehouse's document
    http.createServer(async (request, response) => {
      const known = request.url?.startsWith('/.well-known/oauth-protected-resource');
      const answer = await ask('/.well-known/oauth-protected-resource/apis/notes');
      response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
      response.end(known ? answer.body : '{}');
    }),
  );
  await givenFixtures();
  home = `${door.url}${OPENID_PATH}`;
  away = `${door.url}/auth/corp/api/notes`;
  const config = { issuer: home, client_id: 'notes-login', allow_private_network: true };
  await createAuthMethod(OPERATOR, {
    id: 'corp',
    type: 'broker',
    name: 'Corp',
    config,
    secret: 'x'.repeat(20),
  });
  await createApi(OPERATOR, {
    id: 'notes',
    name: 'Notes',
    url: `${mcp.url}/mcp`,
    authMethods: ['corp'],
    scopes: [
      { name: 'notes:read', description: 'Read' },
      { name: 'notes:write', description: 'Write' },
    ],
  });
  await sql("insert into subscriptions (client_id, api_id, state) values ('conf', 'notes', 'approved')");
  await giveMachine('conf', 'notes');
  await changeClient(OPERATOR, { clientId: 'tru', idJagAudiences: [`${away} conf`] });
});
afterAll(async () => {
  await mcp.close();
  await door.close();
});

test('CrossAppAccessProvider and discoverAndRequestJwtAuthGrant of the MCP client work unmodified', async () => {
  const { cookie, personId } = await signInTo('alice@example.com');
  const { id_token: idToken = '' } = await openIdTokens(TRU, { cookie, scope: 'openid read' });
  let idJag = '';
  const provider = new CrossAppAccessProvider({
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
        idpUrl: home,
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken,
        clientId: TRU.client_id,
        clientSecret: TRU.client_secret,
        fetchFn,
        ...(scope === undefined ? {} : { scope }),
      });
      idJag = jwtAuthGrant;
      return jwtAuthGrant;
    },
    clientId: CONF.client_id,
    clientSecret: CONF.client_secret,
    expectedIssuer: away,
  });
  expect(await auth(provider, { serverUrl: `${mcp.url}/mcp`, scope: 'notes:read' })).toBe('AUTHORIZED');

  expect(decodeProtectedHeader(idJag)).toMatchObject({ typ: 'oauth-id-jag+jwt', alg: 'RS256' });
  expect(decodeJwt(idJag)).toMatchObject({
    iss: home,
    sub: personId,
    aud: away,
    client_id: 'conf',
    resource: `${mcp.url}/mcp`,
    scope: 'notes:read',
  });
  const { access_token: token = '', scope, refresh_token: refresh } = provider.tokens() ?? {};
  expect([scope, refresh]).toEqual(['notes:read', undefined]);
  expect(decodeJwt(token)).toMatchObject({ iss: away, aud: `${mcp.url}/mcp`, client_id: 'conf' });
  expect(decodeJwt(token).sub).not.toBe(personId);
  expect(decodeJwt(token)['auth_time']).toBe(decodeJwt(idToken)['auth_time']);
  const form = { ...CONF, token };
  expect(jsonOf(await ask('/auth/corp/api/notes/introspect', { form }))).toMatchObject({ active: true });
});

test('an ID-JAG works once, and the issuer that signed it does not accept it', async () => {
  const { cookie } = await signInTo('bob@example.com');
  const { id_token: idToken = '' } = await openIdTokens(TRU, { cookie, scope: 'openid' });
  const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
    idpUrl: home,
    audience: away,
    resource: `${mcp.url}/mcp`,
    idToken,
    clientId: TRU.client_id,
    clientSecret: TRU.client_secret,
  });
  const form = {
    ...CONF,
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: jwtAuthGrant,
  };
  const errorAt = async (path: string) => jsonOf(await ask(`${path}/token`, { form }))['error'];
  expect(await errorAt(OPENID_PATH)).toBe('unsupported_grant_type');
  expect(await errorAt('/auth/corp/api/notes')).toBeUndefined();
  expect(await errorAt('/auth/corp/api/notes')).toBe('invalid_grant');
});
