// Requests for page URLs, rendered by Next: the Node server never waits for their body.
import net from 'node:net';
import { expect, test } from '@playwright/test';
import { send } from '#testing/net/http.ts';
import { nodeDoor } from '../../support/service/doors.ts';

/** Sends a request whose body is incomplete, and returns the response. */
function half(path: string): Promise<string> {
  const { hostname, port, host } = new URL(nodeDoor.url);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () =>
      socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\na=b`),
    );
    socket.on('error', reject).on('data', (answer) => {
      resolve(answer.toString());
      socket.destroy();
    });
  });
}

test('RFC 9110 §15.5.6: a page accepts GET and HEAD only, and rejects other methods before the body arrives', async () => {
  for (const path of ['/account', '/account/security', '/admin/people', '/nothing-here']) {
    const answer = await half(path);
    expect(answer, path).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer, path).toMatch(/^allow: GET, HEAD\r$/im);
  }
  expect((await send(`${nodeDoor.url}/account`, { method: 'HEAD' })).status).toBe(200);
  // a page accepts no form; forms are sent to separate URLs
  expect((await send(`${nodeDoor.url}/account/submit/sign-in`, { method: 'POST' })).status).toBe(403);
});
