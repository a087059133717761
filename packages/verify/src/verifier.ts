// The check that every adapter makes: one header, one token, and what the route needs of it.
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
import { isProven } from './proof.ts';
import { Invalid, type Refusal, refusals, unavailable } from './refusal.ts';
import type { Sent } from './sent.ts';

export type Outcome = { caller: Caller; refused?: never } | { caller?: never; refused: Refusal };

const MOST_CHARACTERS = 16_384;
const CLASSES = ['password', 'mfa', 'phishing-resistant'].map((name) => `urn:gatehouse:acr:${name}`);

export function verifier(options: Options, clock?: () => number) {
  const settings = settingsOf(options);
  const { api, tolerance, publicUrl, tell } = settings;
  const followed = follow(() => loadMetadata(api, settings.issuers), tell, clock);
  const checkJwt = jwtChecker(followed, tolerance);
  const introspect = introspector(settings, followed, clock);

  async function callerOf(token: string): Promise<Caller> {
    const metadata = await followed.current();
    const claims = await (metadata.format === 'jwt' ? checkJwt : introspect)(token, metadata);
    const { sub, client_id: clientId, scope = '', iat, act = null } = claims;
    const early = typeof iat !== 'number' || iat > Date.now() / 1_000 + tolerance;
    if (!isTexts([sub, clientId]) || typeof scope !== 'string' || early || typeof act !== 'object')
      throw new Invalid();
    return {
      sub: sub as string,
      clientId: clientId as string,
      scope,
      kind: sub === clientId ? 'machine' : 'person',
      act: act as Caller['act'],
      claims,
    };
  }

  /** What the client called, without query and fragment; only on this machine is it what `Host` says. */
  function addressOf(url: string): string {
    const called = URL.parse(url);
    const base = publicUrl || (called && isLoopback(called) && called.origin);
    if (base) return base + called?.pathname;
    tell('a token is bound to a key: publicUrl is not told');
    throw new Unavailable();
  }

  return (requirement?: Requirement) => {
    const needs = needsOf(requirement);
    return async (sent: Sent): Promise<Outcome> => {
      const given = String(sent.header ?? '');
      const isDpop = /^dpop /i.test(given);
      const refuse = refusals(api, isDpop || needs.dpop);
      if (!/(?:^|,\s*)(?:bearer|dpop) +\S/i.test(given)) return { refused: refuse.noToken() };
      // of two headers neither is taken: a comma is in no token
      const token = /^(?:bearer|dpop) +([\w.~+/-]+=*)$/i.exec(given)?.[1];
      if (!token || given.length > MOST_CHARACTERS) return { refused: refuse.invalid() };
      try {
        const caller = await callerOf(token);
        const { cnf } = caller.claims;
        // a token that is bound to a key proves nothing without the proof
        if (isDpop !== (cnf !== undefined) || (needs.dpop && !isDpop)) throw new Invalid();
        if (isDpop && !(await isProven(sent, { token, cnf, address: addressOf(sent.url) })))
          return { refused: refuse.badProof() };
        if (needs.kind && caller.kind !== needs.kind) return { refused: refuse.wrongKind(needs) };
        const has = caller.scope.split(' ');
        if (!needs.scopes.every((word) => has.includes(word)))
          return { refused: refuse.insufficientScope(needs) };
        if (!isStrong(caller, needs)) return { refused: refuse.weak(needs) };
        return { caller };
      } catch (error) {
        if (error instanceof Invalid) return { refused: refuse.invalid() };
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

/** -1 of what is no class of Gatehouse. `phr` and `phrh` are other names of the last one. */
const rank = (acr: unknown) => (acr === 'phr' || acr === 'phrh' ? 2 : CLASSES.indexOf(String(acr)));
