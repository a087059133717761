// docs/concepts/sessions-and-levels.md lists every operation that requires a fresh sign-in.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RECENT_SECONDS } from '#lib/sessions/page-state.ts';
import { OPERATION_NAMES, OPERATIONS } from './operations.ts';

const text = readFileSync('docs/concepts/sessions-and-levels.md', 'utf8');
const section = text.split('## What needs a fresh sign-in')[1]?.split('\n## ')[0] ?? '';
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .join('\n');

/** Words with which the table names each operation. */
const WORDS: Readonly<Record<string, RegExp>> = {
  startAddressChange: /every user .*change the address/,
  finishAddressChange: /every user .*change the address/,
  readMyData: /every user .*download the data/,
  deleteMyAccount: /every user .*delete the account/,
  giveDelegation: /every user .*start a delegation/,
  addMyTotp: /every user .*add.* authenticator app/,
  addMyPasskey: /every user .*add.* passkey/,
  renameMyPasskey: /every user .*rename.* passkey/,
  renameMyTotp: /every user .*rename.* authenticator app/,
  replaceMyTotp: /every user .*replace.* authenticator app/,
  removeMyPasskey: /every user .*remove a passkey/,
  removeMyTotp: /every user .*remove .* authenticator app/,
  renewMyRecoveryCodes: /every user .*create recovery codes/,
  startLink: /every user .*link or unlink/,
  proveLink: /every user .*link or unlink/,
  linkIdentity: /every user .*link or unlink/,
  unlinkIdentity: /every user .*link or unlink/,
  createPerson: /administrators .*create, .*users/,
  invitePeople: /administrators .*invite, .*users/,
  approvePerson: /approvers .*approve an account that waits/,
  readPersonData: /administrators .*download their data/,
  changePerson: /administrators .*change their address/,
  enablePerson: /administrators .*enable .*users/,
  deletePerson: /administrators .*delete users/,
  setPassword: /administrators .*change their .*password/,
  grantRole: /administrators .*change their .*roles/,
  revokeRole: /administrators .*change their .*roles/,
  createGroup: /create or change groups/,
  changeGroup: /create or change groups/,
  addGroupMember: /administrators .*change their .*groups/,
  setPersonGroups: /administrators .*change their .*groups/,
  resetFactors: /administrators .*reset their factors/,
  createClient: /add an audience to a client's `id_jag_audiences`/,
  changeClient: /developers .*change the name, redirect addresses, keys or kind/,
  enableClient: /enable a client/,
  addSecret: /developers .*add a secret/,
  rotateClientSecret: /developers .*add a secret/,
  decideSubscription: /approvers .*approve or resume a subscription/,
  decideSubscriptions: /approvers .*one or many/,
  changeTerms: /approvers .*change its terms/,
  setApiLogo: /create or change groups, APIs/,
  createApi: /create or change groups, APIs/,
  changeApi: /create or change groups, APIs/,
  renewIntrospectionSecret: /renew an introspection secret/,
  createAuthMethod: /create or change .*sign-in methods/,
  changeAuthMethod: /create or change .*sign-in methods/,
  rotateSigningKeys: /rotate or retire signing keys/,
  retireSigningKey: /rotate or retire signing keys/,
};

/** Operations that need no fresh sign-in, because only the command line on the host has them. */
const HOST_ONLY: readonly string[] = ['importPeople', 'importTokens', 'undoImport'];

const fresh = OPERATION_NAMES.filter(
  (name) => OPERATIONS[name]?.fresh !== 'never' && !HOST_ONLY.includes(name),
);

test('docs/concepts/sessions-and-levels.md lists every operation that requires a recent sign-in, and no other operation', () => {
  expect(Object.keys(WORDS).toSorted()).toEqual(fresh.toSorted());
});

test.each(fresh)('the table of recent sign-ins describes %s', (name) => {
  expect(rows).toMatch(WORDS[name] ?? /^$/);
});

test('docs/concepts/sessions-and-levels.md states the same time limit for a recent sign-in as the code', () => {
  expect(section).toContain(`at most ${RECENT_SECONDS / 60} minutes old`);
});
