// Checks tokens for requests of node:http, and for frameworks that call `(request, response, next)`.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Options, Requirement } from './options.ts';
import { sentToNode } from './sent.ts';
import { type Outcome, verifier } from './verifier.ts';

export type { Caller, Options, Requirement } from './options.ts';

declare module 'http' {
  interface IncomingMessage {
    /** The authenticated caller, which `require` sets. */
    caller?: Caller;
  }
}

export function gatehouse(options: Options) {
  const rule = verifier(options);
  return {
    /**
     * Resolves to the caller and stores it in `request.caller`; then calls `next`, if given. After an error response
     * it resolves to null.
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
