// Each operation that destroys something or grants privileges has a confirmation in the console, or a documented
// exception.

import { expect, it, test } from 'vitest';
import { ROLES } from '#lib/catalogue/people/definition.ts';
import { inEnglish } from '#lib/language/words.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { OPERATION_NAMES } from '#testing/code/operations.ts';
import { pageWordsOf } from '../_texts/page-words.ts';
import { forms as admin } from '../admin/submit/forms.ts';
import { forms as developer } from '../developer/submit/forms.ts';
import { clientQuestion, personQuestion } from './access.ts';
import { QUESTIONS } from './questions.ts';

const DANGEROUS =
  /^(delete|disable|retire|revoke|reset|end|grant|remove|drop|withdraw|invalidate|reject|cancel|forget|unlink|renew|decide|give|set|rotate|reseal|settle)[A-Z]/;

/** Operations that have no form in the console, or another kind of confirmation. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['deleteMyAccount', 'endMySession', 'endMySessions', 'withdrawConsent', 'giveDelegation'],
      ...['endMyDelegation', 'removeMyPasskey', 'removeMyTotp', 'renewMyRecoveryCodes', 'forgetMyBrowsers'],
      ...['unlinkIdentity'],
    ].map((name) => [name, 'one’s own account, whose page tells what it ends']),
  ),
  endSession: 'one sign-in, and the person may sign in again',
  withdrawInvitation: 'the person may be invited again',
  decideSubscription: 'asks for the reason, or is taken in the inbox',
  decideSubscriptions: 'shows in the inbox which and how many',
  rejectPerson: 'asks for the reason in the inbox',
  rotateSigningKeys: 'ends nothing: the older key goes on verifying',
  removeGroupMember: 'one person, who may be put in again',
  setPersonGroups: 'no form of the console',
  setApiLogo: 'a picture',
  setClientLogo: 'a picture',
  ...Object.fromEntries(
    ['invalidateIssued', 'resealSecrets', 'rotateClientSecret', 'setPassword', 'settleSubscription'].map(
      (name) => [name, 'no form of the console'],
    ),
  ),
};

const asked = new Set(Object.values(QUESTIONS).map(({ operation }) => operation));

test.each(OPERATION_NAMES.filter((name) => DANGEROUS.test(name)))(
  '%s asks for a confirmation first',
  (name) => {
    expect(asked.has(name) !== Object.hasOwn(ELSEWHERE, name), `${name}: one question, or one reason`).toBe(
      true,
    );
  },
);

it('every confirmation precedes an operation and belongs to a console form', () => {
  for (const [name, { operation, form }] of Object.entries(QUESTIONS)) {
    expect(operation, name).not.toBeNull();
    expect([admin[name], developer[name]], name).toContain(form);
  }
});

test.each(Object.entries(QUESTIONS))(
  '%s asks a question that names its object, and has two different buttons',
  (_, { words }) => {
    expect(inEnglish(words.heading('Shop', 'approver'))).toMatch(/Shop.*\?$/);
    expect(words.lead.length).toBeGreaterThan(20);
    expect(words.submit).not.toBe(words.leave);
  },
);

test.each(LANGUAGES)('%s: role confirmations name user and role', (language) => {
  for (const name of ['person-grant', 'person-revoke'] as const) {
    const asked = ROLES.map((role) => {
      const { text, values } = QUESTIONS[name].words.heading('Eve Example', role);
      return pageWordsOf(language).say(text, values);
    });
    expect(new Set(asked).size).toBe(ROLES.length);
    for (const one of asked) expect(one).toContain('Eve Example');
  }
});

it('confirmations about roles are English sentences', () => {
  const { 'person-grant': grant, 'person-revoke': revoke } = QUESTIONS;
  expect(inEnglish(grant.words.heading('Eve Example', 'developer'))).toBe('Make Eve Example a developer?');
  expect(inEnglish(revoke.words.heading('Sam Second', 'approver'))).toBe(
    'Remove the approver role from Sam Second?',
  );
});

it('an unknown confirmation name throws an error', () => {
  expect(() => personQuestion('grant-everything')).toThrow('question does not exist');
  expect(() => personQuestion('constructor')).toThrow('question does not exist');
  expect(() => clientQuestion('__proto__')).toThrow('question does not exist');
  expect(personQuestion('grant-approver')).toEqual({ name: 'person-grant', role: 'approver' });
});
