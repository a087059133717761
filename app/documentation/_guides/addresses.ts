// Separate from guides.tsx: pages that only link to a guide load no Markdown parser.
export const GUIDES_PATH = '/documentation/guides';
export const guidePath = (id: string): string => `${GUIDES_PATH}/${id}`;

/** Page of an endpoint, by its id in docs/endpoints. */
export const endpointPath = (id: string): string => `/documentation/endpoints/${id}`;
/** Page of a resource of the management API. */
export const resourcePath = (id: string): string => `/documentation/management/${id}`;

/** Former page names of guides, with the page and anchor that took their place. */
export const MOVED: Readonly<Record<string, string>> = {
  clients: 'connect-a-client',
  'first-token': 'connect-a-client',
  agents: 'mcp-clients',
  approvals: 'approve',
  'high-availability': 'failover',
  'strong-sign-in': 'second-factors',
  operations: 'run',
};

/** Code of a guide with this service's package URLs. */
export const withServedPackages = (code: string, baseUrl: string): string =>
  code.replaceAll(/https:\/\/(?:auth|login)\.example\/packages\//g, `${baseUrl}/packages/`);
