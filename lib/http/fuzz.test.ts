// Fuzzes the parsers in lib/http: results match their contract, and only documented types of exceptions occur.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { always, nasty, percentEncoded } from '../../scripts/fuzz/values.ts';
import { parseCookies } from './cookies.ts';
import { compileEndpoints, plainEndpoint } from './endpoint.ts';
import { addressBlock, callerAddress } from './forwarding.ts';
import type { HttpRequest } from './message.ts';
import { escapeHtml } from './page.ts';
import { parseForm, parseJson, readBodyParams, UnreadableParams } from './params.ts';

const RUNS = { numRuns: 5_000 };

function refusesOrReads<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableParams) return null;
    throw error;
  }
}

test('a form is parsed like URLSearchParams, or rejected', () => {
  const pair = fc
    .tuple(percentEncoded(nasty), percentEncoded(nasty))
    .map(([name, value]) => `${name}=${value}`);
  always(fc.array(pair, { maxLength: 8 }), (pairs) => {
    const text = pairs.join('&');
    const params = refusesOrReads(() => parseForm(text));
    if (!params) return;
    const oracle = new URLSearchParams(`&${text}`);
    for (const [name, value] of params.values) expect(oracle.getAll(name)).toContain(value);
    for (const name of params.repeated) expect(oracle.getAll(name).length).toBeGreaterThan(1);
    for (const [name, value] of oracle)
      if (value !== '' && oracle.getAll(name).length === 1) expect(params.values.get(name)).toBe(value);
  });
});

test('any text that is sent as a form is parsed or rejected', () => {
  always(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void refusesOrReads(() => parseForm(text)));
});

test('a JSON object of strings is returned unchanged, and other bodies are rejected', () => {
  always(fc.dictionary(nasty, nasty, { maxKeys: 6 }), (given) => {
    const own = Object.fromEntries(Object.entries(given).filter(([name]) => name !== '__proto__'));
    const params = parseJson(JSON.stringify(own));
    const expected = Object.entries(own).filter(([, value]) => value !== '');
    expect([...params.values]).toEqual(expected);
    expect(params.repeated.size).toBe(0);
  });
  always(fc.json(), (text) => {
    const params = refusesOrReads(() => parseJson(text));
    const value: unknown = JSON.parse(text);
    const flat =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((one) => typeof one === 'string');
    if (!flat) expect(params).toBeNull();
  });
});

test('a repeated member of a JSON body is rejected, however its name is written', () => {
  always(fc.string({ minLength: 1, maxLength: 10 }), fc.nat(), (name, at) => {
    const plain = JSON.stringify(name);
    const index = at % name.length;
    const written = `\\u${name.charCodeAt(index).toString(16).padStart(4, '0')}`;
    const [before, after] = [name.slice(0, index), name.slice(index + 1)].map((part) =>
      JSON.stringify(part).slice(1, -1),
    );
    const text = `{${plain}:"a","${before}${written}${after}":"b"}`;
    expect(refusesOrReads(() => parseJson(text))).toBeNull();
  });
});

test('any bytes with any content type are parsed or rejected', async () => {
  const types = fc.oneof(
    fc.constantFrom(
      'application/x-www-form-urlencoded',
      'application/json',
      'application/json;charset=utf-8',
    ),
    nasty,
  );
  await fc.assert(
    fc.asyncProperty(types, fc.uint8Array({ maxLength: 100 }), async (type, bytes) => {
      const request = {
        headers: { 'content-type': type },
        body: async () => bytes,
      } as unknown as HttpRequest;
      const outcome = await readBodyParams(request).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(UnreadableParams);
    }),
    RUNS,
  );
});

test('any Cookie header is parsed, and yields each name that it contains once', () => {
  always(fc.array(fc.tuple(nasty, nasty), { maxLength: 6 }), (pairs) => {
    const clean = pairs.map(
      ([name, value]) =>
        [
          name.replace(/[;=]/g, '').replace(/^[ \t]+|[ \t]+$/g, '') || 'n',
          value.replaceAll(';', '').replace(/^[ \t]+|[ \t]+$/g, ''),
        ] as const,
    );
    const cookies = parseCookies(clean.map(([name, value]) => `${name}=${value}`).join('; '));
    for (const [name] of clean) {
      const own = clean.filter(([other]) => other === name);
      expect(cookies.get(name)).toBe(own.length === 1 ? own[0]?.[1] : undefined);
    }
  });
  always(nasty, (header) => void parseCookies(header));
});

test('every IP address belongs to an address block, and one /64 network is one block', () => {
  always(nasty, (text) => void expect(addressBlock(text)).toBeTypeOf('string'));
  always(fc.ipV4(), (address) => {
    expect(addressBlock(address)).toBe(address);
    expect(addressBlock(`::ffff:${address}`)).toBe(address);
  });
  const group = fc.integer({ min: 1, max: 0xffff }).map((value) => value.toString(16));
  always(
    fc.tuple(group, group, group, group),
    fc.tuple(group, group, group, group),
    group,
    (net, host, other) => {
      const block = addressBlock([...net, ...host].join(':'));
      expect(addressBlock([...net, other, ...host.slice(1)].join(':').toUpperCase())).toBe(block);
      const elsewhere = `${(Number.parseInt(net[0], 16) ^ 1).toString(16)}:${net.slice(1).join(':')}::1`;
      expect(addressBlock(elsewhere)).not.toBe(block);
    },
  );
});

test('LG-05: the IP address that the proxy added is used, for any X-Forwarded-For of the caller', () => {
  always(fc.array(nasty, { maxLength: 5 }), fc.ipV4(), (forged, real) => {
    const header = [...forged, real].join(', ');
    const request = {
      peerAddress: '10.0.0.1',
      headers: { 'x-forwarded-for': header },
    } as unknown as HttpRequest;
    expect(callerAddress(request, 1)).toBe(real);
    expect(callerAddress(request, 0)).toBe('10.0.0.1');
  });
});

test('a path segment is decoded once, and no decoded value extends over a slash', () => {
  const onError = () => ({ status: 500, headers: {} });
  const match = compileEndpoints([plainEndpoint({ pattern: '/a/:one/b/:two', methods: {}, onError })]);
  always(nasty, nasty, (one, two) => {
    const [first, second] = [one.toWellFormed(), two.toWellFormed()];
    const found = match(`/a/${encodeURIComponent(first)}/b/${encodeURIComponent(second)}`);
    if (first === '' || second === '') expect(found).toBeNull();
    else expect(found?.params).toEqual({ one: first, two: second });
  });
  always(nasty, (path) => void match(path));
});

test('escaped HTML contains no markup and is displayed as the original text', () => {
  always(nasty, (text) => {
    const html = escapeHtml(text);
    expect(html).not.toMatch(/[<>"']/);
    const back = html
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
    expect(back).toBe(text);
  });
});
