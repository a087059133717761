// Kubernetes sets variables for each Service of the namespace: a Service `metrics` sets METRICS_PORT=tcp://10.0.0.1:80 and
// METRICS_SERVICE_HOST, METRICS_SERVICE_PORT and METRICS_PORT_80_TCP_… (Docker's links set the same names). A Service of
// an unlucky name so sets one of our settings, which nobody meant.
import { settingRows } from './table.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** No setting has such a value: `tcp://host:port`, `udp://…`, `sctp://…`. */
const LINK = /^(?:tcp|udp|sctp):\/\/[^/\s]+:\d+$/;

/** The names of settings that a Service sets. */
export const serviceLinks = (env: Variables): string[] =>
  settingRows()
    .map(([name]) => name)
    .filter((name) => LINK.test(env[name] ?? ''));

export function withoutServiceLinks(env: Variables): Variables {
  const names = new Set(serviceLinks(env));
  if (names.size === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}
