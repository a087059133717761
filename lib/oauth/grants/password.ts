// The resource owner password grant (RFC 6749 §4.3): trusted subscriptions only, methods that can check a password
// only. The scope asked for is ignored: the token always has the API's full scope (specification 4.6 rule 3).
import { randomUUID } from 'node:crypto';
import { accountName, authMethod, passwordLimits, underLimits } from '#lib/auth-methods/index.ts';
import { createFamily, recordRefusal } from '#lib/store/index.ts';
import { mint, mintOpaque } from '#lib/tokens/index.ts';
import { InvalidGrant, InvalidRequest, TemporarilyUnavailable, UnauthorizedClient } from '../errors.ts';
import { binding, type Grant } from './grant.ts';

const NOT_TRUSTED = 'The password grant needs an approved trusted subscription.';
const UNAVAILABLE = 'The service that checks passwords is not answering. Try again in a moment.';

export const password: Grant = {
  grantType: 'password',
  isPossible: (issuer) => authMethod(issuer.method).verifyPassword !== undefined,
  async authorize({ values }, context) {
    const { issuer, client, subscription } = context;
    const username = values.get('username')?.trim();
    const secret = values.get('password');
    if (!username) throw new InvalidRequest('username is missing.');
    if (secret === undefined) throw new InvalidRequest('password is missing.');
    if (!subscription.trusted) throw new UnauthorizedClient(NOT_TRUSTED);
    const verify = authMethod(issuer.method).verifyPassword;
    if (!verify) throw new Error('a grant ran where it is not possible');

    const limits = passwordLimits({
      account: accountName(issuer.method, username),
      address: context.ip,
      confidentialClientId: client.confidential ? client.clientId : null,
      device: null,
    });
    const verdict = await underLimits(
      limits,
      binding(context),
      () => verify(username, secret),
      (result) => result.kind === 'refused',
      (result) => result.kind === 'identity',
    );
    if (verdict.kind !== 'identity') {
      const details = { grant_type: 'password', reason: verdict.kind };
      await recordRefusal({ ...binding(context), event: 'sign_in.refused', details });
      if (verdict.kind === 'unavailable') throw new TemporarilyUnavailable(UNAVAILABLE);
      throw new InvalidGrant('Username or password is not right.');
    }

    const refresh = mint('refresh');
    const opaque = mintOpaque(issuer.api);
    const familyId = randomUUID();
    const scopes = issuer.api.scopes.map((scope) => scope.name);
    const created = await createFamily({
      ...binding(context),
      familyId,
      personId: verdict.personId,
      personEpoch: verdict.personEpoch,
      scopes,
      refreshHash: refresh.hash,
      opaqueHash: opaque?.hash ?? null,
      attempts: limits.map((limit) => limit.key),
    });
    if (!created) throw new UnauthorizedClient(NOT_TRUSTED);
    return {
      familyId,
      personId: verdict.personId,
      scopes,
      authTime: created.authTime,
      refreshToken: refresh.value,
      opaqueToken: opaque?.value ?? null,
      scopeAsAsked: false,
    };
  },
};
