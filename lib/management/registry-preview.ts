// What a change of an API or of an authentication method would break, before it is saved.
import { callbackOf } from '#lib/auth-methods/index.ts';
import { type SubscriptionRow, sameSet, WHO_ANSWERS } from '#lib/registry/index.ts';
import { countTokens, type Db, ownConnection, selectSubscriptionsOf } from '#lib/store/index.ts';
import { type ApiChange, apiOf, changedApi, registryFaults } from './apis.ts';
import { type Consequences, MANAGED_WARNING, noConsequences } from './consequences.ts';
import { type AuthMethodChange, changedMethod, methodOf } from './methods.ts';
import { operation } from './operation.ts';
import { type Actor, requireAction } from './policy.ts';

const approved = (rows: SubscriptionRow[]) =>
  rows.filter((row) => row.state === 'approved').map(({ clientId, api }) => ({ clientId, api }));

export const previewApiChange = operation(
  'previewApiChange',
  async (actor: Actor, input: ApiChange): Promise<Consequences> => {
    requireAction(actor, 'registry.read');
    const db: Db = ownConnection;
    const before = await apiOf(db, input.id);
    const after = changedApi(before, input);
    const warnings = before.managed ? [MANAGED_WARNING] : [];
    const subscriptions = await selectSubscriptionsOf(db, { api: before.id });
    const clients = subscriptions.filter((row) => row.state === 'approved').length;

    const goneMethods = before.authMethods.filter((id) => !after.authMethods.includes(id));
    let [tokens, people] = [0, 0];
    for (const authMethodId of goneMethods) {
      const counted = await countTokens(db, { api: before.id, authMethodId });
      tokens += counted.tokens;
      people += counted.people;
      warnings.push(`Nobody signs in to this API with ${authMethodId} any more: that issuer is gone.`);
    }
    const names = after.scopes.map((scope) => scope.name);
    const goneScopes = before.scopes.map((scope) => scope.name).filter((name) => !names.includes(name));
    if (goneScopes.length > 0) {
      const asking = subscriptions.filter((row) => row.scopes.some((scope) => goneScopes.includes(scope)));
      warnings.push(
        `The scopes ${goneScopes.join(', ')} end: requests that name one fail (${asking.length} subscriptions do).`,
      );
    }
    if (before.url !== after.url) {
      warnings.push(`Tokens get another audience: the API must expect ${after.url} (${clients} clients).`);
    }
    if (before.accessTokenFormat !== after.accessTokenFormat) {
      warnings.push(`Tokens are ${after.accessTokenFormat} from now on: the API must understand them.`);
    }
    if (before.signingAlg !== after.signingAlg && after.accessTokenFormat === 'jwt') {
      warnings.push(`Tokens are signed with ${after.signingAlg}: the API must accept it.`);
    }
    if (!before.requireScope && after.requireScope) warnings.push('Requests without a scope fail.');
    if (!before.requireRedirectUri && after.requireRedirectUri) {
      warnings.push('Requests without a redirect_uri fail.');
    }
    if (!sameSet(before.approvers, after.approvers)) {
      warnings.push('Other people decide on requests from now on, those that wait too.');
    }
    const faults = await registryFaults(db, after);
    return { ...noConsequences(), faults, warnings, endsTokens: tokens, people };
  },
);

export const previewApiDeletion = operation(
  'previewApiDeletion',
  async (actor: Actor, input: { id: string }): Promise<Consequences> => {
    requireAction(actor, 'registry.read');
    const api = await apiOf(ownConnection, input.id);
    const counted = await countTokens(ownConnection, { api: api.id });
    return {
      ...noConsequences(),
      warnings: api.managed ? [MANAGED_WARNING] : [],
      losesAccess: approved(await selectSubscriptionsOf(ownConnection, { api: api.id })),
      endsTokens: counted.tokens,
      people: counted.people,
    };
  },
);

export const previewAuthMethodChange = operation(
  'previewAuthMethodChange',
  async (actor: Actor, input: AuthMethodChange): Promise<Consequences> => {
    requireAction(actor, 'registry.read');
    const before = await methodOf(ownConnection, input.id);
    const after = changedMethod(before, input);
    const answersElse = WHO_ANSWERS.some((key) => before.config[key] !== after.config[key]);
    const warnings = before.managed ? [MANAGED_WARNING] : [];
    if (callbackOf(before) !== callbackOf(after)) {
      warnings.push(
        `People come back to ${callbackOf(after)} from now on: the broker must have it registered.`,
      );
    }
    if (!answersElse) return { ...noConsequences(), warnings };
    const counted = await countTokens(ownConnection, { authMethodId: before.id });
    warnings.push(
      'Another provider answers from now on: who signed in before is forgotten and signs in anew.',
    );
    return { ...noConsequences(), warnings, endsTokens: counted.tokens, people: counted.people };
  },
);

export const previewAuthMethodDeletion = operation(
  'previewAuthMethodDeletion',
  async (actor: Actor, input: { id: string }): Promise<Consequences> => {
    requireAction(actor, 'registry.read');
    const method = await methodOf(ownConnection, input.id);
    const counted = await countTokens(ownConnection, { authMethodId: method.id });
    const warnings = method.managed ? [MANAGED_WARNING] : [];
    for (const api of method.apis) warnings.push(`Nobody signs in to ${api} with it any more.`);
    if (method.type === 'local') {
      warnings.push(
        'Passwords stay, but nobody can sign in with one by this method, to the console neither.',
      );
    }
    return { ...noConsequences(), warnings, endsTokens: counted.tokens, people: counted.people };
  },
);
