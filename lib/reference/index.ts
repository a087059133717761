// The reference of the protocol: prose from this room, parameters and errors from the declarations in lib/oauth. The
// documentation page and the OpenAPI document are made of it.
import { demandOf } from '#lib/openapi/index.ts';
import { type Described, describedSections } from './described.ts';
import type { Addresses, Answer } from './endpoint.ts';

export { openapi } from './openapi.ts';

type ReferenceParameter = {
  name: string;
  in: 'path' | 'header' | 'query' | 'body';
  /** `yes`, `no`, or for whom: `public clients` */
  required: string;
  description: string;
};

export type ReferenceEndpoint = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: ReferenceParameter[];
  answers: Pick<Answer, 'status' | 'description' | 'example'>[];
  errors: { status: string; error: string; when: string }[];
  command: string;
};

export type ReferenceSection = { id: string; title: string; intro: string; endpoints: ReferenceEndpoint[] };

/** Every endpoint of both areas, in reading order, with commands for these two public addresses. */
export function reference(baseUrl: string, authUrl: string): ReferenceSection[] {
  return describedSections.map((section) => ({
    ...section,
    endpoints: section.endpoints.map((endpoint) => referenceOf(endpoint, { baseUrl, authUrl })),
  }));
}

/** Method and pattern of every described endpoint, in the notation of the table of endpoints. */
export function referencePaths(): { method: string; pattern: string }[] {
  return describedSections.flatMap(({ endpoints }) =>
    endpoints.map(({ method, pattern }) => ({ method, pattern })),
  );
}

function referenceOf(endpoint: Described, addresses: Addresses): ReferenceEndpoint {
  const { id, method, path, summary, description, answers, declares, command } = endpoint;
  return {
    id,
    method,
    path,
    summary,
    description,
    parameters: parametersOf(endpoint),
    answers: answers.map(({ status, description, example }) => ({
      status,
      description,
      ...(example === undefined ? {} : { example }),
    })),
    errors: declares.errors.map(({ status, error, when }) => ({ status: String(status), error, when })),
    command: command(addresses),
  };
}

function parametersOf({ declares }: Described): ReferenceParameter[] {
  return (['path', 'header', 'query', 'body'] as const).flatMap((place) =>
    Object.entries(declares[place]?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: place,
      required: demandOf(schema),
      description: schema.description ?? '',
    })),
  );
}
