// What a test sends, and what it gets.
import type http from 'node:http';
import type { CookieJar } from './cookie-jar.ts';

export type Sent = {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** a form body; pairs where a name is to be repeated */
  form?: Record<string, string> | [string, string][];
  json?: unknown;
  jar?: CookieJar;
  /** the same values go into every field: none is a secret, in any of them */
  invented?: true;
  /** the address to call from */
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
  /** the parsed body; an object, or a failure of the test */
  json: () => Record<string, unknown>;
};
