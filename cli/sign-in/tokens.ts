// The calls to the token and revocation endpoints, and what is kept of their answers.
import type * as openid from 'openid-client';
import { now } from '#lib/kit/clock.ts';
import { CommandFailed } from '../typed.ts';
import { inOneLine } from './in-one-line.ts';
import { type Issuer, openIssuer, resourceOf } from './issuer.ts';
import type { KeptSignIn } from './kept.ts';
import { type KeptKey, provingBy } from './key.ts';

/** Where an answer does not say how long its token lives. */
const SHORTEST_SECONDS = 60;

type Answer = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;
type Given = Pick<KeptSignIn, 'access_token' | 'expires_at' | 'refresh_token' | 'scope'>;
export type Asked = {
  state: string;
  verifier: string;
  scope: string;
  resource: string;
  /** that the tokens are to be bound to */
  key: KeptKey | null;
};

/** For a code, once `state` and `iss` are right (RFC 6749 §4.1.2, RFC 9207). Refused with what the issuer said. */
export async function redeem(
  issuer: Issuer,
  answer: URL,
  { state, verifier, scope, resource, key }: Asked,
): Promise<Given & Pick<KeptSignIn, 'dpop_key'>> {
  const { config, url } = issuer;
  const client = await import('openid-client');
  try {
    const checks = { expectedState: state, pkceCodeVerifier: verifier };
    const proving = await provingBy(issuer, key);
    const tokens = await client.authorizationCodeGrant(config, answer, checks, { resource }, proving);
    return { ...given(tokens, scope), dpop_key: tokens.token_type === 'dpop' ? key : null };
  } catch (error) {
    const denied = error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
    throw new CommandFailed(denied ? 'the sign-in was denied' : `${url} gave no token: ${inOneLine(error)}`);
  }
}

/** Null: the sign-in has ended. */
export async function refresh(kept: KeptSignIn & { refresh_token: string }): Promise<KeptSignIn | null> {
  const issuer = await openIssuer(kept.issuer, kept.client_id);
  const { config, url } = issuer;
  const client = await import('openid-client');
  try {
    const asked = { resource: resourceOf(kept.server) };
    const proving = await provingBy(issuer, kept.dpop_key);
    const answer = await client.refreshTokenGrant(config, kept.refresh_token, asked, proving);
    const { refresh_token, ...tokens } = given(answer, kept.scope);
    return { ...kept, ...tokens, refresh_token: refresh_token ?? kept.refresh_token };
  } catch (error) {
    const ended = error instanceof client.ResponseBodyError && error.error === 'invalid_grant';
    if (ended) return null;
    throw new CommandFailed(`${url} gave no new token: ${inOneLine(error)}`);
  }
}

/** RFC 7009: ends all that this sign-in gave. False: the issuer revokes nothing. */
export async function revoke(kept: KeptSignIn): Promise<boolean> {
  const { config, url } = await openIssuer(kept.issuer, kept.client_id);
  if (config.serverMetadata().revocation_endpoint === undefined) return false;
  const client = await import('openid-client');
  await client.tokenRevocation(config, kept.refresh_token ?? kept.access_token).catch((error: unknown) => {
    throw new CommandFailed(`${url} revoked nothing: ${inOneLine(error)}`);
  });
  return true;
}

function given(answer: Answer, asked: string): Given {
  const seconds = answer.expiresIn() ?? SHORTEST_SECONDS;
  return {
    access_token: answer.access_token,
    expires_at: new Date(now().getTime() + seconds * 1000).toISOString(),
    refresh_token: answer.refresh_token ?? null,
    scope: answer.scope ?? asked,
  };
}
