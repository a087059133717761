/**
 * The shape of a described endpoint. The public half (`ReferenceEndpoint`) is what the documentation page prints; the
 * source half adds the few facts OpenAPI needs. Words only: nothing here decides how a request is answered.
 */

export type ReferenceParameter = {
  name: string;
  in: 'path' | 'query' | 'body' | 'header';
  /** `yes`, `no`, or for whom: `public clients`. */
  required: string;
  description: string;
};

export type ReferenceAnswer = { status: string; description: string; example?: string };

export type ReferenceError = { status: string; error: string; when: string };

export type ReferenceEndpoint = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: ReferenceParameter[];
  answers: ReferenceAnswer[];
  errors: ReferenceError[];
  command: string;
};

export type ReferenceSection = { id: string; title: string; intro: string; endpoints: ReferenceEndpoint[] };

export type ReferenceGuide = { id: string; title: string; paragraphs: string[] };

export type Reference = { sections: ReferenceSection[]; guides: ReferenceGuide[] };

export type JsonSchema = Record<string, unknown>;

/** Where a reader finds the error: in a JSON body, on an HTML page, in the redirect to the client, or as a 422 body. */
export type Channel = 'json' | 'page' | 'redirect' | 'validation';

export type SourceParameter = ReferenceParameter & { schema?: JsonSchema };

export type SourceAnswer = ReferenceAnswer & {
  /** A name under `components.schemas`; without one the answer has no described body. */
  schema?: string;
  mediaType?: string;
  /** Present where the answer is a redirect. */
  location?: string;
};

export type SourceError = ReferenceError & { channel?: Channel };

export type Addresses = { baseUrl: string; authUrl: string };

export type EndpointSource = Omit<ReferenceEndpoint, 'parameters' | 'answers' | 'errors' | 'command'> & {
  method: 'GET' | 'POST';
  /** Area A lives under `{base_url}`, Area B under `{auth_url}`. */
  area: 'A' | 'B';
  parameters: SourceParameter[];
  answers: SourceAnswer[];
  errors: SourceError[];
  /** Names under `components.securitySchemes`; an empty object means that none is needed. */
  security?: Record<string, never[]>[];
  command: (addresses: Addresses) => string;
};

export type SectionSource = { id: string; title: string; intro: string; endpoints: EndpointSource[] };

/** The path of an issuer in OpenAPI's notation; every Area B address is built on it. */
export const issuerPath = '/auth/{auth_method_id}/api/{api_id}';

/** The same path with words in capitals, which a shell takes as they are. */
export function exampleIssuer({ authUrl }: Addresses): string {
  return `${authUrl}/auth/AUTH_METHOD_ID/api/API_ID`;
}

/** One curl command over several lines, each argument on its own. */
export function curl(url: string, ...rest: string[]): string {
  return [`curl -sS '${url}'`, ...rest].join(' \\\n  ');
}
