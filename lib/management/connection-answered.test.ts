// Responses in the result of a connection test: what is shown, and what is hidden.
import { expect, test } from 'vitest';
import type { ProbeAnswer } from '#lib/catalogue/methods/kind.ts';
import { answeredWords, oauthErrorOf, objectOf } from './connection-steps.ts';

const SECRET = 'a "secret" with signs: %+/';

function shown(body: string, kind: string, allowPrivateNetwork = false): string {
  const answer: ProbeAnswer = {
    status: 400,
    headers: new Headers({ 'content-type': `${kind}; charset=utf-8` }),
    location: null,
    body,
    members: objectOf(body),
    error: oauthErrorOf(body),
  };
  return answeredWords(answer, { allowPrivateNetwork }, [SECRET]);
}

test('the test result of a JSON response shows error members with their values, and only the names of other members', () => {
  const body = JSON.stringify({
    error: 'invalid_grant',
    access_token: 'at-1',
    keys: [{ d: 'private' }],
    n: 7,
  });
  expect(shown(body, 'application/json')).toBe(
    '400 application/json: {"error":"invalid_grant","access_token":…,"keys":…,"n":…}',
  );
});

test('the test result of an HTML response shows only the title', () => {
  expect(shown('<html><title> Not found </title><p>token at-1</p>', 'text/html')).toBe(
    '400 text/html: <title>Not found</title>',
  );
  expect(shown('<p>token at-1</p>', 'text/html')).toBe('400 text/html');
});

test('the test result of a text response shows its beginning, and for private networks nothing', () => {
  expect(shown('no\r\nway', 'text/plain')).toBe('400 text/plain: no way');
  expect(shown('aws_secret=x', 'text/plain', true)).toBe('400 text/plain');
});

test.each(Array.from({ length: 40 }, (_, n) => 170 + n))(
  'a secret that begins at character %d of a response is hidden completely, in each form',
  (at) => {
    const pad = 'x'.repeat(at);
    const forms = [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64')];
    for (const form of forms) {
      const text = shown(`${pad}${form} and more`, 'text/plain');
      expect(text).not.toContain(form.slice(0, 4));
      expect(shown(JSON.stringify({ error: pad + form }), 'application/json')).not.toContain(
        form.slice(0, 4),
      );
      expect(text.length).toBeLessThan(230);
    }
  },
);
