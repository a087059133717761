// Checks tokens for handlers that receive web `Request` objects (Bun, Deno, Workers), and sets
// `request.caller`.
import type { Caller, Options, Requirement } from './options.ts';
import { sentToWeb } from './sent.ts';
import { verifier } from './verifier.ts';

export type { Caller, Options, Requirement } from './options.ts';

export function gatehouse(options: Options) {
  const rule = verifier(options);
  return {
    /** Returns a handler that requires a valid token. */
    require(requirement?: Requirement) {
      const check = rule(requirement);
      return <Asked extends Request, Rest extends unknown[]>(
        handler: (request: Asked & { caller: Caller }, ...rest: Rest) => Response | Promise<Response>,
      ) =>
        async (request: Asked, ...rest: Rest): Promise<Response> => {
          const { caller, refused } = await check(sentToWeb(request));
          if (refused) return new Response(null, refused);
          return handler(Object.assign(request, { caller }), ...rest);
        };
    },
  };
}
