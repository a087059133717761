// What a change of an API or of an authentication method would break, before it is saved.
import { callbackOf } from '#lib/auth-methods/index.ts';
import { answersElse, methodCan, sameSet } from '#lib/registry/index.ts';
import { selectSubscriptionsOf } from '#lib/store/index.ts';
import { approvedPairs, type Consequences, consequencesOf, countEnding, operation } from '../core/index.ts';
import { type ApiChange, apiOf, changedApi, registryFaults } from './apis.ts';
import { type AuthMethodChange, changedMethod, methodOf } from './methods.ts';

export const previewApiChange = operation(
  'previewApiChange',
  async ({ db }, input: ApiChange): Promise<Consequences> => {
    const before = await apiOf(db, input.id);
    const after = changedApi(before, input);
    const { id: api, managed } = before;
    const subscriptions = await selectSubscriptionsOf(db, { api });
    const clients = approvedPairs(subscriptions).length;
    const differs = (field: keyof typeof after) => before[field] !== after[field];
    const goneMethods = before.authMethods.filter((id) => !after.authMethods.includes(id));
    const goneScopes = before.scopes
      .map(({ name }) => name)
      .filter((gone) => !after.scopes.some(({ name }) => name === gone));
    const asking = subscriptions.filter((row) => row.scopes.some((scope) => goneScopes.includes(scope)));
    const breaks = consequencesOf(managed, {
      ...Object.fromEntries(
        goneMethods.map((id) => [
          `Nobody signs in to this API with ${id} any more: that issuer is gone.`,
          true,
        ]),
      ),
      [`The scopes ${goneScopes.join(', ')} end: requests that name one fail (${asking.length} subscriptions do).`]:
        goneScopes.length > 0,
      [`Tokens get another audience: the API must expect ${after.url} (${clients} clients).`]: differs('url'),
      [`Tokens are ${after.accessTokenFormat} from now on: the API must understand them.`]:
        differs('accessTokenFormat'),
      [`Tokens are signed with ${after.signingAlg}: the API must accept it.`]:
        differs('signingAlg') && after.accessTokenFormat === 'jwt',
      'Clients know people by other identifiers (sub) from now on, and everybody signs in again.':
        differs('pairwiseSubjects'),
      'Requests without a scope fail.': differs('requireScope') && after.requireScope,
      'The password grant and requests without PKCE fail; what was given before goes on.':
        differs('profile') && after.profile !== null,
      'Requests that do not name their redirect address fail.':
        differs('requireRedirectUri') && after.requireRedirectUri,
      'Other people decide on requests from now on, those that wait too.': !sameSet(
        before.approvers,
        after.approvers,
      ),
    });
    if (differs('pairwiseSubjects'))
      return { ...breaks, ...(await countEnding(db, { api })), faults: await registryFaults(db, after) };
    for (const authMethodId of goneMethods) {
      const { endsTokens, people } = await countEnding(db, { api, authMethodId });
      breaks.endsTokens += endsTokens;
      breaks.people += people;
    }
    return { ...breaks, faults: await registryFaults(db, after) };
  },
);

export const previewApiDeletion = operation(
  'previewApiDeletion',
  async ({ db }, input: { id: string }): Promise<Consequences> => {
    const { id: api, managed } = await apiOf(db, input.id);
    return {
      ...consequencesOf(managed),
      losesAccess: approvedPairs(await selectSubscriptionsOf(db, { api })),
      ...(await countEnding(db, { api })),
    };
  },
);

export const previewAuthMethodChange = operation(
  'previewAuthMethodChange',
  async ({ db }, input: AuthMethodChange): Promise<Consequences> => {
    const before = await methodOf(db, input.id);
    const after = changedMethod(before, input);
    const another = answersElse(before, after);
    return {
      ...consequencesOf(before.managed, {
        [`People come back to ${callbackOf(after)} from now on: the broker must have it registered.`]:
          callbackOf(before) !== callbackOf(after),
        'Another provider answers from now on: people who signed in before are forgotten and sign in again.':
          another,
      }),
      ...(another && (await countEnding(db, { authMethodId: before.id }))),
    };
  },
);

export const previewAuthMethodDeletion = operation(
  'previewAuthMethodDeletion',
  async ({ db }, input: { id: string }): Promise<Consequences> => {
    const { id, type, managed, apis } = await methodOf(db, input.id);
    return {
      ...consequencesOf(managed, {
        ...Object.fromEntries(apis.map((api) => [`Nobody signs in to ${api} with it any more.`, true])),
        'Passwords stay, but nobody can sign in with one by this method, to the console neither.': methodCan(
          { type },
          'hasAccounts',
        ),
      }),
      ...(await countEnding(db, { authMethodId: id })),
    };
  },
);
