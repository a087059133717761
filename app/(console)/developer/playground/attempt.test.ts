import { expect, it } from 'vitest';
import { type Attempt, clientOfState, randomText, readAnswer, stateFor } from './attempt.ts';

const attempt = {
  state: 's1',
  combination: { issuer: 'https://auth.example/auth/local/api/orders' },
} as Attempt;
const iss = encodeURIComponent(attempt.combination.issuer);

it('a playground attempt recognizes its response by state and iss', () => {
  const answer = readAnswer(`?code=c&state=s1&iss=${iss}`, attempt);
  expect(answer).toMatchObject({ code: 'c', error: null });
  expect(answer?.checks.map(({ ok }) => ok)).toEqual([true, true]);
});

it('a playground attempt rejects responses to other requests', () => {
  expect(readAnswer(`?code=c&state=s2&iss=${iss}`, attempt)?.checks.map(({ ok }) => ok)).toEqual([
    false,
    true,
  ]);
  expect(readAnswer('?code=c&state=s1', attempt)?.checks.map(({ ok }) => ok)).toEqual([true, false]);
});

it('a playground address without code and error is ignored', () => {
  expect(readAnswer('?state=s1', attempt)).toBeNull();
  expect(readAnswer('?error=access_denied&state=s1', attempt)).toMatchObject({ error: 'access_denied' });
});

it('the state of a request names its client, whatever characters the id has', () => {
  for (const clientId of ['shop', 'https://agent.example/client.json', 'a.b.c'])
    expect(clientOfState(stateFor(clientId, randomText(16)))).toBe(clientId);
  expect(clientOfState(undefined)).toBeUndefined();
  expect(clientOfState('state-of-another-program')).toBeUndefined();
});
