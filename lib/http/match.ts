// Finds the endpoint for a raw path. Segments are decoded one by one, so an encoded slash stays inside its segment.
import type { Endpoint } from './endpoint.ts';
import type { PathParams } from './message.ts';

type Pattern = Pick<Endpoint, 'pattern'>;

export function compileEndpoints<E extends Pattern>(endpoints: readonly E[]) {
  const byLength = new Map<number, { endpoint: E; segments: string[] }[]>();
  for (const endpoint of endpoints) {
    const segments = endpoint.pattern.split('/').slice(1);
    const list = byLength.get(segments.length) ?? [];
    list.push({ endpoint, segments });
    byLength.set(segments.length, list);
  }
  return (path: string): { endpoint: E; params: PathParams } | null => {
    const given = path.split('/').slice(1);
    for (const { endpoint, segments } of byLength.get(given.length) ?? []) {
      const params = bind(segments, given);
      if (params) return { endpoint, params };
    }
    return null;
  };
}

function bind(segments: readonly string[], given: readonly string[]): PathParams | null {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return null;
    } else if (value === '') {
      return null;
    } else {
      params[segment.slice(1)] = decodeSegment(value);
    }
  }
  return params;
}

/** A malformed escape becomes a value that no identifier can equal. */
function decodeSegment(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '\u0000';
  }
}
