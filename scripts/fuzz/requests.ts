// Generates complete requests to every address. Most have only a few faults, so that they pass the first checks.
import fc from 'fast-check';
import type { HttpRequest } from '#lib/http/message.ts';
import { CHALLENGE, templates, VERIFIER, type World } from './templates.ts';
import { headerText, like, nasty, percentEncoded } from './values.ts';

export type Invented = {
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
  body: Buffer;
};

const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'get', 'X'];

/** Generates requests: half are valid requests with a few faults, half are random. */
export function requests(world: World, patterns: readonly string[]): fc.Arbitrary<Invented> {
  return fc.oneof(almostRight(world), anything(world, patterns));
}

function almostRight(world: World): fc.Arbitrary<Invented> {
  const names = parameters(world);
  const edit = fc
    .constantFrom(...Object.keys(names))
    .chain((name) =>
      fc.tuple(fc.constant(name), fc.constantFrom('set', 'drop', 'repeat'), names[name] ?? nasty),
    );
  return fc
    .tuple(
      fc.constantFrom(...templates(world)),
      fc.array(edit, { maxLength: 3 }),
      fc.option(headers(world), { freq: 4 }),
      fc.integer({ min: 0, max: 9 }),
    )
    .map(([template, edits, other, dice]) => {
      const pairs = new Map(Object.entries(template.parameters).map(([name, value]) => [name, [value]]));
      for (const [name, how, value] of edits) {
        if (how === 'set') pairs.set(name, [value]);
        else if (how === 'drop') pairs.delete(name);
        else pairs.set(name, [...(pairs.get(name) ?? []), value]);
      }
      const flat = [...pairs].flatMap(([name, values]) => values.map((value) => [name, value] as const));
      const text = flat
        .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
        .join('&');
      const json = dice === 0 && template.method === 'POST';
      return {
        method: template.method,
        path: template.path,
        query: template.method === 'GET' ? text : '',
        headers: {
          'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
          ...template.headers,
          ...other,
        },
        body: Buffer.from(json ? JSON.stringify(Object.fromEntries(flat)) : text),
      };
    });
}

function anything(world: World, patterns: readonly string[]): fc.Arbitrary<Invented> {
  const names = parameters(world);
  const list = fc
    .array(fc.constantFrom(...Object.keys(names)), { maxLength: 12 })
    .chain((chosen) => fc.tuple(...chosen.map((name) => fc.tuple(fc.constant(name), names[name] ?? nasty))));
  const text = list.chain((pairs) =>
    fc
      .tuple(
        fc.tuple(
          ...pairs.map(([name, value]) =>
            fc.tuple(percentEncoded(like(name)), percentEncoded(fc.constant(value))),
          ),
        ),
        fc.integer({ min: 0, max: 9 }),
      )
      .map(([parts, dice]) =>
        parts.map(([name, value]) => (dice === 0 ? name : `${name}=${value}`)).join('&'),
      ),
  );
  const jsonText = list.map((pairs) => JSON.stringify(Object.fromEntries(pairs)));
  const body = fc.oneof(
    { weight: 8, arbitrary: text.map((value) => Buffer.from(value)) },
    { weight: 3, arbitrary: jsonText.map((value) => Buffer.from(value)) },
    { weight: 1, arbitrary: fc.json().map((value) => Buffer.from(value)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constant(Buffer.alloc(70_000, 'a=b&')) },
  );
  return fc.record({
    method: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('GET', 'POST') }, fc.constantFrom(...METHODS)),
    path: path(world, patterns),
    query: fc.oneof(
      { weight: 6, arbitrary: text },
      nasty.map((value) => value.replace(/[\s#\u0000-\u001f]/g, '')),
    ),
    headers: headers(world),
    body,
  });
}

function path({ methods, apis, known }: World, patterns: readonly string[]): fc.Arbitrary<string> {
  const segment: Record<string, fc.Arbitrary<string>> = {
    ':authMethodId': percentEncoded(like(...methods)),
    ':apiId': percentEncoded(like(...apis)),
    ':code': percentEncoded(like(...(known['code'] ?? ['abc']))),
  };
  const ofPattern = fc
    .constantFrom(...patterns)
    .chain((pattern) => fc.tuple(...pattern.split('/').map((part) => segment[part] ?? fc.constant(part))))
    .map((parts) => parts.join('/'));
  const anything = fc.array(percentEncoded(nasty), { maxLength: 8 }).map((parts) => `/${parts.join('/')}`);
  return fc.oneof(
    { weight: 20, arbitrary: ofPattern },
    { weight: 1, arbitrary: ofPattern.map((value) => `${value}/`) },
    { weight: 1, arbitrary: ofPattern.map((value) => `/${value}`) },
    { weight: 1, arbitrary: anything },
    {
      weight: 1,
      arbitrary: fc.constantFrom('*', 'http://evil.example/', '/\\evil.example', '//evil.example/%2f..'),
    },
  );
}

function parameters(world: World): Record<string, fc.Arbitrary<string>> {
  const { clients, people, known } = world;
  const of = (name: string, ...more: string[]) => like(...(known[name] ?? []), ...more, 'x');
  return {
    client_id: like(...clients.map((client) => client.clientId)),
    client_secret: like(...clients.map(({ secret = 'none' }) => secret)),
    redirect_uri: like(...clients.map((client) => client.redirectUri), 'http://127.0.0.1:5/cb'),
    response_type: like('code'),
    response_mode: like('query', 'fragment'),
    scope: like('read', 'read write', 'write'),
    state: of('state', 'S'),
    code_challenge: like(CHALLENGE),
    code_challenge_method: like('S256', 'plain'),
    prompt: like('none', 'login', 'consent', 'login consent'),
    max_age: like('0', '1', '3600'),
    login_hint: nasty,
    nonce: nasty,
    grant_type: like(
      'authorization_code',
      'refresh_token',
      'password',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ),
    code: of('code'),
    code_verifier: like(VERIFIER),
    refresh_token: of('refresh_token'),
    username: like(...people.map((person) => person.email)),
    password: like(...people.map((person) => person.password)),
    token: of('token', ...(known['refresh_token'] ?? [])),
    token_type_hint: like('access_token', 'refresh_token'),
    subject_token: of('token'),
    subject_token_type: like(
      'urn:ietf:params:oauth:token-type:access_token',
      'urn:ietf:params:oauth:token-type:id_token',
    ),
    audience: like(...world.apis),
    resource: like('https://api.example/orders'),
    auth_method: like(...world.methods),
    error: nasty,
    error_description: nasty,
    interaction: of('interaction'),
    anti_forgery: of('anti_forgery'),
    decision: like('allow', 'deny'),
    cancel: nasty,
    switch: nasty,
  };
}

function headers({ authUrl, clients, cookies }: World): fc.Arbitrary<Record<string, string>> {
  const basic = fc
    .constantFrom(...clients)
    .map(
      ({ clientId, secret = 'none' }) => `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
    );
  const authorization = fc.oneof(
    { weight: 3, arbitrary: basic },
    headerText.map((value) => `Basic ${value}`),
    headerText.map((value) => `Basic ${Buffer.from(value).toString('base64')}`),
    headerText.map((value) => `Bearer ${value}`),
    headerText,
  );
  const header = (value: fc.Arbitrary<string>) =>
    value.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''));
  return fc
    .record(
      {
        'content-type': fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom('application/x-www-form-urlencoded', 'application/json') },
          header(like('application/x-www-form-urlencoded; charset=UTF-8', 'multipart/form-data; boundary=x')),
        ),
        authorization,
        cookie: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...cookies) }, header(like(...cookies))),
        origin: header(like(authUrl, 'https://spa.example', 'null', 'https://evil.example')),
        accept: header(like('text/html', 'application/json', '*/*')),
        'sec-fetch-site': header(like('same-origin', 'cross-site', 'none')),
        'x-forwarded-for': headerText,
        'x-forwarded-host': headerText,
        'x-forwarded-proto': headerText,
        host: header(like('localhost', 'evil.example')),
        'user-agent': headerText,
        'x-http-method-override': header(like('POST', 'DELETE')),
      },
      { requiredKeys: ['content-type'] },
    )
    .map((given) => {
      const present = Object.entries(given).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      return Object.fromEntries(present);
    });
}

/** Converts an invented request to a request of the protocol core, whose body can be read once. */
export function asRequest(invented: Invented, requestId: string): HttpRequest {
  const { body, ...rest } = invented;
  return {
    ...rest,
    body: async () => (body.length > 65_536 ? 'too-large' : body),
    peerAddress: undefined,
    requestId,
  };
}
