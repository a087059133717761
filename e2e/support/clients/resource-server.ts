// API protected by the code of docs/how-to/protect-an-api.md, and its tokens.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { expect } from '@playwright/test';
import { SignJWT } from 'jose';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import type { Answer } from '#testing/net/sent.ts';
import { claimsOf, passwordGrant, tokensOf } from '#testing/service/token.ts';
import { nodeDoor as door } from '../service/doors.ts';

type Authorize = (
  request: IncomingMessage,
  response: ServerResponse,
  scope: string,
) => Promise<Record<string, unknown> | null>;

/** Replacements of the example's methods by fixture methods. */
export const REPLACED = { "['local', 'campus']": "['pw', 'ext']" };
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Gets an access token by the password grant, at this method. */
export const tokenAt = async (
  method: string,
  who: { email: string; password: string },
  apiId = 'orders',
  client = fixtureClient('tru'),
) => tokensOf(await passwordGrant(door, client, who, {}, { at: { method, api: apiId } })).accessToken;

/** Starts an API that the code of this file protects. The API returns the claims of each valid token. */
export async function serve(file: string): Promise<Listening> {
  const { authorize } = (await import(file)) as { authorize: Authorize };
  return listen(
    http.createServer(async (request, response) => {
      const caller = await authorize(request, response, request.url === '/admin' ? 'admin' : 'read');
      if (caller) response.end(JSON.stringify(caller));
    }),
  );
}

export function expectInvalid(answer: Answer): void {
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toBe(
    'Bearer error="invalid_token", error_description="the token is not valid here"',
  );
}

/** Copies a token with a changed header, and signs the copy with another key or omits the signature. */
export async function forged(
  token: string,
  header: Record<string, unknown>,
  key?: CryptoKey | Uint8Array,
): Promise<string> {
  const claims = claimsOf(token);
  const real = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as object;
  const full = { ...real, ...header } as { alg: string };
  if (key) return new SignJWT(claims).setProtectedHeader(full).sign(key);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode(full)}.${encode(claims)}.`;
}
