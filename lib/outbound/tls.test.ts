// Calls to public names over TLS. Only in this test, 127.0.0.1 is treated as a public address.
import https from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { certificateFor } from '#testing/net/certificate.ts';
import { call } from './fetch.ts';

vi.mock('./addresses.ts', async (original) => ({
  ...(await original<typeof import('./addresses.ts')>()),
  isPublicAddress: (address: string) => address === '127.0.0.1',
}));

const names: string[] = [];
let server: https.Server;
let key: string;
let certificate: string;
let port: number;

beforeAll(async () => {
  ({ key, cert: certificate } = certificateFor('public.example'));
  server = https.createServer({ key, cert: certificate }, (request, response) => {
    names.push(
      `${(request.socket as tls.TLSSocket).servername} ${request.headers.host} ${request.httpVersion}`,
    );
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.close();
});

const lookup: LookupFunction = (_, options, done) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
const ask = (name: string) =>
  call(new Request(`https://${name}:${port}/verify`), { allowPrivateNetwork: false }, lookup);

test('a server certificate without a trusted issuer is rejected', async () => {
  await expect(ask('public.example')).rejects.toMatchObject({ reason: 'unreachable' });
  expect(names).toEqual([]);
});

test('TLS and HTTP use the public host name, and the certificate must match it', async () => {
  const trusted = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...trusted, certificate]);
  try {
    expect((await ask('public.example')).status).toBe(200);
    expect(names).toEqual([`public.example public.example:${port} 1.1`]);
    await expect(ask('other.example')).rejects.toMatchObject({ reason: 'unreachable' });
    expect(names).toHaveLength(1);
  } finally {
    tls.setDefaultCACertificates(trusted);
  }
});
