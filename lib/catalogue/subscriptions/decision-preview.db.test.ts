// Preview of a suspension or revocation: the numbers of sign-ins, tokens and users that the decision affects.
import { beforeEach, expect, it } from 'vitest';
import { OPERATOR } from '#lib/management/policy.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { decideSubscription, previewDecision, requestSubscription } from './operations.ts';

beforeEach(() => givenEmptyRegistry());

it('approvers see how many valid tokens and users a decision affects, and the decision revokes those tokens', async () => {
  const [alice, bob] = [await givenPerson('alice', 'developer'), await givenPerson('bob')];
  const judge = await givenPerson('judge', 'approver');
  await givenClient(alice);
  const pair = { clientId: 'shop', api: 'orders' };
  await requestSubscription(alice, pair);
  expect(await previewDecision(judge, pair)).toEqual({ endsTokens: 0, people: 0 });
  for (const person of [alice, alice, bob]) await givenFamily(person);
  expect(await previewDecision(judge, pair)).toEqual({ endsTokens: 3, people: 2 });
  expect(await previewDecision(OPERATOR, pair)).toEqual({ endsTokens: 3, people: 2 });
  expect((await refusal(previewDecision(alice, pair)))?.kind).toBe('forbidden');
  expect((await refusal(previewDecision(judge, { ...pair, clientId: 'none' })))?.kind).toBe('not-found');
  await decideSubscription(judge, { ...pair, action: 'revoke' });
  expect(await previewDecision(judge, pair)).toMatchObject({ endsTokens: 0 });
  expect(await sql('select state from subscriptions')).toEqual([{ state: 'revoked' }]);
});
