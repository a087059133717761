// For requests of node:http, and for frameworks that call `(request, response, next)`.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Options, Requirement } from './options.ts';
import { sentToNode } from './sent.ts';
import { type Outcome, verifier } from './verifier.ts';

export type { Caller, Options, Requirement } from './options.ts';

declare module 'http' {
  interface IncomingMessage {
    /** Authenticated caller, set by `require`. */
    caller?: Caller;
  }
}

export function gatehouse(options: Options) {
  const rule = verifier(options);
  return {
    /**
     * Resolves to the caller, also stored in `request.caller`; then calls `next`, if given. Resolves to null after
     * sending an error response.
     */
    require(requirement?: Requirement) {
      const check = rule(requirement);
      return async (
        request: IncomingMessage,
        response: ServerResponse,
        next?: (error?: unknown) => void,
      ): Promise<Caller | null> => {
        let outcome: Outcome;
        try {
          outcome = await check(sentToNode(request));
        } catch (error) {
          if (!next) throw error;
          next(error);
          return null;
        }
        const { caller, refused } = outcome;
        if (refused) {
          response.writeHead(refused.status, refused.headers).end();
          return null;
        }
        request.caller = caller;
        next?.();
        return caller;
      };
    },
  };
}
