// Prose and declaration of each endpoint, put together.
import { snake } from '#lib/kit/index.ts';
import { type Declaration, endpoints } from '#lib/oauth/index.ts';
import type { Prose } from './endpoint.ts';
import { sections } from './sections.ts';

export type Described = Prose & { declares: Declaration; path: string };

export const describedSections = sections.map((section) => ({
  ...section,
  endpoints: section.endpoints.map(described),
}));

function described(prose: Prose): Described {
  const { method, pattern } = prose;
  const endpoint = endpoints.find((candidate) => candidate.pattern === pattern);
  const declares = prose.declares ?? endpoint?.declares?.[method];
  if (!declares) throw new Error(`${method} ${pattern} is described, and declared nowhere`);
  // OpenAPI's notation, with the parameters' names on the wire: /auth/{auth_method_id}/api/{api_id}
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => `{${snake(name)}}`);
  return { ...prose, declares, path };
}
