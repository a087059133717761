import type { Actor } from '#lib/management/core/policy.ts';
import type { ClientDetail } from '#lib/management/registry/clients.ts';
import { pageSubscriptions } from '#lib/management/subscriptions/subscription-view.ts';
import { readPublishedApi } from '#lib/oauth/endpoints/published.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { reachOf } from '#lib/registry/objects/subscription-states.ts';
import type { Combination } from './attempt.ts';

type Approved = {
  combinations: Combination[];
  /** one of the subscriptions gives tokens in the client's own name */
  machine: boolean;
};

/** The issuers of the client's approved subscriptions, with their scopes. */
export async function combinationsOf(actor: Actor, { clientId }: ClientDetail): Promise<Approved> {
  const { rows } = await pageSubscriptions(actor, { clientId, own: true, state: 'approved', limit: 200 });
  const found = await Promise.all(
    rows.map(async (row) => {
      const api = await readPublishedApi(row.api);
      return (api?.issuers ?? []).map((issuer) => ({
        label: `${row.apiName}, ${issuer.method.name}`,
        issuer: issuer.issuer,
        authorize: issuer.authorizationEndpoint,
        token: issuer.tokenEndpoint,
        par: issuer.pushedAuthorizationRequestEndpoint,
        revoke: issuer.revocationEndpoint,
        userinfo: issuer.userinfoEndpoint,
        jwks: issuer.jwksUri,
        scopes: reachOf(row).map((scope) => ({ ...scope, description: plainText(scope.description) })),
        bound: api?.dpop === 'required',
      }));
    }),
  );
  return { combinations: found.flat(), machine: rows.some(({ machine }) => machine) };
}
