// The built-in API grants no more than the role of the user. Also tests which users decide on its subscriptions, and
// that its tokens are based on consent.
import { beforeEach, expect, it } from 'vitest';
import { changeApi, readApi } from '#lib/catalogue/apis/operations.ts';
import {
  changeSubscription,
  decideSubscription,
  pageInbox,
  readSubscription,
  requestSubscription,
} from '#lib/catalogue/subscriptions/operations.ts';
import { listDevelopmentMail, settleNotices } from '#lib/mail/send.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  givenToken,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { bearer } from '#testing/in-process/management.ts';
import { ensureManagementApi, MANAGEMENT_API, readTokenActor } from './built-in.ts';
import { OPERATOR } from './policy.ts';
import { readOverview } from './service.ts';

const FROM = { id: 'test', ip: null };
const OPS = { clientId: 'ops', api: MANAGEMENT_API };

beforeEach(async () => {
  await givenEmptyRegistry();
  await ensureManagementApi();
});

it('only administrators decide requests for subscriptions to the management API, and approvers get no mail about them', async () => {
  const developer = await givenPerson('dev', 'developer');
  const approver = await givenPerson('judge', 'approver');
  const admin = await givenPerson('chief', 'administrator');
  await givenClient(developer, 'ops');
  expect(await requestSubscription(developer, OPS)).toBe('pending');
  for (const action of ['approve', 'reject', 'revoke'] as const) {
    const refused = await refusal(decideSubscription(approver, { ...OPS, action }));
    expect(refused).toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('only administrators'),
    });
  }
  expect((await pageInbox(approver)).rows).toEqual([]);
  expect((await readOverview(approver)).pending).toBe(0);
  expect(await refusal(readSubscription(approver, OPS))).toMatchObject({ kind: 'not-found' });
  await settleNotices();
  const asked = ((await listDevelopmentMail({ fromThisMachine: true })) ?? []).filter((mail) =>
    mail.subject.includes('asks for Gatehouse'),
  );
  expect(asked.map((mail) => mail.to)).toContain('chief@example.com');
  expect(asked.map((mail) => mail.to)).not.toContain('judge@example.com');
  expect((await pageInbox(admin)).rows).toHaveLength(1);
  expect(await decideSubscription(admin, { ...OPS, action: 'approve' })).toBe('approved');
  expect((await refusal(decideSubscription(approver, { ...OPS, action: 'suspend' })))?.kind).toBe(
    'forbidden',
  );
});

it('the API and a database constraint reject a trusted subscription to the management API', async () => {
  const admin = await givenPerson('admin', 'administrator');
  await givenClient(admin, 'ops');
  for (const actor of [admin, OPERATOR]) {
    const refused = await refusal(requestSubscription(actor, { ...OPS, trusted: true }));
    expect(refused).toMatchObject({ kind: 'invalid', faults: [{ field: 'trusted' }] });
  }
  await requestSubscription(admin, OPS);
  expect((await refusal(changeSubscription(admin, { ...OPS, trusted: true })))?.kind).toBe('invalid');
  await decideSubscription(OPERATOR, { ...OPS, action: 'approve' });
  expect((await refusal(changeSubscription(admin, { ...OPS, trusted: true })))?.kind).toBe('invalid');
  await expect(sql(`update subscriptions set trusted = true where api_id = 'management'`)).rejects.toThrow();
  const { version } = await readApi(OPERATOR, { id: MANAGEMENT_API });
  const loosened = { id: MANAGEMENT_API, version, requireApproval: false, approvers: ['dev@example.com'] };
  expect((await refusal(changeApi(OPERATOR, loosened)))?.kind).toBe('conflict');
  await expect(sql(`update apis set require_approval = false where id = 'management'`)).rejects.toThrow();
});

it.each(['trust', 'password', 'exchange'])('the management API rejects tokens based on %s', async (basis) => {
  const admin = await givenPerson('admin', 'administrator');
  await givenClient(OPERATOR, 'ops');
  await requestSubscription(OPERATOR, OPS);
  await decideSubscription(OPERATOR, { ...OPS, action: 'approve' });
  const token = await givenToken(admin);
  expect(await readTokenActor(bearer(token), FROM)).toMatchObject({
    id: admin.id,
    roles: ['administrator'],
  });
  // the schema now rejects such rows: the test simulates an older row and a trusted subscription
  await expect(sql('update token_families set basis = $1', [basis])).rejects.toThrow('management_consent');
  await sql('alter table token_families drop constraint token_families_management_consent');
  await sql('alter table subscriptions drop constraint subscriptions_management_untrusted');
  try {
    await sql('update token_families set basis = $1', [basis]);
    await sql('update subscriptions set trusted = true');
    expect(await readTokenActor(bearer(token), FROM)).toBeNull();
  } finally {
    await sql('truncate token_families, subscriptions cascade');
    await sql(`alter table token_families add constraint token_families_management_consent
        check (api_id <> 'management' or basis = 'consent' or revoked_at is not null) not valid`);
    await sql(`alter table subscriptions add constraint subscriptions_management_untrusted
        check (api_id <> 'management' or not trusted) not valid`);
  }
});
