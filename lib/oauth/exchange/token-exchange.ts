// Token exchange (RFC 8693): a subject token for an access token at another API, or with less scope. Only with an
// approved subscription to the target that is trusted, or for a person who lets the client act there; never longer than
// the subject token, never a refresh token.
import { randomUUID } from 'node:crypto';
import type { Answer } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import type { Snapshot, SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import { exchangeToken } from '#lib/store/tokens/exchange.ts';
import { mintOpaque } from '#lib/tokens/access-token.ts';
import type { ClientRequest } from '../clients/client-request.ts';
import { requireProof } from '../clients/proof.ts';
import { InvalidRequest, InvalidTarget } from '../errors/errors.ts';
import { tokenResponse } from '../grants/response.ts';
import { findIssuer } from '../rules/issuer.ts';
import { requireProfiledClient } from '../rules/profile.ts';
import type { TokenContext } from './context.ts';
import { exchangeTerms, notExchanged, requireExchangeClient, requireTarget } from './exchange-terms.ts';
import type { Presenter } from './open-token.ts';
import { ACCESS_TOKEN, JWT, readActor, readPresented } from './presented.ts';

export async function exchangeSubjectToken(params: Params, context: TokenContext): Promise<Answer> {
  const { values } = params;
  const { snapshot, proof } = context;
  const client = requireExchangeClient(context.client);
  const api = targetOf(params, snapshot);
  const issuedTokenType = issuedTypeOf(values.get('requested_token_type'), api);
  const subscription = requireTarget(api, client, values.has('actor_token'));
  requireProfiledClient(api, client);
  requireProof(proof, { client, api });

  const by = { client, proof, snapshot };
  const given = presentedAs('subject', params, by);
  const subject = given && (await readPresented(given));
  if (!subject) throw new InvalidRequest('subject_token is missing.');
  const acting = presentedAs('actor', params, by);
  const actor = acting && (await readActor(acting));
  const scope = values.get('scope');
  const terms = await exchangeTerms({ client, api, subscription, subject, actor, scope }, snapshot);
  const { authMethodId, act, strength } = terms;
  const opaque = mintOpaque(api);
  const familyId = randomUUID();
  const expiresAt = await exchangeToken({
    ...terms,
    familyId,
    subject: subject.own,
    opaqueHash: opaque?.hash ?? null,
    requestId: context.http.requestId,
    ip: context.ip,
    jkt: proof?.jkt ?? null,
  });
  if (typeof expiresAt !== 'number') throw notExchanged(expiresAt, subscription);
  const granted = {
    ...strength,
    familyId,
    personId: terms.personId,
    scopes: terms.scopes,
    authTime: terms.authTime,
    refreshToken: null,
    opaqueToken: opaque?.value ?? null,
    openid: null,
    expiresAt,
    exchanged: { act, issuedTokenType },
  };
  const issuer = findIssuer(snapshot, { authMethodId, apiId: api.id });
  return tokenResponse(granted, { issuer, client, proof }, 'token-exchange');
}

/** The one API that audience and resource name together. */
function targetOf(params: Params, snapshot: Snapshot): SnapshotApi {
  const { values, repeated } = params;
  if (!values.has('audience') && !values.has('resource'))
    throw new InvalidRequest('audience or resource is missing.');
  if (repeated.has('audience') || repeated.has('resource'))
    throw new InvalidTarget('A token of this service is for one API: name one audience or resource.');
  const api = targetNamed(params, { snapshot });
  if (!api) throw new InvalidTarget('audience or resource names no API here, or they name different ones.');
  return api;
}

/** The same without a refusal; null: there is not one. */
export function targetNamed(
  { values, repeated }: Params,
  { snapshot }: Pick<ClientRequest, 'snapshot'>,
): SnapshotApi | null {
  if (repeated.has('audience') || repeated.has('resource')) return null;
  const [audience, resource] = [values.get('audience'), values.get('resource')];
  const byUrl = (url: string) => [...snapshot.apis.values()].find((api) => api.url === url);
  const named = [
    ...(audience === undefined ? [] : [snapshot.apis.get(audience) ?? byUrl(audience)]),
    ...(resource === undefined ? [] : [byUrl(resource)]),
  ];
  const [api] = named;
  return api && named.every((other) => other === api) ? api : null;
}

/** What the answer calls the token: an access token, or a jwt where that was asked for and it is one. */
function issuedTypeOf(requested: string | undefined, api: SnapshotApi): string {
  const possible = api.accessTokenFormat === 'jwt' ? [ACCESS_TOKEN, JWT] : [ACCESS_TOKEN];
  if (requested === undefined) return ACCESS_TOKEN;
  if (!possible.includes(requested))
    throw new InvalidRequest('requested_token_type must be that of an access token, which the API uses.');
  return requested;
}

function presentedAs<Role extends 'subject' | 'actor'>(role: Role, { values }: Params, by: Presenter) {
  const [token, type] = [values.get(`${role}_token`), values.get(`${role}_token_type`)];
  if (token === undefined && type === undefined) return null;
  if (token === undefined) throw new InvalidRequest(`${role}_token is missing.`);
  if (type === undefined) throw new InvalidRequest(`${role}_token_type is missing.`);
  const authMethodId = role === 'subject' ? values.get('auth_method') : undefined;
  return { role, token, type, authMethodId, by };
}
