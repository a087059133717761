// Sends every hostile value in every field of every management API route. Fields come from the routes' schemas, so new
// fields are fuzzed automatically.
import { z } from 'zod';
import type { Route } from '#lib/management-api/route.ts';
import { HOSTILE_JSON, HOSTILE_TEXTS, type Hostile } from './hostile.ts';

export type Call = {
  route: Route;
  /** path under /api/v1, percent-encoded */
  path: string;
  query: string;
  body: string | null;
  /** place of the hostile value, such as `body.name: NUL` */
  place: string;
  unstorable: boolean;
};

type Schema = {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  format?: string;
  minimum?: number;
};
type Path = readonly (string | number)[];

/**
 * Yields calls with one hostile value each. `known`: real values by name, so that a request contains only one
 * fault.
 */
export function* hostileCalls(
  routes: readonly Route[],
  known: Record<string, unknown>,
  { quick }: { quick: boolean },
): Generator<Call> {
  const texts = HOSTILE_TEXTS.filter((one) => !quick || one.quick);
  const json = HOSTILE_JSON.filter((one) => !quick || one.quick);
  for (const route of routes) {
    const parts = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
    const real = Object.fromEntries(parts.map((part) => [part, String(known[part] ?? 'nothing')]));
    const pathOf = (values: Record<string, string>) =>
      route.path.replaceAll(/:(\w+)/g, (_, part: string) => encodeURIComponent(values[part] ?? ''));
    const body = route.body && schemaOf(route.body);
    const valid = body && sampleOf(body, '', known);
    const whole = { route, path: pathOf(real), query: '', body: valid ? JSON.stringify(valid) : null };
    const call = (place: string, { name, unstorable = false }: Hostile, changes: Partial<Call>): Call => ({
      ...whole,
      place: `${place}: ${name}`,
      unstorable,
      ...changes,
    });

    for (const part of parts) {
      for (const hostile of texts.filter(({ value }) => value !== '')) {
        yield call(`path.${part}`, hostile, { path: pathOf({ ...real, [part]: String(hostile.value) }) });
      }
    }
    // includes a field that no route has
    for (const field of [...Object.keys(route.query?.shape ?? {}), '__proto__']) {
      for (const hostile of texts) {
        const query = new URLSearchParams([[field, String(hostile.value)]]).toString();
        // the service treats an empty value as a missing parameter
        yield call(`query.${field}`, hostile, {
          query,
          unstorable: hostile.unstorable === true && field !== '__proto__',
        });
      }
    }
    if (!body) continue;
    for (const path of [[], ...placesIn(body)]) {
      for (const hostile of [...texts, ...json]) {
        yield call(['body', ...path].join('.'), hostile, {
          body: JSON.stringify(replaceAt(valid, path, hostile.value)),
        });
      }
    }
  }
}

function schemaOf(schema: z.ZodObject): Schema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
}

/** Returns every position in the value, at any depth. */
function placesIn({ properties = {}, items, anyOf = [] }: Schema, at: Path = []): Path[] {
  const named = Object.entries(properties).flatMap(([name, part]) => [
    [...at, name],
    ...placesIn(part, [...at, name]),
  ]);
  const listed = items ? [[...at, 0], ...placesIn(items, [...at, 0])] : [];
  return [...named, ...listed, ...anyOf.flatMap((one) => placesIn(one, at))];
}

function sampleOf(schema: Schema, name: string, known: Record<string, unknown>): unknown {
  if (Object.hasOwn(known, name)) return known[name];
  const { type, properties, items, anyOf, format } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (anyOf?.[0]) return sampleOf(anyOf[0], name, known);
  if (type === 'object') {
    const entries = Object.entries(properties ?? {});
    return Object.fromEntries(entries.map(([key, part]) => [key, sampleOf(part, key, known)]));
  }
  if (type === 'array') return items ? [sampleOf(items, '', known)] : [];
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 60, 60);
  return format === 'date-time' ? '2026-01-01T00:00:00Z' : 'x';
}

function replaceAt(whole: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const inside = (whole as Record<string | number, unknown> | undefined)?.[first];
  const next = replaceAt(inside, rest, value);
  if (typeof first === 'number') return [next];
  return { ...(whole as object), [first]: next };
}

/** Describes a wrong response. `null`: correct response. */
export function faultOfAnswer(call: Call, status: number, type: string, body: string): string | null {
  if (status >= 500) return `status ${status}`;
  if (call.unstorable && status < 400) return `status ${status} to what can not be stored`;
  if (type.includes('html')) return 'a page';
  if (status < 400) return null;
  let problem: { status?: unknown; request_id?: unknown };
  try {
    problem = JSON.parse(body);
  } catch {
    return 'a body that is not JSON';
  }
  return problem.status === status && typeof problem.request_id === 'string' ? null : 'no problem of ours';
}
