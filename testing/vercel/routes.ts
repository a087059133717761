// The routing of the Build Output API (vercel.com/docs/build-output-api/configuration): which file or function a
// request gets, with which headers.
import type { IncomingHttpHeaders } from 'node:http';

type Condition = { type: string; key: string; value?: string };
export type Route = {
  handle?: string;
  src?: string;
  dest?: string;
  headers?: Record<string, string>;
  status?: number;
  continue?: boolean;
  check?: boolean;
  has?: Condition[];
  missing?: Condition[];
  middlewarePath?: string;
};
type Phase = 'begin' | 'filesystem' | 'resource' | 'miss' | 'rewrite' | 'hit' | 'error';

export type Routed = {
  /** output path of the handler; null: none */
  found: string | null;
  /** path without route additions */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  status: number | null;
};
export type Asked = { path: string; query: URLSearchParams; headers: IncomingHttpHeaders };
/** Returns the address to which middleware sends the request; null: the request continues unchanged. */
export type Middleware = (path: string) => Promise<string | null>;

export function phasesOf(routes: readonly Route[]): Record<Phase, Route[]> {
  const phases: Record<string, Route[]> = { begin: [], filesystem: [], resource: [], miss: [] };
  Object.assign(phases, { rewrite: [], hit: [], error: [] });
  let current = 'begin';
  for (const route of routes) {
    if (route.handle === undefined) phases[current]?.push(route);
    else current = route.handle;
  }
  return phases;
}

/** Routes a request. `exists`: searches the output for a matching file or function. */
export async function routed(
  phases: Record<Phase, Route[]>,
  asked: Asked,
  exists: (path: string) => boolean,
  middleware: Middleware,
): Promise<Routed> {
  const query = new URLSearchParams(asked.query);
  const state: Routed = { found: null, path: asked.path, query, headers: {}, status: null };
  let path = asked.path;
  /** Applies the routes of a phase. Returns true if a file or function handles the request. */
  const walk = async (phase: Phase): Promise<boolean> => {
    for (const route of phases[phase]) {
      const match = matchOf(route, path, asked.headers);
      if (match === null) continue;
      for (const [name, value] of Object.entries(route.headers ?? {}))
        state.headers[name.toLowerCase()] = filled(value, match);
      if (route.middlewarePath !== undefined) path = (await middleware(route.middlewarePath)) ?? path;
      if (route.status !== undefined) state.status = route.status;
      if (route.dest !== undefined) {
        const [to = '', more] = filled(route.dest, match).split('?');
        path = to;
        for (const [name, value] of new URLSearchParams(more)) query.set(name, value);
      }
      if (route.check === true && exists(path)) return true;
      if (!route.continue && route.check !== true) return exists(path);
    }
    return false;
  };
  const answers = async () => {
    await walk('begin');
    if (exists(path)) return true;
    return (await walk('filesystem')) || (await walk('rewrite')) || (await walk('miss'));
  };
  if (await answers()) state.found = path;
  else {
    state.status = 404;
    state.found = phases.error.find(({ status }) => status === 404)?.dest ?? null;
  }
  path = state.found ?? path;
  await walk('hit');
  return state;
}

function matchOf(route: Route, path: string, headers: IncomingHttpHeaders): Record<string, string> | null {
  const match = new RegExp(anchored(route.src ?? '/.*'), 'i').exec(path);
  if (match === null) return null;
  const groups: Record<string, string> = { ...match.groups };
  for (const [at, value] of match.entries()) groups[at] = value ?? '';
  for (const one of route.has ?? []) {
    const met = meets(one, headers);
    if (met === null) return null;
    Object.assign(groups, met);
  }
  return (route.missing ?? []).some((one) => meets(one, headers) !== null) ? null : groups;
}

const anchored = (src: string) => `${src.startsWith('^') ? '' : '^'}${src}${src.endsWith('$') ? '' : '$'}`;

/**
 * Returns the named groups of a condition's value; null: the condition is not met. Supports only conditions
 * about headers.
 */
function meets({ key, value }: Condition, headers: IncomingHttpHeaders): Record<string, string> | null {
  const sent = headers[key];
  if (sent === undefined) return null;
  if (value === undefined) return {};
  const match = new RegExp(`^${value}$`).exec(String(sent));
  return match && { ...match.groups };
}

const filled = (text: string, groups: Record<string, string>) =>
  text.replace(/\$(\w+)/g, (_, name: string) => groups[name] ?? '');
