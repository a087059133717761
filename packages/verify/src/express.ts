// Middleware for Express. It sets `request.caller`.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gatehouse as ofNode } from './node.ts';
import type { Options, Requirement } from './options.ts';

export type { Caller, Options, Requirement } from './options.ts';

type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Returns the middleware. An Express middleware must not return the caller. */
export const gatehouse: (options: Options) => { require: (requirement?: Requirement) => Middleware } = ofNode;
