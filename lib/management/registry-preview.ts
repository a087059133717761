// Previews effects of API and sign-in method changes.
import { callbackOf } from '#lib/auth-methods/callback.ts';
import type { Sentence } from '#lib/kit/text.ts';
import { english } from '#lib/language/message.ts';
import { profileExcludes, underProfile } from '#lib/registry/api.ts';
import { type AuthMethodValues, answersElse } from '#lib/registry/auth-method.ts';
import { methodCan, methodKind } from '#lib/registry/methods/questions.ts';
import { sameSet } from '#lib/registry/subscription.ts';
import { countWaitingDevices } from '#lib/store/endings.ts';
import { selectSubscriptionsOf } from '#lib/store/subscriptions.ts';
import { type ApiChange, apiChangeFaults, apiOf, changedApi } from './apis.ts';
import {
  approvedPairs,
  type Consequences,
  consequencesOf,
  countEnding,
  type Holding,
} from './consequences.ts';
import { type AuthMethodChange, changedMethod, methodChangeFaults, methodOf } from './methods.ts';
import { operation } from './operations.ts';

export const previewApiChange = operation(
  'previewApiChange',
  async ({ actor, db }, input: ApiChange): Promise<Consequences> => {
    const before = await apiOf(db, input.id);
    const after = changedApi(before, input);
    const faults = await apiChangeFaults({ actor, db }, before, after);
    const { id: api, managed } = before;
    const subscriptions = await selectSubscriptionsOf(db, { api });
    const clients = approvedPairs(subscriptions).length;
    const differs = (field: keyof typeof after) => before[field] !== after[field];
    const goneMethods = before.authMethods.filter((id) => !after.authMethods.includes(id));
    const goneScopes = before.scopes
      .map(({ name }) => name)
      .filter((gone) => !after.scopes.some(({ name }) => name === gone));
    const otherPeople = after.scopes.flatMap(({ name, groups = [] }) => {
      const scope = before.scopes.find((one) => one.name === name);
      return scope && !sameSet(scope.groups ?? [], groups) ? [name] : [];
    });
    const shut = after.scopes.flatMap(({ name, groups = [] }) => {
      const scope = before.scopes.find((one) => one.name === name);
      if (!scope || groups.length === 0) return [];
      const had = scope.groups ?? [];
      return had.length === 0 || had.some((group) => !groups.includes(group)) ? [name] : [];
    });
    const opens = before.groups.length > 0 && after.groups.length === 0;
    const asking = subscriptions.filter((row) => row.scopes.some((scope) => goneScopes.includes(scope)));
    const endsDevices =
      underProfile(before).deviceGrant === 'on' && underProfile(after).deviceGrant === 'off';
    const waitingDevices = endsDevices ? await countWaitingDevices(db, api) : 0;
    const breaks = consequencesOf(managed, [
      ...goneMethods.map(
        (method): Holding => [
          english('Nobody signs in to this API with {method} any more: that issuer is gone.', { method }),
          true,
        ],
      ),
      [
        english(
          'The scopes {scopes} end: requests that name one fail ({count, plural, one {# subscription does} other {# subscriptions do}}).',
          { scopes: goneScopes.join(', '), count: asking.length },
        ),
        goneScopes.length > 0,
      ],
      [
        english(
          'Tokens get another audience: the API must expect {url} ({clients, plural, one {# client} other {# clients}}).',
          { url: after.url, clients },
        ),
        differs('url'),
      ],
      [
        english('Tokens are {format} from now on: the API must understand them.', {
          format: after.accessTokenFormat,
        }),
        differs('accessTokenFormat'),
      ],
      [
        english('Tokens are signed with {alg}: the API must accept it.', { alg: after.signingAlg }),
        differs('signingAlg') && after.accessTokenFormat === 'jwt',
      ],
      [
        english('Clients know people by other identifiers (sub) from now on, and everybody signs in again.'),
        differs('pairwiseSubjects'),
      ],
      [english('Requests without a scope fail.'), differs('requireScope') && after.requireScope],
      [
        english('The password grant and requests without PKCE fail; what was given before goes on.'),
        differs('profile') && after.profile !== null,
      ],
      [
        english('Requests that do not name their redirect address fail.'),
        differs('requireRedirectUri') && after.requireRedirectUri,
      ],
      [english('No device is connected by a code.'), endsDevices],
      [
        english(
          '{count, plural, one {# code that a device shows is of no use any more.} other {# codes that devices show are of no use any more.}}',
          { count: waitingDevices },
        ),
        waitingDevices > 0,
      ],
      [
        english('Only people of these groups may use it from now on: {groups}. Others lose what they have.', {
          groups: after.groups.join(', '),
        }),
        after.groups.length > 0 && !sameSet(before.groups, after.groups),
      ],
      [english('Everybody may use it from now on, whatever groups they are in.'), opens],
      [
        english('Other people may have these scopes from now on: {scopes}.', {
          scopes: otherPeople.join(', '),
        }),
        otherPeople.length > 0,
      ],
      [
        english('People who are in none of their groups lose these scopes at once: {scopes}.', {
          scopes: shut.join(', '),
        }),
        shut.length > 0,
      ],
      [
        english('Other people decide on requests from now on, those that wait too.'),
        !sameSet(before.approvers, after.approvers),
      ],
    ]);
    if (differs('profile'))
      breaks.losesAccess = approvedPairs(
        subscriptions.filter(({ clientAuthMethod }) => profileExcludes(after, clientAuthMethod)),
      );
    if (differs('pairwiseSubjects')) return { ...breaks, ...(await countEnding(db, { api })), faults };
    const endings = [
      ...goneMethods.map((authMethodId) => ({ api, authMethodId })),
      ...(endsDevices ? [{ api, basis: 'device' as const, exceptMethods: goneMethods }] : []),
    ];
    for (const ending of endings) {
      const { endsTokens, people } = await countEnding(db, ending);
      breaks.endsTokens += endsTokens;
      breaks.people += people;
    }
    return { ...breaks, faults };
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

const remarksOf = ({ type, config }: Pick<AuthMethodValues, 'type' | 'config'>): Sentence[] =>
  (methodKind(type).remarks?.(config) ?? []).map(({ found }) => found);

export const previewAuthMethodChange = operation(
  'previewAuthMethodChange',
  async ({ actor, db }, input: AuthMethodChange): Promise<Consequences> => {
    const before = await methodOf(db, input.id);
    const after = changedMethod(before, input);
    const another = answersElse(before, after);
    return {
      ...consequencesOf(before.managed, [
        [
          english('People come back to {url} from now on: the broker must have it registered.', {
            url: callbackOf(after),
          }),
          callbackOf(before) !== callbackOf(after),
        ],
        [
          english(
            'Another provider answers from now on: people who signed in before are forgotten and sign in again.',
          ),
          another,
        ],
        ...remarksOf(after)
          .filter(({ text }) => !remarksOf(before).some((one) => one.text === text))
          .map(({ text, values }): Holding => [english(text, values), true]),
      ]),
      ...(another && (await countEnding(db, { authMethodId: before.id }))),
      faults: await methodChangeFaults({ actor, db }, before, after),
    };
  },
);

export const previewAuthMethodDeletion = operation(
  'previewAuthMethodDeletion',
  async ({ db }, input: { id: string }): Promise<Consequences> => {
    const { id, type, managed, apis } = await methodOf(db, input.id);
    return {
      ...consequencesOf(managed, [
        ...apis.map((api): Holding => [english('Nobody signs in to {api} with it any more.', { api }), true]),
        [
          english('Passwords stay, but nobody can sign in with one by this method, to the console neither.'),
          methodCan({ type }, 'hasAccounts'),
        ],
      ]),
      ...(await countEnding(db, { authMethodId: id })),
    };
  },
);
