// This module is separate from guides.tsx, so that pages that only link to a guide do not load the Markdown parser.
export const GUIDES_PATH = '/documentation/guides';
export const guidePath = (id: string): string => `${GUIDES_PATH}/${id}`;

/** Page of an endpoint, by its id in docs/endpoints. */
export const endpointPath = (id: string): string => `/documentation/endpoints/${id}`;
/** Page of a resource of the management API. */
export const resourcePath = (id: string): string => `/documentation/management/${id}`;

/** Earlier names of guide pages, each with the page that replaced it. */
export const MOVED: Readonly<Record<string, string>> = {
  clients: 'connect-a-client',
  'first-token': 'connect-a-client',
  agents: 'mcp-clients',
  approvals: 'approve',
  'high-availability': 'failover',
  'strong-sign-in': 'second-factors',
  import: 'migrate',
  'moving-in': 'migrate',
  operations: 'run',
  'self-service': 'accounts',
  'silent-renewal': 'renew-silently',
  dpop: 'bind-tokens-dpop',
};

/**
 * Redirect (308) to the new page. It has a max-age, because browsers otherwise cache it permanently, but the name of
 * a guide can change again.
 */
export const movedTo = (location: string): Response =>
  new Response(null, { status: 308, headers: { location, 'cache-control': 'public, max-age=300' } });

/** Files of the repository to which guides link, keyed by their name in the address. */
export const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'docs/monitoring/alerts.yaml',
    'docs/monitoring/alerts.test.yaml',
    'docs/monitoring/grafana-dashboard.json',
    'docs/project/performance.svg',
    'gatehouse.schema.json',
    'prisma/roles.sql',
    'prisma/schema.prisma',
  ].map((file) => [file.replace(/^.*\//, ''), file]),
);
export const filePath = (name: string): string => `/documentation/files/${name}`;

/** Files of the repository that the service serves at other addresses, outside /documentation/files. */
export const SERVED: Readonly<Record<string, string>> = {
  'README.md': '/documentation',
  'docs/README.md': '/documentation',
  'packages/verify/README.md': '/packages/gatehouse-verify.tgz',
  'packages/verify-go/README.md': '/packages/gatehouse.go',
  'packages/verify-php/README.md': '/packages/gatehouse.php',
  'packages/verify-python/README.md': '/packages/gatehouse_verify.py',
};

type Addresses = { baseUrl: string; authUrl: string };

/** Returns the text of a guide, with this service's addresses in its examples. `file`: path below docs/. */
export function withAddresses(text: string, file: string, { baseUrl, authUrl }: Addresses): string {
  const packaged = withServedPackages(text, baseUrl)
    .replaceAll('{auth_url}/', `${authUrl}/`)
    .replaceAll('{base_url}/', `${baseUrl}/`)
    .replaceAll(/https:\/\/auth\.example(?![\w-]|\.\w)/g, authUrl)
    .replaceAll(/https%3A%2F%2Fauth\.example(?![\w-]|\.\w)/g, encodeURIComponent(authUrl))
    .replaceAll(/(?<=")auth\.example(?=")/g, new URL(authUrl).host);
  // the examples of tutorials run on the reader's machine, and those of deployment guides on the reader's host
  if (/^start\/|^operate\/deploy/.test(file)) return packaged;
  return packaged
    .replaceAll(/https:\/\/login\.example(?![\w-]|\.\w)/g, baseUrl)
    .replaceAll(/http:\/\/localhost:3000(?=\/auth\/)/g, authUrl)
    .replaceAll(/http:\/\/localhost:3000(?=\/)/g, baseUrl);
}

/** Replaces the names of packages in the code of a guide with the addresses at which this service serves them. */
const withServedPackages = (code: string, baseUrl: string): string =>
  code.replaceAll(/https:\/\/(?:auth|login)\.example\/packages\//g, `${baseUrl}/packages/`);
