// The check that all adapters share: Authorization header, token, and requirements of the route.

import { boundedText } from './bounded.ts';
import { Unavailable } from './fetch-json.ts';
import { follow } from './followed.ts';
import { introspector } from './introspection.ts';
import { jwtChecker } from './jwt.ts';
import { isTexts, loadMetadata } from './metadata.ts';
import {
  type Caller,
  isLoopback,
  type Needs,
  needsOf,
  type Options,
  type Requirement,
  settingsOf,
} from './options.ts';
import { proofFault } from './proof.ts';
import { badRequest, Invalid, type Refusal, refusals, unavailable } from './refusal.ts';
import type { Sent } from './sent.ts';

export type Outcome = { caller: Caller; refused?: never } | { caller?: never; refused: Refusal };

const MOST_CHARACTERS = 16_384;
const CLASSES = ['password', 'mfa', 'phishing-resistant'].map((name) => `urn:gatehouse:acr:${name}`);

export function verifier(options: Options, clock?: () => number) {
  const settings = settingsOf(options);
  const { api, tolerance, publicUrl, tell, hearRefusal } = settings;
  const followed = follow(() => loadMetadata(api, settings.issuers), tell, clock);
  const checkJwt = jwtChecker(followed, tolerance);
  const introspect = introspector(settings, followed, clock);

  async function callerOf(token: string): Promise<Caller> {
    const metadata = await followed.current();
    const claims = await (metadata.format === 'jwt' ? checkJwt : introspect)(token, metadata);
    const { sub, client_id: clientId, scope = '', iat, act = null } = claims;
    const early = typeof iat !== 'number' || iat > Date.now() / 1_000 + tolerance;
    if (early)
      throw new Invalid(`iat of the token is ${boundedText(iat)}, in the future: compare the clocks`);
    if (!isTexts([sub, clientId]) || typeof scope !== 'string' || typeof act !== 'object')
      throw new Invalid('sub, client_id, scope or act of the token is invalid');
    return {
      sub: sub as string,
      clientId: clientId as string,
      scope,
      kind: sub === clientId ? 'machine' : 'person',
      act: act as Caller['act'],
      claims,
    };
  }

  /** Returns the URL of the request without query and fragment. The `Host` header is trusted only on localhost. */
  function addressOf(called: URL): string {
    const base = publicUrl || (isLoopback(called) && called.origin);
    if (base) return base + called.pathname;
    tell('a token is bound to a key: publicUrl is not set');
    throw new Unavailable();
  }

  return (requirement?: Requirement) => {
    const needs = needsOf(requirement);
    return async (sent: Sent): Promise<Outcome> => {
      const authorization = String(sent.header ?? '');
      const isDpop = /^dpop /i.test(authorization);
      const refuse = refusals(api, isDpop || needs.dpop);
      const deny = (refusal: Refusal, reason: string): Outcome => {
        hearRefusal(reason);
        return { refused: refusal };
      };
      if (!sent.url) return deny(badRequest(), 'the Host header is not a host');
      if (!/(?:^|,\s*)(?:bearer|dpop) +\S/i.test(authorization))
        return deny(refuse.noToken(), 'the request has no Authorization header with an access token');
      // rejects two headers, which Node joins with a comma: a token contains no comma
      const token = /^(?:bearer|dpop) +([\w.~+/-]+=*)$/i.exec(authorization)?.[1];
      if (!token || authorization.length > MOST_CHARACTERS)
        return deny(refuse.invalid(), 'the Authorization header is not one token, or is too long');
      try {
        const caller = await callerOf(token);
        const { cnf } = caller.claims;
        // a bound token proves nothing without a DPoP proof
        if (isDpop !== (cnf !== undefined))
          throw new Invalid(
            isDpop
              ? 'the token is a bearer token, but was sent as DPoP'
              : 'the token is bound to a key, but was sent as Bearer: its client must send DPoP and a proof',
          );
        if (needs.dpop && !isDpop) throw new Invalid('the route accepts only tokens bound to a key');
        const fault = isDpop ? await proofFault(sent, { token, cnf, address: addressOf(sent.url) }) : null;
        if (fault !== null) return deny(refuse.badProof(), fault);
        if (needs.kind && caller.kind !== needs.kind)
          return deny(
            refuse.wrongKind(needs),
            `the token is for a ${caller.kind}, but the route requires a ${needs.kind}`,
          );
        const has = caller.scope.split(' ');
        const lacking = needs.scopes.filter((word) => !has.includes(word));
        if (lacking.length > 0)
          return deny(
            refuse.insufficientScope(needs),
            `the token lacks the scope ${lacking.join(' ')}: it has ${boundedText(caller.scope)}`,
          );
        if (!isStrong(caller, needs))
          return deny(
            refuse.weak(needs),
            `the sign-in is too weak or too old: acr is ${boundedText(caller.claims['acr'])}, auth_time is ${boundedText(caller.claims['auth_time'])}`,
          );
        return { caller };
      } catch (error) {
        if (error instanceof Invalid) return deny(refuse.invalid(), error.message);
        if (error instanceof Unavailable) return { refused: unavailable() };
        throw error;
      }
    };
  };
}

function isStrong({ kind, claims }: Caller, { acr, maxAge }: Needs): boolean {
  if (acr === undefined && maxAge === undefined) return true;
  const { acr: has, auth_time: at } = claims;
  const least = rank(acr);
  const strong = acr === undefined || acr === has || (least >= 0 && rank(has) >= least);
  const fresh = maxAge === undefined || (typeof at === 'number' && Date.now() / 1_000 - at <= maxAge);
  return kind === 'person' && strong && fresh;
}

/** Returns the rank of an authentication class; -1: unknown. `phr` and `phrh` are aliases of the highest class. */
const rank = (acr: unknown) => (acr === 'phr' || acr === 'phrh' ? 2 : CLASSES.indexOf(String(acr)));
