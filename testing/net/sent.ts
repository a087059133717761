// Requests and responses of tests.
import type http from 'node:http';
import type { CookieJar } from './cookie-jar.ts';

export type Sent = {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** form body; pairs allow repeated names */
  form?: Record<string, string> | [string, string][];
  json?: unknown;
  jar?: CookieJar;
  /** true: a fuzz request with one invented value in all fields, which is not recorded as a secret */
  invented?: true;
  /** the local address from which the request is sent */
  localAddress?: string;
  agent?: http.Agent;
  timeoutMs?: number;
};

export type Answer = {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  /** the Location header, or '' */
  location: string;
  /** parsed JSON object; throws otherwise */
  json: () => Record<string, unknown>;
};
