// Prose and declaration of each endpoint, put together.
import { snake } from '#lib/kit/wire.ts';
import { declarations } from '#lib/oauth/endpoints.ts';
import type { Declaration } from '#lib/oauth/errors.ts';
import { demandOf } from '#lib/openapi/document.ts';
import type { Prose, Section } from './endpoint.ts';
import {
  authorizeEndpoints,
  brokerEndpoints,
  deviceEndpoints,
  discoveryEndpoints,
  openIdEndpoints,
  registrationEndpoints,
  serviceEndpoints,
  tokenEndpoints,
  tokenManagementEndpoints,
} from './prose.ts';

// Every endpoint, in reading order.

const proseSections: readonly Section[] = [
  {
    id: 'authorize',
    title: 'Authorize',
    intro:
      "Where a person signs in and consents, and the client gets a code. Opened in the person's browser.",
    endpoints: authorizeEndpoints,
  },
  {
    id: 'token',
    title: 'Token',
    intro: 'Where a client turns a code, a password or a refresh token into an access token.',
    endpoints: tokenEndpoints,
  },
  {
    id: 'devices',
    title: 'Devices',
    intro: 'For a device without a browser: its person types a code in another one.',
    endpoints: deviceEndpoints,
  },
  {
    id: 'openid-connect',
    title: 'OpenID Connect',
    intro:
      'With the scope `openid` the token endpoint gives an ID token too, and these addresses tell more of the person.',
    endpoints: openIdEndpoints,
  },
  {
    id: 'token-management',
    title: 'Revoke and introspect',
    intro: 'Giving a token back, and asking whether one is good.',
    endpoints: tokenManagementEndpoints,
  },
  {
    id: 'discovery',
    title: 'Metadata and keys',
    intro:
      'What standard clients and APIs read by themselves. The metadata is one document at four addresses, so that a client finds it wherever it looks.',
    endpoints: discoveryEndpoints,
  },
  {
    id: 'registration',
    title: 'Dynamic registration',
    intro:
      'Where a program registers a client, which then waits for an approver. Only where the operator allows it.',
    endpoints: registrationEndpoints,
  },
  {
    id: 'broker',
    title: 'Brokers and token exchange',
    intro: 'Coming back from a broker, and exchanging what a broker or this service gave.',
    endpoints: brokerEndpoints,
  },
  {
    id: 'service',
    title: 'The service itself',
    intro: 'Health, readiness and documentation.',
    endpoints: serviceEndpoints,
  },
];

export type Described = Prose & {
  /** in OpenAPI's notation: `/auth/{auth_method_id}/api/{api_id}/token` */
  path: string;
  declares: Declaration;
  parameters: Parameter[];
};

type Parameter = {
  name: string;
  in: 'path' | 'header' | 'query' | 'body';
  /** `yes`, `no`, or for which clients: `public clients` */
  required: string;
  description: string;
};

/** Every endpoint of both areas, in reading order. */
export const sections = proseSections.map((section) => ({
  ...section,
  endpoints: section.endpoints.map(described),
}));

function described(prose: Prose): Described {
  const { method, pattern } = prose;
  const declares = prose.declares ?? declarations[`${method} ${pattern}`];
  if (!declares) throw new Error(`${method} ${pattern} is described, and declared nowhere`);
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => `{${snake(name)}}`);
  return { ...prose, path, declares, parameters: parametersOf(declares) };
}

function parametersOf(declares: Declaration): Parameter[] {
  return (['path', 'header', 'query', 'body'] as const).flatMap((place) =>
    Object.entries(declares[place]?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: place,
      required: demandOf(schema),
      description: schema.description ?? '',
    })),
  );
}
