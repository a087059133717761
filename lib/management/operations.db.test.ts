// The list of operations is complete, and their rules about a recent sign-in are followed.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addSecret,
  changeClient,
  createClient,
  readClient,
  rotateClientSecret,
} from '#lib/catalogue/clients/operations.ts';
import { createGroup } from '#lib/catalogue/groups/operations.ts';
import { changePerson, readPerson } from '#lib/catalogue/people/operations.ts';
import {
  decideSubscription,
  decideSubscriptions,
  requestSubscription,
} from '#lib/catalogue/subscriptions/operations.ts';
import { offeredBy } from '#testing/code/offered.ts';
import { OPERATION_NAMES, OPERATIONS } from '#testing/code/operations.ts';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import { ensureManagementApi, MANAGEMENT_API } from './built-in.ts';
import { OPERATOR } from './policy.ts';

/** Exported functions that need no actor: they return an actor, serve the service itself, or only compute. */
const NO_OPERATIONS = [
  'claimFaultAt',
  'methodAsSaved',
  'consequencesOf',
  'ensureManagementApi',
  'examine',
  'examineBeforeUpgrade',
  'isOwnSession',
  'faultsOfDays',
  'isSecretText',
  'zoneOf',
  'listConsoleMethods',
  'maintain',
  'managementUrl',
  'mayDo',
  'missingScope',
  'faultAt',
  'accessOf',
  'faulty',
  'parseInput',
  'readMailToken',
  'readTokenActor',
  'Refused',
  'requestPasswordReset',
  'resetPassword',
  'signInByNewPassword',
  'signInToConsole',
  'startMaintenance',
  'verifyEmail',
  // sign-in and its second step
  'askConsolePasskey',
  'askPasskeyAgain',
  'confirmSignIn',
  'graceOf',
  'maySetUpNow',
  'putOffSetUp',
  'setUpFirst',
  'signInToConsoleByPasskey',
  'KeyNotProved',
  'SignInTooWeak',
  'textOfRefusal',
  'viewNewFactor',
  'viewReplacement',
  'viewOwedPassword',
  'viewSecondStep',
];

type Run = ((actor: unknown, input: unknown) => Promise<unknown>) & { terms?: { name: string } };
const functions = Object.entries(await offeredBy('management')).filter(
  (entry): entry is [string, Run] => typeof entry[1] === 'function',
);
const operations = functions.flatMap(([door, run]) => {
  const name = run.terms?.name;
  return name === undefined ? [] : [{ door, name, run }];
});
const byName = new Map(operations.map(({ name, run }) => [name, run]));
const withFreshness = (fresh: string) => OPERATION_NAMES.filter((name) => OPERATIONS[name]?.fresh === fresh);

const old = (person: Person): Person => ({ ...person, signedInAt: new Date(Date.now() - 16 * 60_000) });
const stale = (work: Promise<unknown>) => refusal(work).then((refused) => refused?.kind ?? 'done');

beforeEach(() => givenEmptyRegistry());

it('every exported function that has an actor is an operation, under its name', () => {
  const others = functions.filter(([, run]) => run.terms === undefined).map(([name]) => name);
  expect(others.toSorted()).toEqual(NO_OPERATIONS.toSorted());
  for (const { door, name } of operations) expect(name).toBe(door);
  expect([...byName.keys()].toSorted()).toEqual(OPERATION_NAMES.toSorted());
});

it('an operation checks the right first, then the sign-in, then the input', async () => {
  const chief = await givenPerson('chief', 'administrator');
  const wrong = { id: 'Not an id', name: '' };
  expect(await stale(createGroup(await givenPerson('nobody'), wrong))).toBe('forbidden');
  expect(await stale(createGroup(old(chief), wrong))).toBe('reauthenticate');
  expect((await refusal(createGroup(chief, wrong)))?.faults.map(({ field }) => field)).toEqual([
    'id',
    'name',
  ]);
  expect(await sql('select from groups')).toEqual([]);
});

describe('AD-12: an old sign-in or an old token allows no sensitive operation', () => {
  it.each(withFreshness('always'))('%s is rejected before it changes anything', async (name) => {
    const chief = await givenPerson('chief', 'administrator');
    const nobody = await givenPerson('nobody');
    const run = byName.get(name);
    expect(await stale(run?.(old(chief), {}) ?? Promise.resolve())).toBe('reauthenticate');
    // without the right, the error is `forbidden` instead of a request for a fresh sign-in
    const isEverybodys = String(OPERATIONS[name]?.right).startsWith('account.');
    expect(await stale(run?.(old(nobody), {}) ?? Promise.resolve())).toBe(
      isEverybodys ? 'reauthenticate' : 'forbidden',
    );
    expect(await events('access.denied')).toHaveLength(isEverybodys ? 0 : 1);
  });

  /**
   * Operations that sometimes require a recent sign-in, each with a call that is rejected and a call that is
   * accepted.
   */
  const CASES: Record<string, { asks: () => Promise<unknown>; lets: () => Promise<unknown> }> = {
    changePerson: {
      asks: async () => {
        const [chief, { id }] = [await givenPerson('chief', 'administrator'), await givenPerson('victim')];
        return changePerson(old(chief), { id, version: 1, email: 'attacker@example.com' });
      },
      lets: async () => {
        const [chief, { id }] = [await givenPerson('chief', 'administrator'), await givenPerson('victim')];
        return changePerson(old(chief), { id, version: 1, name: 'Another' });
      },
    },
    decideSubscription: {
      asks: async () => decideSubscription(old((await givenTrusted()).judge), { ...SHOP, action: 'approve' }),
      lets: async () => decideSubscription(old((await givenTrusted()).judge), { ...SHOP, action: 'reject' }),
    },
    decideSubscriptions: {
      asks: async () =>
        decideSubscriptions(old((await givenTrusted()).judge), { action: 'approve', requests: [SHOP] }),
      lets: async () =>
        decideSubscriptions(old((await givenTrusted()).judge), { action: 'reject', requests: [SHOP] }),
    },
    addSecret: {
      asks: async () => addSecret(old((await givenTrusted()).dev), SHOP),
      lets: async () => addSecret(old(await givenOwner()), SHOP),
    },
    rotateClientSecret: {
      asks: async () => rotateClientSecret(old((await givenTrusted()).dev), SHOP),
      lets: async () => rotateClientSecret(old(await givenOwner()), SHOP),
    },
    createClient: {
      asks: async () =>
        createClient(old(await givenPerson('chief', 'administrator')), { ...WIKI, ...VOUCHED }),
      lets: async () => createClient(old(await givenPerson('chief', 'administrator')), WIKI),
    },
    changeClient: {
      asks: async () => edit(old((await givenTrusted()).dev), { redirectUris: ['https://evil.example/cb'] }),
      lets: async () => edit(old((await givenTrusted()).dev), { logoUri: 'https://shop.example/logo.png' }),
    },
  };

  it('every operation that sometimes requires a recent sign-in has a test case', () => {
    expect(Object.keys(CASES).toSorted()).toEqual(withFreshness('sometimes').toSorted());
  });

  it.each(Object.entries(CASES))(
    '%s requires a recent sign-in only for sensitive changes',
    async (_, { asks, lets }) => {
      expect(await stale(asks())).toBe('reauthenticate');
      await givenEmptyRegistry();
      expect(await stale(lets())).toBe('done');
    },
  );

  it('changing owner or kind of a trusted client requires a recent sign-in', async () => {
    const { dev } = await givenTrusted();
    const chief = await givenPerson('chief', 'administrator');
    expect(await stale(edit(old(dev), { kind: 'native' }))).toBe('reauthenticate');
    expect(await stale(edit(old(chief), { ownerEmail: 'chief@example.com' }))).toBe('reauthenticate');
    expect(await stale(edit(old(dev), { redirectUris: [] }))).toBe('reauthenticate');
    const keys = {
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwksUri: 'https://shop.example/keys',
    } as const;
    expect(await stale(edit(old(dev), keys))).toBe('reauthenticate');
  });

  it('a recent sign-in is required to add an identity assertion audience, or to change secret or address of a client with one', async () => {
    const dev = await givenOwner();
    const chief = await givenPerson('chief', 'administrator');
    expect(await stale(edit(old(chief), VOUCHED))).toBe('reauthenticate');
    expect(await stale(edit(chief, VOUCHED))).toBe('done');
    expect(await stale(rotateClientSecret(old(dev), SHOP))).toBe('reauthenticate');
    expect(await stale(edit(old(dev), { redirectUris: ['https://evil.example/cb'] }))).toBe('reauthenticate');
    expect(await stale(edit(old(chief), { idJagAudiences: [] }))).toBe('done');
    expect(await stale(rotateClientSecret(old(dev), SHOP))).toBe('done');
  });

  it('a new secret of a client with access to the management API requires a recent sign-in', async () => {
    await ensureManagementApi();
    const dev = await givenOwner();
    expect(await stale(rotateClientSecret(old(dev), SHOP))).toBe('done');
    await requestSubscription(dev, { clientId: SHOP.clientId, api: MANAGEMENT_API });
    expect(await stale(rotateClientSecret(old(dev), SHOP))).toBe('reauthenticate');
    await sql(`update subscriptions set state = 'revoked'`);
    expect(await stale(rotateClientSecret(old(dev), SHOP))).toBe('done');
  });

  it('the operator on the host needs no recent sign-in', async () => {
    const { id } = await givenPerson('victim');
    const { version } = await readPerson(OPERATOR, { id });
    expect(await stale(changePerson(OPERATOR, { id, version, email: 'new@example.com' }))).toBe('done');
  });
});

const WIKI = { clientId: 'wiki', name: 'Wiki', kind: 'confidential' as const, redirectUris: [] };
const VOUCHED = { idJagAudiences: ['https://login.chat.example'] };

async function givenOwner() {
  const dev = await givenPerson('dev', 'developer');
  await givenClient(dev);
  return dev;
}

async function givenTrusted() {
  const dev = await givenOwner();
  await requestSubscription(dev, { ...SHOP, trusted: true });
  return { dev, judge: await givenPerson('judge', 'approver') };
}

async function edit(actor: Person, change: Partial<Parameters<typeof changeClient>[1]>) {
  const { version } = await readClient(OPERATOR, SHOP);
  return changeClient(actor, { clientId: SHOP.clientId, version, ...change });
}
