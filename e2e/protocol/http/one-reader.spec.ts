// Spellings that two parsers read differently, at both servers: each is rejected, or parsed in one way
// (testing/data/readers.ts).
import net from 'node:net';
import { expect, test } from '@playwright/test';
import type { READERS } from '#testing/data/readers.ts';
import { eachDoor, type NamedDoor } from '../../support/service/doors.ts';

type Seen = { status: number; head: string; body: string };

/** Sends raw bytes; returns everything until the connection closes. */
function exchange({ url }: NamedDoor, bytes: string): Promise<Seen> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    socket.setEncoding('utf8').setTimeout(15_000, () => socket.destroy(new Error(`no answer: ${bytes}`)));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => {
      const [head = '', ...body] = text.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body: body.join('\r\n\r\n') });
    });
    socket.on('error', reject);
  });
}

const TOKEN = '/auth/pw/api/orders/token';
const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';

type Request = { method?: string; path: string; fields?: string[]; body?: string };
const bytesOf = ({ url }: NamedDoor, { method = 'GET', path, fields = [], body }: Request): string => {
  const own = fields.some((field) => /^host:/i.test(field)) ? [] : [`Host: ${new URL(url).host}`];
  const length = body === undefined || fields.some((field) => /^(?:content-length|transfer)/i.test(field));
  const lines = [
    ...own,
    'Connection: close',
    ...fields,
    ...(length ? [] : [`Content-Length: ${body.length}`]),
  ];
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
};

type Case = Request & {
  /** status of both servers, or per server */
  status: number | Record<NamedDoor['name'], number>;
  shows?: RegExp;
  hides?: RegExp;
};
const language = (cookie: string[], shown: string): Case => ({
  path: '/logout',
  fields: cookie.map((one) => `Cookie: ${one}`),
  status: 200,
  shows: new RegExp(`<html lang="${shown}"`),
});
const posted = (body: string, fields: string[] = [`Content-Type: ${FORM}`]): Request => ({
  ...{ method: 'POST', path: TOKEN, fields, body },
});
const metadata = (fields: string[]): Case => ({
  path: '/auth/pw/api/orders/.well-known/openid-configuration',
  fields,
  status: 200,
  hides: /evil\.example/,
});
const upload = (type: string): Case => ({
  ...{ method: 'POST', path: '/developer/submit/change-client', body: '--b\r\n--b--\r\n', status: 403 },
  fields: [`Content-Type: ${type}`],
});

const CASES: Record<keyof typeof READERS, Case[]> = {
  cookies: [
    language(['gatehouse-language=de.1'], 'de'),
    language(['gatehouse-language=de.1; gatehouse-language=fr.1'], 'en'),
    language(['gatehouse-language=de.1', 'gatehouse-language=fr.1'], 'en'),
    language(['\xa0gatehouse-language=de.1; gatehouse-language=fr.1'], 'fr'),
    language(['"gatehouse-language=de.1"; a; =b; ;gatehouse-language\t= fr.1 '], 'fr'),
    language(['gatehouse-language="de.1"'], 'en'),
    language(['Gatehouse-Language=de.1'], 'en'),
    language(['gatehouse-language=de.1, gatehouse-language=fr.1'], 'de'),
  ],
  'the host that is called': [
    metadata(['Host: evil.example']),
    metadata(['X-Forwarded-Host: evil.example']),
    metadata(['Forwarded: host=evil.example']),
    { path: '/health', fields: ['Host: a', 'Host: b'], status: { node: 400, next: 200 } },
    { path: 'http://evil.example/health', status: { node: 404, next: 308 } },
  ],
  'the caller’s address': [metadata(['X-Forwarded-For: 127.0.0.1, evil.example'])],
  'the length of a body': [
    { ...posted(`0\r\n\r\n`, ['Content-Length: 4', 'Transfer-Encoding: chunked']), status: 400 },
    { ...posted(GRANT, ['Content-Length: 4', `Content-Length: ${GRANT.length}`]), status: 400 },
    { ...posted('0\r\n\r\n', ['Transfer-Encoding: chunked, identity']), status: 400 },
    { ...posted('0\r\n\r\n', ['Transfer-Encoding: xchunked']), status: 400 },
    { ...posted(GRANT, ['Content-Length: +4']), status: 400 },
    { ...posted('4\nabcd\n0\n\n', ['Transfer-Encoding: chunked']), status: 400 },
  ],
  'the media type': [
    {
      ...posted(GRANT, [`Content-Type: ${FORM}`, 'Content-Type: application/json']),
      status: 400,
    },
    { ...posted(GRANT, [`Content-Type: ${FORM}, application/json`]), status: 400 },
    { ...posted(GRANT, [`Content-Type: ${FORM}; charset=utf-7`]), status: 400 },
    { ...posted('{}', ['Content-Type: text/json']), status: 400 },
  ],
  credentials: [
    {
      ...posted(GRANT, [`Content-Type: ${FORM}`, 'Authorization: Basic YTpi', 'Authorization: Basic YTpj']),
      status: { node: 400, next: 401 },
    },
    { path: '/auth/pw/api/orders/userinfo', fields: ['Authorization: Bearer a b'], status: 400 },
  ],
  'a proof of a key': [
    {
      ...posted(`${GRANT}&client_id=conf`, [`Content-Type: ${FORM}`, 'DPoP: a.b.c', 'DPoP: a.b.c']),
      status: 400,
      shows: /invalid_dpop_proof/,
    },
    {
      ...posted(`${GRANT}&client_id=conf`, [`Content-Type: ${FORM}`, 'dpop: ']),
      status: 400,
      shows: /invalid_dpop_proof/,
    },
  ],
  'what a gateway says of the request': [
    {
      path: '/verify/orders',
      fields: ['Authorization: DPoP abc', 'X-Original-Method: GET', 'X-Original-Method: PUT'],
      status: 401,
    },
  ],
  'the origin of a form': [
    { ...upload(FORM), fields: [`Content-Type: ${FORM}`, 'Origin: null'], status: 403 },
    {
      ...upload(FORM),
      fields: [`Content-Type: ${FORM}`, 'Origin: null', 'Origin: null', 'Sec-Fetch-Site: same-origin'],
    },
    {
      ...upload(FORM),
      fields: [
        `Content-Type: ${FORM}`,
        'Origin: null',
        'Sec-Fetch-Site: same-origin',
        'Sec-Fetch-Site: cross-site',
      ],
    },
  ],
  'what a browser does with the answer': [
    {
      path: '/logout',
      fields: ['Sec-Fetch-Dest: IFRAME'],
      status: 403,
      shows: /This page cannot be shown in a frame/,
    },
  ],
  'a preflight': [
    {
      ...{ method: 'OPTIONS', path: TOKEN, status: 204 },
      fields: ['Origin: https://evil.example', 'Access-Control-Request-Headers: a\tb, ,c'],
    },
  ],
  'the kind of answer': [
    {
      path: '/auth/x/api/y',
      fields: ['Accept: application/json, text/html'],
      status: 404,
      shows: /"error":"not_found"/,
    },
    { path: '/auth/x/api/y', fields: ['Accept: text/html'], status: 404, shows: /<h1>/ },
  ],
  'the language': [
    { path: '/logout', fields: ['Accept-Language: de;q=0, fr'], status: 200, shows: /<html lang="fr"/ },
    {
      path: '/logout',
      fields: ['Accept-Language: xx', 'Accept-Language: it'],
      status: 200,
      shows: /<html lang="it"/,
    },
    {
      path: '/logout',
      fields: [`Accept-Language: ${'a-'.repeat(3_000)};q=x,,;;`],
      status: 200,
      shows: /<html lang="en"/,
    },
  ],
  versions: [{ path: '/api/v1/apis', fields: ['If-Match: "1", "2"'], status: 401 }],
  'what is noted as it came': [
    {
      path: '/health',
      fields: ['X-Request-Id: evil', 'traceparent: x', 'User-Agent: \xff'],
      status: 200,
      hides: /evil/,
    },
  ],
  'the path': [
    ...['orders%2Ftoken', 'orders/%74oken', 'orders/token/', 'orders;x/token'].map(
      (end): Case => ({ ...posted(GRANT), path: `/auth/pw/api/${end}`, status: 404 }),
    ),
    // Next rewrites these addresses before any code of Gatehouse sees them, and responds at the rewritten
    // address
    { ...posted(GRANT), path: '/auth/pw/api//orders/token', status: { node: 404, next: 308 } },
    { ...posted(GRANT), path: '/auth/pw/api/orders\\token', status: { node: 404, next: 308 } },
    { ...posted(GRANT), path: '/auth/pw/api/orders/./token', status: { node: 404, next: 400 } },
    { path: '/auth/x/../../health', status: { node: 404, next: 200 } },
    { path: '/%2e%2e/health', status: { node: 404, next: 200 } },
    { path: '/x/%2E./metrics', status: { node: 404, next: 401 } },
    { path: '/documentation/.', status: { node: 404, next: 200 } },
    // Next matches routes by decoded paths, but the matcher of proxy.ts compares raw paths
    ...['/%61ccount', '/%61ccount/refused', '/a%64min/keys', '/developer%2Ffind'].map(
      (path): Case => ({
        path,
        fields: ['X-Refused-Page: %7B%22path%22%3A%22%2Faccount%22%7D'],
        status: 404,
        hides: /href="\/account\/security"/,
      }),
    ),
    { path: '/health%00', status: 404 },
    { path: '/%ff', status: { node: 404, next: 400 } },
  ],
  'parameters of a query or a form': [
    { ...posted(`${GRANT}&client_id=a&client_id=b`), status: 400, shows: /invalid_request/ },
    { ...posted(`${GRANT}&grant%5Ftype=password`), status: 400, shows: /invalid_request/ },
    { ...posted('x=1'), path: `${TOKEN}?${GRANT}`, status: 400, shows: /invalid_request/ },
    { ...posted('a=%zz'), status: 400, shows: /invalid_request/ },
    {
      path: '/auth/pw/api/orders/authorize?client_id=shop&client_id=conf',
      status: 400,
      shows: /more than once/,
    },
    { path: '/auth/pw/api/orders/authorize?client_id=shop%26client_id=conf', status: 400 },
  ],
  'the parts of a file’s form': [
    upload('multipart/form-data; boundary=b; boundary=c'),
    upload('multipart/form-data; xboundary=c; boundary=b'),
    upload('multipart/form-data; boundary="b'),
  ],
};

eachDoor((door) => {
  for (const [input, cases] of Object.entries(CASES))
    test(`${input}: each hostile spelling is rejected, or parsed in one way`, async () => {
      for (const { status, shows, hides, ...request } of cases) {
        const bytes = bytesOf(door, request);
        const seen = await exchange(door, bytes);
        expect.soft(seen.status, bytes).toBe(typeof status === 'number' ? status : status[door.name]);
        if (shows) expect(seen.body, bytes).toMatch(shows);
        if (hides) expect(seen.head + seen.body, bytes).not.toMatch(hides);
      }
    });
});
