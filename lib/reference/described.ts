// Prose and declaration of each endpoint, put together.
import { snake } from '#lib/kit/wire.ts';
import { declarations } from '#lib/oauth/declarations/declarations.ts';
import type { Declaration } from '#lib/oauth/errors/declaration.ts';
import { demandOf } from '#lib/openapi/schema.ts';
import type { Prose } from './endpoint.ts';
import { proseSections } from './sections.ts';

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
