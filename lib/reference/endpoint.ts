// The shapes of the reference: what is written by hand about an endpoint, and what the documentation page shows of it.
import type { Declaration } from '#lib/oauth/errors/declaration.ts';

/** An answer that is no error, in words. */
export type AnswerProse = {
  status: string;
  description: string;
  example?: string;
  /** the body, by its name in the declaration's `answers` */
  schema?: string;
  /** JSON by default */
  mediaType?: string;
  /** where the answer is a redirect: what its Location is */
  location?: string;
};

export type Addresses = { baseUrl: string; authUrl: string };

/** What is written by hand about an endpoint. Parameters and errors come from its declaration in lib/oauth. */
export type Prose = {
  id: string;
  method: 'GET' | 'POST';
  /** as in the table of endpoints: `/auth/:authMethodId/api/:apiId/token` */
  pattern: string;
  summary: string;
  description: string;
  answers: readonly AnswerProse[];
  command: (addresses: Addresses) => string;
  /** of an address that only a page or route of Next has, not the table of endpoints */
  declares?: Declaration;
};

export type Section = { id: string; title: string; intro: string; endpoints: readonly Prose[] };

export const ISSUER = '/auth/:authMethodId/api/:apiId';

/** An issuer with words in capitals, which a shell takes as they are. */
export function exampleIssuer({ authUrl }: Addresses): string {
  return `${authUrl}/auth/AUTH_METHOD_ID/api/API_ID`;
}

/** One curl command over several lines, each argument on its own. */
export function curl(url: string, ...rest: string[]): string {
  return [`curl -sS '${url}'`, ...rest].join(' \\\n  ');
}
