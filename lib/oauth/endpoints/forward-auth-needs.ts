// What a gateway asks of the token, in the query of the forward auth address. Nonsense is refused, so that a slip in a
// gateway's configuration lets no caller through.
import { parseForm } from '#lib/http/params.ts';
import { type AcrLevel, levelOf } from '#lib/registry/fields/acr.ts';
import { InvalidRequest } from '../errors/errors.ts';
import { parseMaxAge } from '../rules/prompt.ts';
import { isScope } from '../rules/scope.ts';

export type TokenNeeds = {
  scopes: readonly string[];
  acr: { name: string; level: AcrLevel } | null;
  /** seconds; null: a sign-in of any age */
  maxAge: number | null;
  /** what a browser asks before a request of another origin is let through */
  allowsPreflight: boolean;
};

/** UnreadableParams, InvalidRequest. */
export function readTokenNeeds(query: string): TokenNeeds {
  const { values, repeated, more } = parseForm(query);
  const named = new URLSearchParams(query);
  for (const name of ['acr', 'max_age', 'preflight']) {
    if (repeated.has(name)) throw new InvalidRequest(`The parameter '${name}' is repeated.`);
    // an empty one would ask for nothing
    if (!values.has(name) && named.has(name)) throw new InvalidRequest(`The parameter '${name}' is empty.`);
  }
  const scope = [values.get('scope') ?? '', ...(more?.get('scope') ?? [])].join(' ');
  if (!isScope(scope)) throw new InvalidRequest('The scope holds a character that no scope can have.');
  return {
    scopes: [...new Set(scope.split(' ').filter(Boolean))],
    acr: readAcr(values.get('acr')),
    maxAge: parseMaxAge(values.get('max_age')),
    allowsPreflight: readPreflight(values.get('preflight')),
  };
}

function readAcr(name: string | undefined): TokenNeeds['acr'] {
  if (name === undefined) return null;
  const level = levelOf(name);
  if (level === null) throw new InvalidRequest('acr is no class of a sign-in here.');
  return { name, level };
}

function readPreflight(value: string | undefined): boolean {
  if (value !== undefined && value !== 'allow') throw new InvalidRequest("preflight must be 'allow'.");
  return value === 'allow';
}
