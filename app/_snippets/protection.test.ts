// Code for operators of an API equals the examples of package README and guide, with the API's values filled in.
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
const guide = readFileSync('docs/how-to/protect-an-api.md', 'utf8');

test('the code for the npm package comes first, and equals the README example with which the guide starts', () => {
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
])('%s uses the package and the README example, which the guide includes', (framework, file) => {
  const example = exampleOf(file);
  expect(codeOf(apiOf(), framework)).toBe(example);
  expect(guide).toContain(example.replace(/^<\?php\n/, ''));
});

test('contract 10: every package is installed from the service address', () => {
  const installs = protectionOf(apiOf()).map(({ framework, install }) => [framework, install]);
  expect(installs).toEqual([
    ['Node', 'npm install https://auth.example/packages/gatehouse-verify.tgz express'],
    ['nginx', undefined],
    ['Python', 'curl -fO https://auth.example/packages/gatehouse_verify.py'],
    ['Go', 'curl -f --create-dirs -o gatehouse/gatehouse.go https://auth.example/packages/gatehouse.go'],
    ['PHP', 'curl -fO https://auth.example/packages/gatehouse.php'],
  ]);
});

test('nginx requires the first scope, sets every forgeable header, and verifies the certificate', () => {
  const code = codeOf(apiOf(), 'nginx');
  expect(code).toContain('proxy_pass https://auth.example/verify/orders?scope=orders%3Aread;');
  const documented = [
    ...readFileSync('docs/how-to/gateways.md', 'utf8').matchAll(/^\| `(x-auth-[\w-]+)`/gm),
  ].map(([, name]) => name);
  expect(documented.length).toBeGreaterThan(0);
  for (const name of documented) expect(code).toContain(`proxy_set_header ${name} $auth_`);
  expect(code).toContain('proxy_ssl_verify on;');
});

test('the code for an API with opaque tokens reads the secret from the environment, and the code for an API without scopes requires no scope', () => {
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

test('special characters in API addresses and scopes stay quoted in the code', () => {
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
