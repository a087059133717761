// Previews what a change of an API or sign-in method would do.
import { callbackOf } from '#lib/auth-methods/callback.ts';
import type { Sentence } from '#lib/kit/text.ts';
import { english } from '#lib/language/message.ts';
import { profileExcludes, underProfile } from '#lib/registry/api.ts';
import { type AuthMethodValues, answersElse } from '#lib/registry/auth-method.ts';
import { methodCan, methodKind } from '#lib/registry/methods/questions.ts';
import { sameSet } from '#lib/registry/subscription.ts';
import { countWaitingDevices } from '#lib/store/endings.ts';
import { selectSubscriptionsOf } from '#lib/store/subscriptions.ts';
import { type ApiChange, apiChange, apiChangeFaults, apiOf, changedApi } from './apis.ts';
import {
  approvedPairs,
  type Consequences,
  consequencesOf,
  countEnding,
  type Holding,
} from './consequences.ts';
import {
  type AuthMethodChange,
  changedMethod,
  methodChange,
  methodChangeFaults,
  methodOf,
} from './methods.ts';
import { operation } from './operations.ts';

export const previewApiChange = operation(
  { name: 'previewApiChange', right: 'registry.read', shape: apiChange },
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
      const scope = before.scopes.find((apiScope) => apiScope.name === name);
      return scope && !sameSet(scope.groups ?? [], groups) ? [name] : [];
    });
    const shut = after.scopes.flatMap(({ name, groups = [] }) => {
      const scope = before.scopes.find((apiScope) => apiScope.name === name);
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
          english('No one can sign in to this API with {method} any more: that issuer is removed.', {
            method,
          }),
          true,
        ],
      ),
      [
        english(
          'The scopes {scopes} are removed: requests that contain one of them fail ({count, plural, one {# subscription is} other {# subscriptions are}} affected).',
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
        english('Tokens are signed with {alg}: the API must accept this algorithm.', {
          alg: after.signingAlg,
        }),
        differs('signingAlg') && after.accessTokenFormat === 'jwt',
      ],
      [
        english(
          'From now on clients know people by other identifiers (sub), and everyone must sign in again.',
        ),
        differs('pairwiseSubjects'),
      ],
      [english('Requests without a scope fail.'), differs('requireScope') && after.requireScope],
      [
        english('The password grant and requests without PKCE fail. Everything issued before remains valid.'),
        differs('profile') && after.profile !== null,
      ],
      [
        english('Requests without a redirect address fail.'),
        differs('requireRedirectUri') && after.requireRedirectUri,
      ],
      [english('Devices cannot be connected by a code.'), endsDevices],
      [
        english(
          '{count, plural, one {# code on a device is no longer valid.} other {# codes on devices are no longer valid.}}',
          { count: waitingDevices },
        ),
        waitingDevices > 0,
      ],
      [
        english(
          'From now on, only people in these groups can use the API: {groups}. Others lose their access.',
          {
            groups: after.groups.join(', '),
          },
        ),
        after.groups.length > 0 && !sameSet(before.groups, after.groups),
      ],
      [english('From now on, everyone can use the API, regardless of their groups.'), opens],
      [
        english('From now on, other people can have these scopes: {scopes}.', {
          scopes: otherPeople.join(', '),
        }),
        otherPeople.length > 0,
      ],
      [
        english('People outside their groups lose these scopes immediately: {scopes}.', {
          scopes: shut.join(', '),
        }),
        shut.length > 0,
      ],
      [
        english('From now on, other people decide on requests, including pending ones.'),
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
  { name: 'previewApiDeletion', right: 'registry.read' },
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
  { name: 'previewAuthMethodChange', right: 'registry.read', shape: methodChange },
  async ({ actor, db }, input: AuthMethodChange): Promise<Consequences> => {
    const before = await methodOf(db, input.id);
    const after = changedMethod(before, input);
    const another = answersElse(before, after);
    return {
      ...consequencesOf(before.managed, [
        [
          english('From now on, people return to {url}: register this address at the broker.', {
            url: callbackOf(after),
          }),
          callbackOf(before) !== callbackOf(after),
        ],
        [
          english(
            'From now on, another provider responds: people who signed in before are forgotten and must sign in again.',
          ),
          another,
        ],
        ...remarksOf(after)
          .filter(({ text }) => !remarksOf(before).some((sentence) => sentence.text === text))
          .map(({ text, values }): Holding => [english(text, values), true]),
      ]),
      ...(another && (await countEnding(db, { authMethodId: before.id }))),
      faults: await methodChangeFaults({ actor, db }, before, after),
    };
  },
);

export const previewAuthMethodDeletion = operation(
  { name: 'previewAuthMethodDeletion', right: 'registry.read' },
  async ({ db }, input: { id: string }): Promise<Consequences> => {
    const { id, type, managed, apis } = await methodOf(db, input.id);
    return {
      ...consequencesOf(managed, [
        ...apis.map(
          (api): Holding => [english('No one can sign in to {api} with it any more.', { api }), true],
        ),
        [
          english(
            'Passwords are kept, but no one can use them to sign in with this method, not even to the console.',
          ),
          methodCan({ type }, 'hasAccounts'),
        ],
      ]),
      ...(await countEnding(db, { authMethodId: id })),
    };
  },
);
