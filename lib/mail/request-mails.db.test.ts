// Mails about requests, to the users who decide: the mail about the first request is sent immediately, and one mail
// about later requests is sent after ten minutes.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { disablePerson, revokeRole } from '#lib/catalogue/people/operations.ts';
import {
  cancelSubscription,
  decideSubscription,
  decideSubscriptions,
  requestSubscription,
  undoDecision,
  undoDecisions,
} from '#lib/catalogue/subscriptions/operations.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import type { Mail } from '#lib/kit/mail.ts';
import { maintain } from '#lib/management/maintenance.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { claimDecisionMails, claimRequestMails } from '#lib/store/request-mails.ts';
import { givenClient, givenEmptyRegistry, givenPerson, type Person, sql } from '#testing/data/registry.ts';
import { startMailingInstance } from '#testing/in-process/mailing-instance.ts';
import { mailServer } from '#testing/net/mail-server.ts';
import { sendRequestMails, tellRequester } from './request-mails.ts';
import { settleNotices } from './send.ts';

const sent: Mail[] = [];
let refused: string[] = [];
vi.mock('#lib/kit/mail.ts', async (original) => ({
  ...(await original<object>()),
  sendMail: async () => {},
  deliverMail: async (mail: Mail) => {
    if (refused.includes(mail.to)) throw new Error('the mail server is away');
    sent.push(mail);
  },
}));

const ANN = 'ann@example.com';
const BEN = 'ben@example.com';
const CAS = 'cas@example.com';

let developer: Person;
let ann: Person;

beforeEach(async () => {
  loadSettings({ ...process.env, EDITS_PER_MINUTE: '1000', CLIENTS_PER_OWNER: '1000' });
  setLogLevel('silent');
  await givenEmptyRegistry([ANN, BEN]);
  await sql(
    `insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
    refresh_family_ttl, approvers) values ('parcels', 'Parcels', 'https://parcels.example', 60, 'jwt', 'ES256', 60, 60, $1)`,
    [[CAS]],
  );
  developer = await givenPerson('dev', 'developer');
  ann = await givenPerson('ann', 'approver');
  await givenPerson('ben', 'approver');
  await givenPerson('cas', 'approver');
  sent.length = 0;
  refused = [];
});
afterEach(() => void loadSettings());

type Wish = { api?: string; by?: Person; message?: string };

async function request(clientId: string, { api = 'orders', by = developer, message }: Wish = {}) {
  await givenClient(by, clientId);
  await requestSubscription(by, { clientId, api, trusted: true, message });
  await settleNotices(30_000);
}

/** Ends the pause of ten minutes. */
const endPause = () => sql(`update request_mail_turns set next_at = now() - interval '1 second'`);

async function sendLater() {
  await endPause();
  await sendRequestMails();
}

const mailsTo = (address: string) => sent.filter(({ to }) => to === address);
/** The ids of the clients that each mail to this address describes. */
const clientsTo = (address: string) =>
  mailsTo(address).map(({ text }) =>
    [...text.matchAll(/\/admin\?client=([\w-]+)&api=/g)].map(([, client]) => client).sort(),
  );

test('30 requests for subscriptions to two APIs with three approvers cause six mails, and each approver receives each request once', async () => {
  for (let n = 0; n < 20; n += 1) await request(`order-${n}`);
  for (let n = 0; n < 10; n += 1) await request(`parcel-${n}`, { api: 'parcels' });
  expect(sent).toHaveLength(3);
  await sendLater();
  await sendLater();
  expect(sent).toHaveLength(6);
  for (const [address, client, count] of [
    [ANN, 'order', 20],
    [BEN, 'order', 20],
    [CAS, 'parcel', 10],
  ] as const) {
    expect(clientsTo(address)[0]).toEqual([`${client}-0`]);
    const all = Array.from({ length: count }, (_, n) => `${client}-${n}`);
    expect(clientsTo(address).flat().sort()).toEqual(all.sort());
  }
});

test('concurrent subscription requests cause one or two mails per approver, which contain each request once', async () => {
  const clients = Array.from({ length: 12 }, (_, n) => `at-once-${n}`);
  for (const clientId of clients) await givenClient(developer, clientId);
  await Promise.all(
    clients.map((clientId) => requestSubscription(developer, { clientId, api: 'orders', trusted: true })),
  );
  await settleNotices(30_000);
  expect(sent).toHaveLength(2);
  await sendLater();
  expect(sent.length).toBeLessThanOrEqual(4);
  for (const address of [ANN, BEN]) expect(clientsTo(address).flat().sort()).toEqual(clients.sort());
});

test('a subscription request is mailed immediately if the last mail is ten minutes old', async () => {
  await request('first');
  expect(clientsTo(ANN)).toEqual([['first']]);
  const [turn] = await sql(`select extract(epoch from next_at - now())::int as wait from request_mail_turns`);
  expect(turn?.['wait']).toBeGreaterThan(590);
  expect(turn?.['wait']).toBeLessThanOrEqual(600);
  await endPause();
  await request('second');
  expect(clientsTo(ANN)).toEqual([['first'], ['second']]);
});

test('approver mails omit requests that were decided or cancelled before the mail is sent', async () => {
  for (const client of ['first', 'approved', 'cancelled', 'waits-1', 'waits-2']) await request(client);
  await decideSubscription(
    { ...ann, signedInAt: new Date() },
    { clientId: 'approved', api: 'orders', action: 'approve' },
  );
  await cancelSubscription(developer, { clientId: 'cancelled', api: 'orders' });
  await sendLater();
  expect(clientsTo(BEN)).toEqual([['first'], ['waits-1', 'waits-2']]);
});

test('if no subscription request is pending, no mail is sent, and the next request is mailed immediately', async () => {
  await request('first');
  await request('cancelled');
  await cancelSubscription(developer, { clientId: 'cancelled', api: 'orders' });
  await sendLater();
  expect(sent).toHaveLength(2);
  await request('third');
  expect(clientsTo(ANN)).toEqual([['first'], ['third']]);
});

test('an undone decision sends no second mail for a mailed request, and an unsent mail remains queued', async () => {
  await request('mailed');
  await request('not-yet');
  const judge = { ...ann, signedInAt: new Date() };
  for (const clientId of ['mailed', 'not-yet']) {
    await decideSubscription(judge, { clientId, api: 'orders', action: 'reject' });
    await sendLater();
    await sql('update subscription_events set at = clock_timestamp()');
    await undoDecision(judge, { clientId, api: 'orders' });
  }
  await sendLater();
  await sendLater();
  expect(clientsTo(BEN)).toEqual([['mailed'], ['not-yet']]);
});

test('a subscription request repeated after rejection counts as new', async () => {
  await request('shop');
  await decideSubscription(ann, { clientId: 'shop', api: 'orders', action: 'reject', reason: 'No.' });
  await requestSubscription(developer, { clientId: 'shop', api: 'orders', trusted: true, message: 'Again' });
  await settleNotices(30_000);
  await sendLater();
  expect(clientsTo(BEN)).toEqual([['shop'], ['shop']]);
  expect(mailsTo(BEN).map(({ text }) => text.includes('> Again'))).toEqual([false, true]);
});

test('an approver who lost the role gets no mail, and if nobody else can decide, administrators get it', async () => {
  await givenPerson('chief', 'administrator');
  await request('first', { api: 'parcels' });
  await request('second', { api: 'parcels' });
  const [row] = await sql<{ id: string }>('select id from people where email = $1', [CAS]);
  await revokeRole(OPERATOR, { id: row?.id ?? '', role: 'approver' });
  await sendLater();
  await sendLater();
  expect(clientsTo(CAS)).toEqual([['first']]);
  expect(clientsTo('chief@example.com')).toEqual([['second']]);
});

test('a disabled approver gets no mail', async () => {
  await request('first');
  await request('second');
  await disablePerson(OPERATOR, { id: ann.id });
  await sendLater();
  expect([clientsTo(ANN), clientsTo(BEN)]).toEqual([[['first']], [['first'], ['second']]]);
});

test('an approver of two APIs gets one mail, grouped by API, in the profile language', async () => {
  await sql(`update apis set approvers = '{}'`);
  await sql(`update people set locale = 'de' where email = $1`, [ANN]);
  await sql(`update api_scopes set description_texts = '{"en": "See", "de": "Ansehen"}' where name = 'read'`);
  await request('first');
  await request('order-1', { message: 'Für das Lager' });
  await request('parcel-1', { api: 'parcels' });
  await request('order-2');
  await sendLater();
  const [, mail] = mailsTo(ANN);
  expect(mail?.subject).toBe('Gatehouse: Anfragen, die auf Ihre Entscheidung warten: 3');
  const text = mail?.text ?? '';
  const places = ['orders\n---', 'order-1 (', 'order-2 (', 'Parcels\n---', 'parcel-1 ('].map((part) =>
    text.indexOf(part),
  );
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
  expect(text).toContain('dev@example.com beantragt ein Abonnement von order-1 (order-1) für orders.');
  expect(text).toContain('Vertrauenswürdig: ja.');
  expect(text).toContain('Client: läuft auf einem Server.');
  expect(text).toContain('Scopes, alle dieser API:\n- Ansehen (read)\n- Change (write)');
  expect(text).toContain('> Für das Lager');
  expect(text).toMatch(/\/admin\/approvals$/m);
  expect(mail?.html).toMatch(/<h2[^>]*><bdi>Parcels<\/bdi><\/h2>/);
});

test('an approver mail describes at most 20 requests and covers every requester', async () => {
  const other = await givenPerson('other', 'developer');
  await request('first');
  for (let n = 0; n < 24; n += 1) await request(`flood-${n}`);
  await request('quiet', { by: other });
  await sendLater();
  const [, mail] = mailsTo(ANN);
  expect(clientsTo(ANN)[1]).toHaveLength(20);
  expect(clientsTo(ANN)[1]).toContain('quiet');
  expect(mail?.subject).toContain('25');
  expect(mail?.text).toContain('Requests that only the inbox lists: 5.');
  await sendLater();
  expect(mailsTo(ANN)).toHaveLength(2);
});

test('third-party text cannot inflate or forge a mail to approvers', async () => {
  await request('first');
  for (const client of ['one', 'two']) await request(client);
  const name = `Bank\r\nBcc: all@example.com\u202e${'x'.repeat(500)}`;
  const message = `</blockquote><b>Approved</b>\u2028-- \nGatehouse\r${'line\n'.repeat(300)}${'y'.repeat(1000)}`;
  await sql('update clients set name = $1', [name]);
  await sql('update subscriptions set message = $1', [message]);
  await sql(`insert into api_scopes (api_id, name, description)
    select 'orders', 'scope-' || n, repeat('long ', 300) from generate_series(1, 40) n`);
  await sendLater();
  const [, mail] = mailsTo(ANN);
  expect(mail?.text.length).toBeLessThan(8_000);
  expect(mail?.subject).not.toMatch(/[\r\n]/);
  expect(mail?.text).not.toMatch(/[\r\u2028\u202e]/);
  expect(mail?.text.match(/^-- $/gm)).toHaveLength(1);
  expect(mail?.text.match(/^> line$/gm)?.length).toBeLessThan(20);
  expect(mail?.text).toContain('Further scopes: 32');
  expect(mail?.html).not.toContain('<b>');
});

test('the mail calls a requester without an address by the requester’s name, and an unknown requester "someone"', async () => {
  await request('first');
  await request('named');
  await sql(`update people set email = null, name = 'Nora Neu' where email = 'dev@example.com'`);
  await sendLater();
  expect(mailsTo(ANN)[1]?.text).toContain('Nora Neu asks for a subscription of named (named) to orders.');
  await endPause();
  await sql(`update subscriptions set requested_by = null`);
  await sql('update request_mails set mailed_at = null');
  await sendRequestMails();
  expect(mailsTo(ANN)[2]?.text).toContain('Someone asks for a subscription of first (first) to orders.');
});

describe('an unreachable mail server', () => {
  test('a failed mail is retried later, and the second approver still gets the mail immediately', async () => {
    refused = [ANN];
    await request('first');
    await request('second');
    expect([clientsTo(ANN), clientsTo(BEN)]).toEqual([[], [['first']]]);
    await sendLater();
    refused = [];
    expect([clientsTo(ANN), clientsTo(BEN)]).toEqual([[], [['first'], ['second']]]);
    const waits = await sql(
      `select round(extract(epoch from next_at - now()) / 60) as minutes, failures
        from request_mail_turns where person_id = $1`,
      [ann.id],
    );
    expect(waits.map(({ minutes, failures }) => [Number(minutes), failures])).toEqual([[2, 2]]);
    await sendLater();
    expect(clientsTo(ANN)).toEqual([['first', 'second']]);
  });

  test.each([
    [3, [['first']]],
    [4, []],
  ])(
    'a mail is abandoned after one day and five failures: %d earlier failures plus one',
    async (before, mails) => {
      refused = [ANN];
      await request('first');
      await sql(`update request_mails set created_at = now() - interval '25 hours'`);
      await sql('update request_mail_turns set failures = $1', [before]);
      await sendLater();
      refused = [];
      await sendLater();
      expect(clientsTo(ANN)).toEqual(mails);
    },
  );
});

test('after a killed process’s lease expires, a second process sends the mail', async () => {
  await request('first');
  await request('second');
  await endPause();
  expect(await claimRequestMails(10)).toHaveLength(2);
  await sendRequestMails();
  expect(clientsTo(ANN)).toEqual([['first']]);
  await sendLater();
  expect(clientsTo(ANN)).toEqual([['first'], ['second']]);
});

test('two concurrent processes send each mail once', async () => {
  const server = await mailServer({ delayMs: 20 });
  const env = { ...process.env, SMTP_URL: server.smtpUrl };
  const instances = await Promise.all([startMailingInstance(env), startMailingInstance(env)]);
  try {
    refused = [ANN, BEN];
    for (const client of ['first', 'second', 'third']) await request(client);
    await endPause();
    await Promise.all(instances.map((instance) => instance.sendDue()));
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()));
    server.close();
  }
  const recipients = server.received.flatMap((text) => text.match(/^RCPT TO:.*$/gm) ?? []).sort();
  expect(recipients).toEqual([`RCPT TO:<${ANN}>`, `RCPT TO:<${BEN}>`]);
  expect(server.taken).toBe(2);
  expect(await sql('select from request_mails where mailed_at is null')).toEqual([]);
});

describe('the requester', () => {
  const DEV = 'dev@example.com';
  const CLIENTS = Array.from({ length: 30 }, (_, n) => `many-${n}`);
  const requests = (clients: readonly string[]) => clients.map((clientId) => ({ clientId, api: 'orders' }));
  const judge = () => ({ ...ann, signedInAt: new Date() });
  const requestMany = async (clients = CLIENTS, by = developer) => {
    for (const clientId of clients) {
      await givenClient(by, clientId);
      await requestSubscription(by, { clientId, api: 'orders', trusted: true });
    }
    await settleNotices(30_000);
  };
  const queued = async () =>
    (await sql('select client_id from decision_mails order by id')).map((row) => row['client_id']);

  test('30 requests decided at once cause one mail, with client, API, scopes, outcome and reason', async () => {
    await requestMany();
    await decideSubscriptions(judge(), {
      action: 'reject',
      reason: 'Who uses it?',
      requests: requests(CLIENTS),
    });
    await settleNotices(30_000);
    const [mail, ...others] = mailsTo(DEV);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Gatehouse: decisions on your subscriptions: 30');
    expect(mail?.text).toContain('The subscription of many-0 (many-0) to orders was rejected.');
    expect(mail?.text.match(/^The subscription of many-\d+ .*rejected\.$/gm)).toHaveLength(20);
    expect(mail?.text).toContain('Scopes, all of this API:\n- See (read)\n- Change (write)');
    expect(mail?.text.match(/^> Who uses it\?$/gm)).toHaveLength(1);
    expect(mail?.text).toMatch(/\/developer\/clients\/many-0\/apis\/orders$/m);
    expect(mail?.text).toContain('which this mail does not list: 10.');
    expect(await queued()).toEqual([]);
  });

  test('a bulk undo causes one mail, and a single decision a separate mail', async () => {
    await requestMany(['one', 'two', 'three']);
    await decideSubscriptions(judge(), { action: 'approve', requests: requests(['one', 'two', 'three']) });
    await settleNotices(30_000);
    expect(await undoDecisions(judge(), { requests: requests(['one', 'two', 'none']) })).toEqual([
      null,
      null,
      expect.objectContaining({ code: 'subscription.unknown' }),
    ]);
    await settleNotices(30_000);
    await decideSubscription(judge(), { clientId: 'one', api: 'orders', action: 'reject', reason: 'No.' });
    await settleNotices(30_000);
    expect(mailsTo(DEV).map(({ subject }) => subject)).toEqual([
      'Gatehouse: decisions on your subscriptions: 3',
      'Gatehouse: decisions on your subscriptions: 2',
      'Gatehouse: one → orders: rejected',
    ]);
  });

  test('after a bulk decision, requesters receive only decisions on their requests', async () => {
    const other = await givenPerson('other', 'developer');
    await requestMany(['mine-1', 'mine-2']);
    await requestMany(['theirs-1', 'theirs-2'], other);
    const all = requests(['mine-1', 'theirs-1', 'mine-2', 'theirs-2']);
    await decideSubscriptions(judge(), { action: 'approve', requests: all });
    await settleNotices(30_000);
    expect([DEV, 'other@example.com'].map((to) => mailsTo(to).length)).toEqual([1, 1]);
    expect(mailsTo(DEV)[0]?.text).not.toContain('theirs');
  });

  test('no mail is sent about a rejected decision, or to a requester who is disabled or has no address', async () => {
    await requestMany(['one', 'two']);
    await decideSubscriptions(judge(), { action: 'reject', reason: 'No.', requests: requests(['none']) });
    await disablePerson(OPERATOR, { id: developer.id });
    await decideSubscription(judge(), { clientId: 'one', api: 'orders', action: 'reject', reason: 'No.' });
    await settleNotices(30_000);
    await sql(`update people set disabled_at = null, email = null, name = 'Nora' where id = $1`, [
      developer.id,
    ]);
    await decideSubscription(judge(), { clientId: 'two', api: 'orders', action: 'reject', reason: 'No.' });
    await settleNotices(30_000);
    expect(sent.filter(({ subject }) => /rejected|decisions/.test(subject))).toEqual([]);
    expect(await queued()).toEqual([]);
  });

  test('a rolled-back decision sends no mail', async () => {
    await requestMany(['one']);
    await sql(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create constraint trigger refuse after insert on decision_mails deferrable initially deferred
      for each row execute function refuse()`);
    await expect(
      decideSubscription(judge(), { clientId: 'one', api: 'orders', action: 'approve' }),
    ).rejects.toThrow();
    await sql('drop function refuse() cascade');
    await settleNotices(30_000);
    expect(mailsTo(DEV)).toEqual([]);
    expect(await sql("select from subscriptions where state = 'pending'")).toHaveLength(1);
  });

  test('while the mail server is unreachable, later decisions join the waiting mail, and retries end after a day', async () => {
    await requestMany(['one', 'two']);
    refused = [DEV];
    for (const clientId of ['one', 'two']) {
      await decideSubscription(judge(), { clientId, api: 'orders', action: 'reject', reason: 'No.' });
      await settleNotices(30_000);
    }
    expect(await queued()).toEqual(['one', 'two']);
    await sendRequestMails();
    refused = [];
    await sendRequestMails();
    expect(mailsTo(DEV)).toEqual([]);
    await sql('update decision_mails set next_at = now()');
    await sendRequestMails();
    expect(mailsTo(DEV).map(({ subject }) => subject)).toEqual([
      'Gatehouse: decisions on your subscriptions: 2',
    ]);
    await decideSubscription(judge(), { clientId: 'one', api: 'orders', action: 'approve' });
    await settleNotices(30_000);
    refused = [DEV];
    await decideSubscription(judge(), { clientId: 'two', api: 'orders', action: 'approve' });
    await settleNotices(30_000);
    await sql(
      `update decision_mails set created_at = now() - interval '25 hours', failures = 4, next_at = now()`,
    );
    await sendRequestMails();
    expect(await queued()).toEqual([]);
  });

  test('if a process is killed while it sends, another instance sends the mail after the lease expires', async () => {
    await requestMany(['one']);
    await inTransaction((db) =>
      tellRequester(db, { clientId: 'one', api: 'orders' }, { decision: 'approved', reason: null }, []),
    );
    await sql('update decision_mails set next_at = now()');
    expect(await claimDecisionMails(10)).toHaveLength(1);
    await sendRequestMails();
    expect(mailsTo(DEV)).toEqual([]);
    await sql('update decision_mails set next_at = now()');
    await sendRequestMails();
    expect(mailsTo(DEV)).toHaveLength(1);
  });
});

describe('a database error while requests are read', () => {
  test('after a database error while requests are read, the lease on mails is released, and the next call sends the mail', async () => {
    await request('first');
    await request('second');
    await endPause();
    await sql('alter table people rename column roles to roles_away');
    try {
      await expect(sendRequestMails()).rejects.toThrow();
    } finally {
      await sql('alter table people rename column roles_away to roles');
    }
    await sendRequestMails();
    expect(clientsTo(ANN)).toEqual([['first'], ['second']]);
    expect(clientsTo(BEN)).toEqual([['first'], ['second']]);
  });
});

test('maintenance sends due mails, for hosts without long-running processes', async () => {
  await request('first');
  await request('second');
  await endPause();
  await maintain();
  expect(clientsTo(ANN)).toEqual([['first'], ['second']]);
});

test('the cleanup deletes queued mails of decided requests after one hour, and keeps queued mails of pending requests', async () => {
  await request('decided');
  await request('pending');
  await decideSubscription(ann, { clientId: 'decided', api: 'orders', action: 'reject' });
  await sql(`alter table subscriptions disable trigger user`);
  await sql(`update subscriptions set updated_at = now() - interval '2 hours'`);
  await sql(`alter table subscriptions enable trigger user`);
  await deleteExpired();
  const left = await sql<{ client: string }>('select distinct client_id as client from request_mails');
  expect(left.map(({ client }) => client)).toEqual(['pending']);
});
