// Types of the requests that tests send, and of their responses.
import type http from 'node:http';
import type { CookieJar } from './cookie-jar.ts';

export type Sent = {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** form in the body; a list of pairs can contain a name several times */
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
  /** value of the Location header; empty if there is none */
  location: string;
  /** parses the body as JSON object; throws if it is not one */
  json: () => Record<string, unknown>;
};
