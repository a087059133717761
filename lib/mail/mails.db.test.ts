// Sends every mail in every language: translated mails must contain no English, and every argument must appear.
import { afterAll, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { askToRegister } from '#lib/accounts/registration.ts';
import { invitePeople } from '#lib/catalogue/people/invitations.ts';
import { changePerson } from '#lib/catalogue/people/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import type { Mail } from '#lib/kit/mail.ts';
import { CATALOGUE } from '#lib/language/messages/catalogue.ts';
import { tellOfDelegation } from '#lib/management/delegations.ts';
import { linkIdentity, unlinkIdentity } from '#lib/management/links.ts';
import { requestEmailVerification, requestPasswordReset } from '#lib/management/mail-links.ts';
import { deleteMyAccount, startAddressChange } from '#lib/management/my-account.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { LANGUAGES, type Language } from '#lib/settings/languages.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { faultsOfHtml } from '#testing/code/html-tree.ts';
import { givenClient, givenPerson, SHOP, sql } from '#testing/data/registry.ts';
import { givenLocal, givenMethods, givenStranger, proofOf } from '#testing/in-process/links.ts';
import { type DecisionTold, type FactorNews, MAIL_NAMES, type MailedRequest, mailOf } from './messages.ts';
import { tellApprovers, tellRequester } from './request-mails.ts';
import {
  sendAddressChanged,
  sendAddressCode,
  sendAddressTaken,
  sendServiceMail,
  sendTestMail,
  settleNotices,
  tellAdmitted,
  tellDeciders,
  tellOfAdoption,
  tellOfFactor,
  tellRejected,
  tellWaitingEnded,
} from './send.ts';

const sent: Mail[] = [];
vi.mock('#lib/kit/mail.ts', async (original) => ({
  ...(await original<object>()),
  sendMail: async (mail: Mail) => void sent.push(mail),
  deliverMail: async (mail: Mail) => void sent.push(mail),
}));

const from = { ip: null, requestId: 'r1' };
const FACTORS = MAIL_NAMES.flatMap((name) =>
  name.startsWith('factor-') ? [name.slice(7) as FactorNews] : [],
);

beforeEach(async () => {
  await givenMethods();
  await sql(`update auth_methods set config = '{"registration": "open"}' where id = 'local'`);
  sent.length = 0;
});
afterAll(() => void loadSettings());

/** Simulates a new request after the ten-minute pause. */
async function notifyApprovers(): Promise<void> {
  await sql('delete from request_mail_turns');
  await inTransaction((db) => tellApprovers(db, SHOP));
  await settleNotices();
}

async function notifyRequester(decision: DecisionTold, reason: string | null): Promise<void> {
  await inTransaction((db) => tellRequester(db, SHOP, { decision, reason }));
  await settleNotices();
}

const DESK = { email: 'desk@example.com' };
const REQUEST = mailOf('subscription-asked').example();
const SCOPES = Array.from({ length: 12 }, (_, at) => ({ name: `orders:${at}`, description: '' }));
/** One request for each kind and each origin of clients. */
const REQUESTS: MailedRequest[] = [
  { ...REQUEST, clientKind: 'browser', scopes: ['orders:read'] },
  { ...REQUEST, clientKind: 'native', clientOrigin: 'document', clientId: 'https://agent.example/client' },
  { ...REQUEST, clientKind: 'confidential', clientOrigin: 'registration', apiScopes: SCOPES },
];

const speak = (locale: string | null) => sql('update people set locale = $1', [locale]);

/** Sends every mail to users with this language, and to unknown users on pages in this language. */
async function sendEveryMail(language: Language): Promise<void> {
  const dev = { ...(await givenPerson('dev', 'developer')), locale: language };
  await givenPerson('chief', 'administrator');
  await speak(language);
  tellDeciders();
  await settleNotices();
  await givenPerson('judge', 'approver');
  const alice = await givenLocal('alice');
  const mover = await givenPerson('mover');
  await givenClient(dev);
  await speak(language);
  await requestSubscription(dev, { ...SHOP, trusted: true, message: 'Ünser Grund' });
  await settleNotices();
  for (const powers of ['trusted', 'machine', 'device']) {
    await sql(
      `update subscriptions set (trusted, machine, device) = ($1 = 'trusted', $1 = 'machine', $1 = 'device')`,
      [powers],
    );
    await notifyApprovers();
  }
  await sql('update clients set name_texts = $1', [JSON.stringify({ en: 'Shop', de: 'Laden' })]);
  await notifyApprovers();
  await sql('update clients set name_texts = null');
  for (const request of REQUESTS)
    sendServiceMail({ ...DESK, locale: language }, 'subscription-asked', request);
  const several = { requests: REQUESTS, unlisted: 7 };
  sendServiceMail({ ...DESK, locale: language }, 'subscriptions-asked', several);
  tellOfDelegation(dev, { agent: 'Agent', api: 'Orders', until: new Date('2027-01-01T00:00:00Z') });
  await settleNotices();
  await sql(`update subscriptions set requested_by = null`);
  await notifyApprovers();
  for (const decision of ['approved', 'rejected', 'suspended', 'resumed', 'revoked', 'undone'] as const)
    await notifyRequester(decision, 'Ünser Grund');
  const decisions = ['approved', 'revoked', 'undone'].map((decision) => ({
    ...{ ...REQUEST, decision: decision as 'approved', reason: 'Ünser Grund', unregistered: false },
  }));
  sendServiceMail({ ...DESK, locale: language }, 'subscriptions-decided', { decisions, unlisted: 3 });
  await sql(`update clients set origin = 'dynamic'`);
  await notifyRequester('approved', null);

  const asked = { ...from, pageLanguage: language };
  await requestPasswordReset({ email: 'dev@example.com', ...from });
  await requestPasswordReset({ email: 'nobody@example.com', ...asked });
  const at = { authMethodId: 'local', apiId: 'orders', clientId: null };
  await askToRegister({ email: 'dev@example.com', ...at, ...from });
  await askToRegister({ email: 'new@example.com', ...at, ...asked });
  await requestEmailVerification(dev);
  await changePerson(OPERATOR, { id: mover.id, email: 'moved@example.com' });
  for (const news of FACTORS) tellOfFactor({ email: 'dev@example.com', locale: language }, news, 'Telefon 7');
  const decided = { to: { email: 'dev@example.com', locale: language }, brand: undefined };
  tellAdmitted(decided);
  tellRejected(decided, 'Ünser Grund');
  tellWaitingEnded([decided]);
  const moving = { email: 'dev@example.com', locale: language };
  for (const which of ['old', 'new'] as const) sendAddressCode(moving, '123456', which);
  sendAddressTaken(moving);
  sendAddressChanged(moving, 'newer@example.com');
  await sendTestMail(moving);
  tellOfAdoption(moving);
  const joined = { ...alice, actor: { ...alice.actor, locale: language } };
  await linkIdentity(joined.actor, { proof: await proofOf((await givenStranger('a-1')).personId, alice) });
  await unlinkIdentity(joined.actor, { authMethodId: 'brk' });
  await deleteMyAccount({ ...dev, signedInAt: new Date() }, { word: 'delete' });
  await settleNotices();
  loadSettings({ ...process.env, DEFAULT_LANGUAGE: language });
  await invitePeople(OPERATOR, { emails: ['guest@example.com'] });
  await settleNotices();
  loadSettings();
}

/** The text between the arguments of messages, in pieces of more than two words. */
const piecesOf = (language: Language): string[] =>
  Object.values(CATALOGUE[language].mail)
    .flatMap((text) => text.split(/\{\w+\}/))
    .map((piece) => piece.trim())
    .filter((piece) => piece.split(' ').length > 2);

const unescaped = (html = '') =>
  html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
const saidIn = ({ subject, text, html }: Mail) => [subject, text, unescaped(html)].join('\n');

describe.each(LANGUAGES)('mails in the language %s', (language) => {
  it('every mail uses the language of its reader and contains the reader’s names, links and codes, in text and HTML', async () => {
    await sendEveryMail(language);
    expect(sent).toHaveLength(54);
    const all = sent.map(saidIn).join('\n');
    // every message must be used by a mail
    for (const text of Object.values(CATALOGUE[language].mail))
      for (const piece of text.split(/\{\w+\}/)) expect(all).toContain(piece);
    const english = language === 'en' ? [] : piecesOf('en').filter((piece) => all.includes(piece));
    expect(english).toEqual([]);
    for (const mail of sent) {
      expect(mail.subject).toMatch(/^Gatehouse: \S/);
      expect(saidIn({ ...mail, html: '' })).not.toMatch(/[{}]|undefined|\bnull\b|\[object/);
      expect(faultsOfHtml(mail.html ?? '')).toEqual([]);
      expect(mail.html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
      for (const [href] of mail.text.matchAll(/^https?:\S+$/gm))
        expect(unescaped(mail.html).split(href).length, href).toBeGreaterThan(2);
    }
    const names = /[\u2068\u2069]/g;
    const of = (to: string) => sent.filter((mail) => mail.to === `${to}@example.com`);
    for (const { subject, text } of of('judge')) {
      expect(subject.replaceAll(names, '')).toMatch(/shop.*orders/);
      expect(text).toContain('\n> Ünser Grund\n');
      expect(text).toMatch(/\/admin\?client=shop&api=orders$/m);
    }
    expect(
      of('judge')
        .slice(0, 4)
        .every(({ text }) => text.includes('dev@example.com')),
    ).toBe(true);
    expect(of('new')[0]?.text).toMatch(/\b\d{3} \d{3}\b/);
    expect(of('dev').filter(({ text }) => text.includes('Telefon 7'))).toHaveLength(5);
    expect(of('alice').map(({ text }) => text.includes('Broker'))).toEqual([true, true]);
    expect(of('dev').filter(({ text }) => text.includes('123 456'))).toHaveLength(2);
    expect(of('dev').filter(({ text }) => text.includes('newer@example.com'))).toHaveLength(1);
    expect(of('chief')[0]?.text).toMatch(/\/admin\/approvals$/m);
    expect(of('guest')[0]?.text).toMatch(/register\?invitation=\S+$/m);
  });
});

test('the language of a mail is chosen in this order: user profile, page, DEFAULT_LANGUAGE', async () => {
  await givenPerson('greta');
  await speak('de-AT');
  // some brokers write a locale in this form (OpenID Connect Core §5.1)
  await givenPerson('gustl');
  await sql(`update people set locale = 'de_AT' where email = 'gustl@example.com'`);
  await givenPerson('plain');
  await givenPerson('odd');
  await sql(`update people set locale = 'fi' where email = 'odd@example.com'`);
  for (const name of ['greta', 'gustl', 'plain', 'odd', 'nobody'])
    await requestPasswordReset({ email: `${name}@example.com`, pageLanguage: 'fr', ...from });
  await requestPasswordReset({ email: 'plain@example.com', ...from });
  await settleNotices();
  const languages = sent.map(({ to, html }) => [to.split('@')[0], /lang="([^"]+)"/.exec(html ?? '')?.[1]]);
  expect(new Set(languages.map(String))).toEqual(
    new Set(['greta,de', 'gustl,de', 'plain,fr', 'odd,fr', 'nobody,fr', 'plain,en']),
  );
});

test('registration: existing accounts get mail in their profile language, unknown addresses in the page language', async () => {
  await givenPerson('greta');
  await speak('de');
  const at = { authMethodId: 'local', apiId: 'orders', clientId: null, pageLanguage: 'ja', ...from } as const;
  await askToRegister({ email: 'greta@example.com', ...at });
  await askToRegister({ email: 'new@example.com', ...at });
  await settleNotices();
  const [known, unknown] = ['greta', 'new'].map(
    (name) => sent.find(({ to }) => to.startsWith(name))?.subject,
  );
  expect(known).toBe('Gatehouse: Sie haben schon ein Konto');
  expect(unknown).toBe('Gatehouse: メールアドレスをご確認ください');
});

test('address change: mail to an existing account uses that user’s language', async () => {
  await givenPerson('greta');
  await speak('de');
  const ada = { ...(await givenPerson('ada')), locale: 'fr' };
  await startAddressChange(ada, { email: 'greta@example.com' });
  await settleNotices();
  expect(sent.map(({ to, subject }) => [to.split('@')[0], subject.split(': ')[1]])).toEqual([
    ['ada', 'un code pour changer votre adresse'],
    ['greta', 'Diese Adresse hat ein Konto'],
  ]);
});

test('third-party names are escaped in HTML mails and fit one subject line', async () => {
  const dev = await givenPerson('dev', 'developer');
  await givenPerson('judge', 'approver');
  await givenClient(dev);
  await requestSubscription(dev, { ...SHOP, trusted: true, message: '</p><img src=x onerror=alert(1)>' });
  await settleNotices();
  sent.length = 0;
  await sql(`update clients set name = $1`, ['<img src=x>\u202E\nBcc: all@example.com']);
  await notifyApprovers();
  const [mail] = sent;
  expect(mail?.subject).toBe('Gatehouse: <img src=x> Bcc: all@example.com asks for orders');
  expect(mail?.html).not.toContain('<img');
  expect(faultsOfHtml(mail?.html ?? '')).toEqual([]);
  expect(mail?.text).toContain('<img src=x>');
});

test('SERVICE_NAME starts mail subjects and appears in the HTML', async () => {
  await givenPerson('dev');
  loadSettings({ ...process.env, SERVICE_NAME: 'Blue & Harbour' });
  await requestPasswordReset({ email: 'dev@example.com', ...from });
  await settleNotices();
  loadSettings();
  expect(sent[0]?.subject).toBe('Blue & Harbour: choose a new password');
  expect(sent[0]?.html).toContain('<bdi>Blue &amp; Harbour</bdi>');
});
