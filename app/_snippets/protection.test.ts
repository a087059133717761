// The code for an API's operators is that of the package's README and of the guide, with the API's own values.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PublishedApi } from '#lib/oauth/metadata.ts';
import { syntaxFault } from '#testing/code/code-syntax.ts';
import { exampleOf } from '#testing/verify/installed.ts';
import { protectionOf } from './protection.ts';

const apiOf = (over: Partial<PublishedApi> = {}) =>
  ({
    id: 'orders',
    url: 'https://api.example/orders',
    accessTokenFormat: 'jwt',
    signingAlg: 'ES256',
    scopes: [{ name: 'orders:read' }, { name: 'orders:write' }],
    issuers: ['local', 'campus'].map((id) => ({
      method: { id },
      issuer: `https://auth.example/auth/${id}/api/orders`,
    })),
    resourceMetadata: { here: 'https://auth.example/.well-known/oauth-protected-resource/apis/orders' },
    ...over,
  }) as PublishedApi;

const codeOf = (api: PublishedApi, framework: string) =>
  protectionOf(api).find((one) => one.framework === framework)?.code ?? '';
const guide = readFileSync('docs/protect-an-api.md', 'utf8');

test('the package comes first, by the example of its README, which the guide begins with', () => {
  expect(protectionOf(apiOf()).map(({ framework }) => framework)).toEqual([
    'Node',
    'nginx',
    'Python',
    'Go',
    'PHP',
  ]);
  const code = codeOf(apiOf(), 'Node');
  expect(code).toBe(exampleOf('express.mjs'));
  expect(guide).toContain(code);
});

test.each([
  ['Python', 'fastapi_api.py'],
  ['Go', 'main.go'],
  ['PHP', 'orders.php'],
])('%s is told the same address, by the example of its README, which the guide has', (framework, file) => {
  const example = exampleOf(file);
  expect(codeOf(apiOf(), framework)).toBe(example);
  expect(guide).toContain(example.replace(/^<\?php\n/, ''));
});

test('contract 10: each package is installed from the address of the service', () => {
  const installs = protectionOf(apiOf()).map(({ framework, install }) => [framework, install]);
  expect(installs).toEqual([
    ['Node', 'npm install https://auth.example/packages/gatehouse-verify.tgz express'],
    ['nginx', undefined],
    ['Python', 'curl -fO https://auth.example/packages/gatehouse_verify.py'],
    ['Go', 'curl -f --create-dirs -o gatehouse/gatehouse.go https://auth.example/packages/gatehouse.go'],
    ['PHP', 'curl -fO https://auth.example/packages/gatehouse.php'],
  ]);
});

test('nginx asks for the first scope, sets each header that a caller could forge, and checks the certificate', () => {
  const code = codeOf(apiOf(), 'nginx');
  expect(code).toContain('proxy_pass https://auth.example/verify/orders?scope=orders%3Aread;');
  const documented = [...guide.matchAll(/^\| `(x-auth-[\w-]+)`/gm)].map(([, name]) => name);
  expect(documented.length).toBeGreaterThan(0);
  for (const name of documented) expect(code).toContain(`proxy_set_header ${name} $auth_`);
  expect(code).toContain('proxy_ssl_verify on;');
});

test('an opaque API is told its secret by the environment, and one without scopes asks for none', () => {
  const opaque = apiOf({ accessTokenFormat: 'opaque', scopes: [] });
  expect(codeOf(opaque, 'Node')).toContain(', introspectionSecret: process.env.INTROSPECTION_SECRET });');
  expect(codeOf(opaque, 'Node')).toContain('api.require();');
  expect(codeOf(opaque, 'Python')).toContain(', introspection_secret=os.environ["INTROSPECTION_SECRET"])');
  expect(codeOf(opaque, 'Python')).toContain('api.require()');
  expect(codeOf(opaque, 'Go')).toContain(
    ', gatehouse.IntrospectionSecret(os.Getenv("INTROSPECTION_SECRET")))',
  );
  expect(codeOf(opaque, 'PHP')).toContain(", introspectionSecret: getenv('INTROSPECTION_SECRET'))");
  for (const language of ['Go', 'PHP'] as const)
    expect([null, 'no tool']).toContain(
      syntaxFault(language === 'Go' ? 'go' : 'php', codeOf(opaque, language)),
    );
});

test('values that others chose stay values', () => {
  const awkward = `'$(id)\`id\`!#&;*(\${HOME})~%27"`;
  const api = apiOf({
    url: `https://api.example/${awkward}`,
    scopes: [{ name: `read:${awkward}` }] as PublishedApi['scopes'],
    issuers: [],
  });
  expect(syntaxFault('javascript', codeOf(api, 'Node'))).toBeNull();
  expect([null, 'no tool']).toContain(syntaxFault('python', codeOf(api, 'Python')));
  expect([null, 'no tool']).toContain(syntaxFault('go', codeOf(api, 'Go')));
  expect([null, 'no tool']).toContain(syntaxFault('php', codeOf(api, 'PHP')));
});
