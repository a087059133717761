/**
 * The reference: every endpoint described as data. The documentation page, the OpenAPI document and the test that
 * compares both with the mounted endpoints read it. Words about endpoints, no behaviour.
 */
import type { Addresses, EndpointSource, Reference, ReferenceEndpoint } from './endpoint.ts';
import { guides } from './guides.ts';
import { endpointSources, sectionSources } from './sections.ts';

export type { Reference, ReferenceEndpoint } from './endpoint.ts';
export { openapi } from './openapi.ts';

export function reference(baseUrl: string, authUrl: string): Reference {
  return {
    sections: sectionSources.map(({ id, title, intro, endpoints }) => ({
      id,
      title,
      intro,
      endpoints: endpoints.map((endpoint) => described(endpoint, { baseUrl, authUrl })),
    })),
    guides: guides(baseUrl, authUrl),
  };
}

/** Method and pattern of every described endpoint, in the notation of the endpoint table. */
export function referencePaths(): { method: string; pattern: string }[] {
  return endpointSources.map(({ method, path }) => ({
    method,
    pattern: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `:${camelCase(name)}`),
  }));
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function described(source: EndpointSource, addresses: Addresses): ReferenceEndpoint {
  const { id, method, path, summary, description, parameters, answers, errors, command } = source;
  return {
    id,
    method,
    path,
    summary,
    description,
    parameters: parameters.map(({ name, in: place, required, description }) => ({
      name,
      in: place,
      required,
      description,
    })),
    answers: answers.map(({ status, description, example }) => ({
      status,
      description,
      ...(example === undefined ? {} : { example }),
    })),
    errors: errors.map(({ status, error, when }) => ({ status, error, when })),
    command: command(addresses),
  };
}
