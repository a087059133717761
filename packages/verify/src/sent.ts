// What a check needs to know of a request.
import type { IncomingMessage } from 'node:http';

/** The value of a header, all its values, or none. */
export type Header = string | readonly string[] | null | undefined;

export type Sent = {
  /** Itself: it may be checked twice. */
  request: { method?: string | undefined };
  /** As this server was called. */
  url: string;
  /** `Authorization`. */
  header: Header;
  /** The header `DPoP`. */
  proof: Header;
};

export const sentToWeb = (request: Request): Sent => ({
  request,
  url: request.url,
  header: request.headers.get('authorization'),
  proof: request.headers.get('dpop'),
});

export const sentToNode = (request: IncomingMessage & { originalUrl?: string }): Sent => ({
  request,
  // a router takes its part off `url`
  url: `http://${request.headers.host}${request.originalUrl ?? request.url}`,
  header: request.headersDistinct['authorization'],
  proof: request.headers['dpop'],
});
