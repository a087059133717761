// Implements each operation of testing/allowed/allowed.ts that ends permissions, with an undo function if possible.

import { changeApi, deleteApi, readApi } from '#lib/catalogue/apis/operations.ts';
import {
  addSecret,
  changeClient,
  deleteClient,
  disableClient,
  dropSecret,
  enableClient,
  readClient,
  revokeClient,
} from '#lib/catalogue/clients/operations.ts';
import { deleteAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { pageInvitations, withdrawInvitation } from '#lib/catalogue/people/invitations.ts';
import {
  changePerson,
  deletePerson,
  disablePerson,
  enablePerson,
  endSessionsOf,
  readPerson,
  resetFactors,
  setPassword,
} from '#lib/catalogue/people/operations.ts';
import {
  changeSubscription,
  changeTerms,
  decideSubscription,
} from '#lib/catalogue/subscriptions/operations.ts';
import { endMyDelegation, listMyDelegations } from '#lib/management/delegations.ts';
import { forgetMyBrowsers, listMyConsents, withdrawConsent } from '#lib/management/my-account.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { PASSWORD } from '../data/registry.ts';
import type { EndingName } from './allowed.ts';
import { approve, callback, type World } from './allowed-world.ts';

type Act = { end: (world: World) => Promise<unknown>; undo?: (world: World) => Promise<unknown> };
const ref = ({ me }: World) => ({ id: me.id });
const client = ({ clientId }: World) => ({ clientId });
const OURS = ['plain', 'trust', 'acts'] as const;
const each = async (world: World, work: (pair: { clientId: string; api: string }) => Promise<unknown>) => {
  for (const name of OURS) await work({ clientId: world.clientId, api: world.apis[name] });
};
const decideAll = (action: 'suspend' | 'resume' | 'revoke') => (world: World) =>
  each(world, (pair) => decideSubscription(OPERATOR, { ...pair, action }));
const termOf = (maxDays: number | null) => (world: World) =>
  each(world, (pair) => changeTerms(OPERATOR, { ...pair, maxDays }));
const methodsOf = (authMethods: (world: World) => string[]) => (world: World) =>
  each(world, async ({ api: id }) => {
    const { version } = await readApi(OPERATOR, { id });
    await changeApi(OPERATOR, { id, version, authMethods: authMethods(world) });
  });
const changed = (change: (world: World) => object): Act => ({
  end: (world) => changeClient(OPERATOR, { ...client(world), ...change(world) }),
});
const unpowered = (api: string, { clientId }: World) =>
  changeSubscription(OPERATOR, { clientId, api, trusted: false, machine: false });

export const ACTS: Record<EndingName, Act> = {
  'person disabled': {
    end: (world) => disablePerson(OPERATOR, ref(world)),
    undo: (world) => enablePerson(OPERATOR, ref(world)),
  },
  'person deleted': { end: (world) => deletePerson(OPERATOR, ref(world)) },
  'password set': {
    end: (world) => setPassword(OPERATOR, { ...ref(world), password: `${PASSWORD}-new` }),
  },
  'address changed': {
    end: async (world) => {
      const { version } = await readPerson(OPERATOR, ref(world));
      await changePerson(OPERATOR, { ...ref(world), version, email: `other-${world.tag}@example.com` });
    },
  },
  'factors reset': { end: (world) => resetFactors(OPERATOR, ref(world)) },
  'signed out everywhere': { end: (world) => endSessionsOf(OPERATOR, { personId: world.me.id }) },
  'browsers forgotten': { end: ({ me }) => forgetMyBrowsers(me, { id: 'all' }) },
  'consent withdrawn': {
    end: async ({ me }) => {
      for (const { id } of await listMyConsents(me)) await withdrawConsent(me, { id });
    },
  },
  'delegation ended': {
    end: async ({ me }) => {
      for (const { id } of await listMyDelegations(me)) await endMyDelegation(me, { id });
    },
  },
  'invitation withdrawn': {
    end: async ({ tag }) => {
      const { rows } = await pageInvitations(OPERATOR, { search: tag });
      for (const { id } of rows) await withdrawInvitation(OPERATOR, { id });
    },
  },
  'client disabled': {
    end: (world) => disableClient(OPERATOR, client(world)),
    undo: (world) => enableClient(OPERATOR, client(world)),
  },
  'client revoked': { end: (world) => revokeClient(OPERATOR, client(world)) },
  'client deleted': { end: (world) => deleteClient(OPERATOR, client(world)) },
  'subscriptions suspended': { end: decideAll('suspend'), undo: decideAll('resume') },
  'subscriptions revoked': { end: decideAll('revoke'), undo: approve },
  'max_days over': { end: termOf(1), undo: termOf(null) },
  'trust and machine taken away': {
    end: async (world) => {
      await unpowered(world.apis.plain, world);
      await unpowered(world.apis.trust, world);
    },
  },
  'method taken off the APIs': {
    end: methodsOf(() => ['pw']),
    undo: methodsOf(({ method }) => [method, 'pw']),
  },
  'APIs deleted': { end: (world) => each(world, ({ api: id }) => deleteApi(OPERATOR, { id })) },
  'method deleted': { end: ({ method: id }) => deleteAuthMethod(OPERATOR, { id }) },
  'another name': changed(() => ({ name: 'Your bank' })),
  'another name in one language': changed(({ clientId }) => ({ name: { en: clientId, de: 'Ihre Bank' } })),
  'a new redirect address': {
    ...changed(({ tag }) => ({ redirectUris: [callback(tag), `https://app-${tag}.example/other`] })),
    undo: async ({ clientId, apis }) => {
      for (const api of [apis.plain, apis.trust, apis.beside])
        await decideSubscription(OPERATOR, { clientId, api, action: 'approve' });
    },
  },
  'other keys': changed(() => ({ tokenEndpointAuthMethod: 'client_secret_post' })),
  'a second secret, and the first dropped': {
    end: async (world) => {
      const [first] = (await readClient(OPERATOR, client(world))).secrets;
      world.next = (await addSecret(OPERATOR, client(world))).secret;
      await dropSecret(OPERATOR, { ...client(world), secretId: first?.id ?? '' });
    },
  },
  'another owner': changed(() => ({ ownerEmail: 'admin@example.com' })),
};
