// Combines the text about each endpoint with its declaration.
import { ownValue, snake } from '#lib/kit/wire.ts';
import { declarations } from '#lib/oauth/endpoints.ts';
import { type Declaration, methodNotAllowed } from '#lib/oauth/errors.ts';
import { demandOf } from '#lib/openapi/document.ts';
import { Html, OpenApiDocument, type Prose } from './endpoint.ts';
import { readSections } from './prose.ts';

/** Declarations of addresses that Next serves itself, and that `endpoints` lacks. */
const OF_NEXT: Readonly<Record<string, Declaration>> = {
  'GET /documentation': { answers: { Html }, errors: [] },
  'GET /openapi.json': { answers: { OpenApiDocument }, errors: [methodNotAllowed] },
};

export type Described = Prose & {
  /** path in the notation of OpenAPI: `/auth/{auth_method_id}/api/{api_id}/token` */
  path: string;
  declares: Declaration;
  parameters: Parameter[];
};

type Parameter = {
  name: string;
  in: 'path' | 'header' | 'query' | 'body';
  /** `yes`, `no`, or the clients that must send it, such as `public clients` */
  required: string;
  description: string;
};

/** Every endpoint of both areas, in the order of the documentation. */
export const sections = readSections().map((section) => ({
  ...section,
  endpoints: section.endpoints.map(describeEndpoint),
}));

function describeEndpoint(prose: Prose): Described {
  const { method, pattern } = prose;
  const address = `${method} ${pattern}`;
  const declares = ownValue(declarations, address) ?? ownValue(OF_NEXT, address);
  if (!declares) throw new Error(`${address} is described, and declared nowhere`);
  for (const { schema } of prose.answers)
    if (schema !== undefined && !Object.hasOwn(declares.answers, schema))
      throw new Error(`${address} declares no answer ${schema}`);
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
